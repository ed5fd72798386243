// proof: caddys
/** Sites with a sign-in or a certificate over HTTP/3, visited by a newer Caddy: who gets in by which, and nobody else. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { caddyIs } from '../../../harness/caddys.ts';
import { serverForFile } from '../../../harness/for-file.ts';
import { limit } from '../../../harness/speed.ts';
import { freePort } from '../../../harness/stack.ts';
import { type SitesCaddy, serveCaddyfile } from '../../../hub/recipes/sites-caddy.ts';
import { createDevices } from './devices.ts';
import { type Http3Visitor, startHttp3Visitor, VISITOR } from './http3-visitor.ts';

setDefaultTimeout(limit(60_000));
const { at, pem, siteOf, make, folder } = createDevices();
const port = freePort();
const service = serverForFile(() => new Response('sign in', { status: 401 }));
const address = `127.0.0.1:${service.port}`;
let caddy: SitesCaddy;
let visitor: Http3Visitor;

const HOSTS = ['authelia.test', 'authentik.test', 'service.test'];
const ALL = [...HOSTS, 'only.test', 'other.test', 'open.test'];
const CERTS = ['mine', 'theirs', 'self', 'late'] as const;
const deviceOf = (name: string) => ({ pem: at(`${name}.pem`), key: at(`${name}.key`) });

beforeAll(async () => {
  await make();
  const exemptCertificates = pem('home');
  const generic = { address, uri: '/check', copyHeaders: [], exemptCertificates };
  caddy = await serveCaddyfile((plain) =>
    [
      '{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n}',
      `https://open.test:${port} {\n\ttls ${at('site.pem')} ${at('site.key')}\n\trespond OPEN\n}`,
      // Whether it runs is asked over HTTP.
      `http://:${plain} {\n\trespond x\n}`,
      siteOf(port, 'authelia.test', 'authelia', { address, exemptCertificates }),
      siteOf(port, 'authentik.test', 'authentik', { address, exemptCertificates }),
      siteOf(port, 'service.test', 'forward-auth', generic),
      siteOf(port, 'only.test', 'client-certificate', { authority: pem('home') }),
      siteOf(port, 'other.test', 'client-certificate', { authority: pem('other') }),
    ].join('\n\n'),
  );
  const identities = ALL.flatMap((sni) => [
    [`none.${sni}`, { sni }] as const,
    ...CERTS.map((cert) => [`${cert}.${sni}`, { sni, cert: deviceOf(cert) }] as const),
  ]);
  if (VISITOR) visitor = await startHttp3Visitor(Object.fromEntries(identities), port, VISITOR);
});
afterAll(async () => {
  await visitor?.stop();
  await caddy.stop();
  rmSync(folder, { recursive: true });
});

const visit = (who: string, host: string, sni = host) =>
  visitor.visit(`${who}.${sni}`, `${host}:${port}`);

/** The first Caddys had no name of the connection there, and so refuse every host. */
const isRefused = caddyIs('<2.7.0');

describe.if(VISITOR !== null)('over HTTP/3,', () => {
  test('nobody gets in without a certificate of the authority', async () => {
    for (const host of [...HOSTS, 'only.test']) {
      for (const who of ['none', 'theirs', 'self', 'late']) {
        expect([host, who, await visit(who, host)]).toEqual([
          host,
          who,
          expect.not.stringContaining('BODY'),
        ]);
      }
    }
    expect(await visit('mine', 'other.test')).not.toContain('BODY');
  });

  test('nobody gets in by a connection for another name', async () => {
    for (const host of [...HOSTS, 'only.test', 'other.test']) {
      for (const sni of ALL.filter((one) => one !== host)) {
        for (const who of ['none', 'mine', 'theirs']) {
          const answer = await visit(who, host, sni);
          expect([host, sni, who, answer]).toEqual([
            host,
            sni,
            who,
            expect.stringMatching(/^\S* (?:421|502)$/),
          ]);
        }
      }
    }
  });

  test('a device gets in, and all others are asked to sign in', async () => {
    const got = (answer: string) => (isRefused ? ' 421' : answer);
    for (const host of HOSTS) {
      expect([host, await visit('mine', host)]).toEqual([host, got('BODY  200')]);
      expect([host, await visit('none', host)]).toEqual([host, got('sign in 401')]);
    }
    expect(await visit('mine', 'only.test')).toBe(got('BODY  200'));
    expect(await visit('theirs', 'other.test')).toBe(got('BODY  200'));
    expect(await visit('none', 'open.test')).toBe(got('OPEN 200'));
  });
});
