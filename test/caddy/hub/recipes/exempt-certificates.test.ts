// proof: caddys
/** Sites with a sign-in or a certificate, as they are published: who gets in by which, and that nobody else does. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, rmSync } from 'node:fs';
import { serverForFile } from '../../../harness/for-file.ts';
import { freePort } from '../../../harness/stack.ts';
import { type SitesCaddy, serveCaddyfile } from '../../../hub/recipes/sites-caddy.ts';
import { createDevices } from './devices.ts';

const { at, pem, run, siteOf, make, folder } = createDevices();
const port = freePort();
let caddy: SitesCaddy;

/** Lets in whoever has a cookie, as Ada. */
const service = serverForFile(({ headers }) =>
  headers.get('cookie') === 'as=ada'
    ? new Response(null, { headers: { 'Remote-User': 'ada' } })
    : new Response('sign in', { status: 401 }),
);
const address = `127.0.0.1:${service.port}`;

const HOSTS = ['authelia.test', 'authentik.test', 'service.test', 'paths.test'];

/** @param option one more of the global options */
function serve(option = ''): Promise<SitesCaddy> {
  const exemptCertificates = pem('home');
  const generic = { address, uri: '/check', copyHeaders: ['Remote-User'], exemptCertificates };
  const more = { exemptPaths: ['/public/*'], exemptNetworks: ['203.0.113.7'] };
  return serveCaddyfile((plain) =>
    [
      `{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n${option}}`,
      `https://open.test:${port} {\n\ttls ${at('site.pem')} ${at('site.key')}\n\trespond OPEN\n}`,
      // Whether it runs is asked over HTTP.
      `http://:${plain} {\n\trespond x\n}`,
      siteOf(port, 'authelia.test', 'authelia', { address, exemptCertificates }),
      siteOf(port, 'authentik.test', 'authentik', { address, exemptCertificates }),
      siteOf(port, 'service.test', 'forward-auth', generic),
      siteOf(port, 'paths.test', 'forward-auth', { ...generic, ...more }),
      siteOf(port, 'b.test', 'client-certificate', { authority: pem('other') }),
    ].join('\n\n'),
  );
}

beforeAll(async () => {
  await make();
  caddy = await serve();
});
afterAll(async () => {
  await caddy.stop();
  rmSync(folder, { recursive: true });
});

type Asked = { cert?: string; sni?: string; more?: string[]; path?: string };

/** What curl gets of a site: the body and the status, or that there was no connection. */
function curl(host: string, { cert, sni = host, more = [], path = '/' }: Asked = {}) {
  const identity = cert ? ['--cert', at(`${cert}.pem`), '--key', at(`${cert}.key`)] : [];
  const resolve = ['--resolve', `${sni}:${port}:127.0.0.1`];
  const how = ['-sk', '-w', ' %{http_code}', '-H', `Host: ${host}:${port}`];
  return run(['curl', ...how, ...resolve, ...identity, ...more, `https://${sni}:${port}${path}`]);
}

const VERSIONS = [['--http1.1'], ['--http2'], ['--tls-max', '1.2']];

/** Other sites, and the certificates that a connection for them may have shown. */
const SHOWN: [sni: string, cert?: string][] = [
  ['open.test'],
  ['open.test', 'mine'],
  ['b.test', 'theirs'],
];

describe.each(HOSTS)('%s', (host) => {
  test('asks a stranger to sign in, whatever they claim', async () => {
    for (const more of [...VERSIONS, ['-H', 'Remote-User: ada'], ['-H', 'Cookie: as=eve']]) {
      expect([more, await curl(host, { more })]).toEqual([more, 'sign in 401']);
    }
  });

  test('has no connection for a certificate of somebody else', async () => {
    for (const cert of ['self', 'theirs', 'late']) {
      expect([cert, await curl(host, { cert })]).toEqual([cert, 'no connection']);
    }
  });

  test('is not reached by a connection for another name, which may have shown its own certificate', async () => {
    for (const [sni, cert] of SHOWN) {
      for (const more of VERSIONS) {
        const answer = await curl(host, { sni, more, ...(cert && { cert }) });
        expect([sni, answer]).toEqual([sni, expect.not.stringContaining('BODY')]);
        expect([sni, answer]).toEqual([sni, expect.stringMatching(/ (?:401|421)$/)]);
      }
    }
  });

  test('is not reached by an HTTP/2 connection that is reused for it', async () => {
    const format = ['-sk', '--http2', '-w', ' %{http_code} %{num_connects}\n'];
    const identity = ['--cert', at('theirs.pem'), '--key', at('theirs.key')];
    const url = `https://b.test:${port}/`;
    const resolve = ['--resolve', `b.test:${port}:127.0.0.1`];
    const next = ['--next', ...format, ...identity, '-H', `Host: ${host}:${port}`, url];
    const text = await run(['curl', ...format, ...resolve, ...identity, url, ...next]);
    expect(text).toMatch(/^BODY {2}200 1\n.* (?:401|421) 0\n$/);
  });

  test.each(['-tls1_2', '-tls1_3'])(
    'is not reached by a session of another site, %s',
    async (tls) => {
      const ask = (sni: string, more: string[]) =>
        run(
          [
            'openssl',
            's_client',
            '-connect',
            `127.0.0.1:${port}`,
            '-servername',
            sni,
            tls,
            '-ign_eof',
            ...more,
          ],
          `GET / HTTP/1.1\r\nHost: ${sni}:${port}\r\nConnection: close\r\n\r\n`,
        );
      rmSync(at('session'), { force: true });
      const identity = ['-cert', at('theirs.pem'), '-key', at('theirs.key')];
      expect(await ask('b.test', [...identity, '-sess_out', at('session')])).toContain('BODY');
      // Newer Caddys give out none.
      if (!existsSync(at('session'))) return;
      expect(await ask('b.test', ['-sess_in', at('session')])).toContain('BODY');
      expect(await ask(host, ['-sess_in', at('session')])).not.toContain('BODY');
    },
  );

  test('lets in the device without a sign-in, and a name that it claims is gone', async () => {
    for (const more of [...VERSIONS, ['-H', 'Remote-User: ada']]) {
      expect([more, await curl(host, { cert: 'mine', more })]).toEqual([more, 'BODY  200']);
    }
  });

  test('lets in whoever is signed in, without a certificate', async () => {
    expect(await curl(host, { more: ['-H', 'Cookie: as=ada'] })).toMatch(
      // authentik names people in headers of its own.
      /^BODY (?:ada)? 200$/,
    );
  });
});

test('exempt paths stay open, and others do not open with them', async () => {
  expect(await curl('paths.test', { path: '/public/a' })).toBe('BODY  200');
  expect(await curl('paths.test', { path: '/private' })).toBe('sign in 401');
  expect(await curl('paths.test', { path: '/private', cert: 'mine' })).toBe('BODY  200');
});

test('a connection for another name opens nothing even if Caddy is told to accept those', async () => {
  await caddy.stop();
  caddy = await serve('\tservers {\n\t\tstrict_sni_host insecure_off\n\t}\n');
  for (const host of HOSTS) {
    expect(await curl(host, { sni: 'b.test', cert: 'theirs' })).toBe('sign in 401');
    expect(await curl(host, { cert: 'mine' })).toBe('BODY  200');
  }
  // It would be accepted.
  expect(await curl('open.test', { sni: 'b.test', cert: 'theirs' })).toBe('OPEN 200');
});
