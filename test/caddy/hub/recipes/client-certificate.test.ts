// proof: caddys
/**
 * Sites behind client certificates, as they are published: who gets in, with which certificate, and that nobody
 * else does, whatever the site holds and however its own `tls` reads. FUZZ_SEED sets which bodies.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync, rmSync } from 'node:fs';
import { connect as plain, type Socket } from 'node:net';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { contextOf, guardOf } from '../../../../src/hub/caddyfile/context.ts';
import type { Values } from '../../../../src/hub/recipes/recipe.ts';
import { MARKER, randomBody, SNIPPETS } from '../../../harness/bodies.ts';
import { caddyIs, versionOf } from '../../../harness/caddys.ts';
import { guardedSites } from '../../../harness/guarded.ts';
import { seededRandom } from '../../../harness/random.ts';
import { freePort, temporaryFolder } from '../../../harness/stack.ts';
import { request, type SitesCaddy, serveCaddyfile } from '../../../hub/recipes/sites-caddy.ts';

const folder = temporaryFolder();
const at = (name: string) => join(folder, name);
const pem = (name: string) => readFileSync(at(`${name}.pem`), 'utf8');
const version = versionOf('caddy');
const random = seededRandom(Number(process.env.FUZZ_SEED ?? 20_261_123));
const BODIES = 60;

function run(script: string): void {
  const { exitCode, stderr } = Bun.spawnSync(['sh', '-ec', script], { cwd: folder });
  if (exitCode !== 0) throw new Error(`${script}: ${stderr}`);
}

/** The commands of the documentation, with other names for the files. */
function documented(authority: string, device: string): string {
  const page = readFileSync(
    new URL('../../../../docs/phone-certificate.md', import.meta.url),
    'utf8',
  );
  const [, script = ''] = /```sh\n(openssl req -x509[^`]*)```/.exec(page) ?? [];
  expect(script.split('\n').filter((line) => line.startsWith('openssl'))).toHaveLength(3);
  return script.replaceAll('authority.', `${authority}.`).replaceAll('phone.', `${device}.`);
}

/** The sites of a config, as they are published with this policy, or without one. */
function sites(bodies: Readonly<Record<string, string>>, values?: Values): string {
  const context = contextOf(SNIPPETS, version);
  const date = new Date();
  const guards = values
    ? [
        guardOf(
          {
            id: 1,
            name: 'devices',
            recipe: 'client-certificate',
            values,
            everywhere: false,
            source: null,
            applied: null,
            createdAt: date,
            updatedAt: date,
          },
          context,
        ),
      ]
    : [];
  const list = Object.entries(bodies).map(([host, config]) => ({
    domain: `https://${host}:${port}`,
    config: config.replaceAll('ADDRESS', `https://${host}:${port}`),
  }));
  return guardedSites(SNIPPETS, list, guards, version);
}

const port = freePort();
let caddy: SitesCaddy;

const BODY = 'respond "BODY {http.request.tls.client.subject}"';
const ERRORS = 'handle_errors {\n\trespond "BODY of an error"\n}';
/** Of the certificate of all sites: one for each takes Caddy long, and some releases forget one of many. */
const NAMES = ['*.test', '*.wild.test', '*.under.test', '*.shared.test']
  .map((name) => `DNS:${name}`)
  .concat('IP:127.0.0.1')
  .join();
/** What may be beside the policy at the level of the site. */
const OWN_TLS = {
  internal: 'tls internal',
  files: `tls ${at('site.pem')} ${at('site.key')}`,
  settings: 'tls {\n\tprotocols tls1.2 tls1.3\n\talpn http/1.1\n}',
  both: `tls ${at('site.pem')} ${at('site.key')} {\n\tciphers TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256\n}`,
  issuer: 'tls {\n\tissuer internal\n}',
  weaker: 'tls {\n\tclient_auth {\n\t\tmode request\n\t}\n}',
};
const own = Object.entries(OWN_TLS).map(([name, tls]) => [`${name}.test`, tls] as const);
const fuzzed = Array.from({ length: BODIES }, (_, index) => `fuzz-${index}.test`);

/** @param option one more of the global options */
const serve = (option = ''): Promise<SitesCaddy> =>
  serveCaddyfile((plain) => {
    const bodies = fuzzed.map((host) => [host, randomBody(random, folder, `127.0.0.1:${plain}`)]);
    return [
      `{\n\tadmin off\n\tskip_install_trust\n\tlocal_certs\n\tauto_https disable_redirects\n${option}}`,
      SNIPPETS,
      `http://127.0.0.1:${plain} {\n\trespond "${MARKER} upstream"\n}`,
      sites({
        'open.test': `tls ${at('site.pem')} ${at('site.key')}\nrespond OPEN`,
        '*.wild.test': 'respond WILD',
        'b.under.test': 'respond UNDER',
        'c.under.test': 'tls {\n\tprotocols tls1.2 tls1.3\n}\nrespond UNDER',
        '127.0.0.1': 'respond IP',
      }),
      `https://p.shared.test:${port}/foo {\n\ttls {\n\t\tprotocols tls1.2 tls1.3\n\t}\n\trespond FOO\n}`,
      sites(
        {
          'a.test': `${BODY}\n${ERRORS}`,
          'one.test': `ADDRESS, https://two.test:${port} {\n${BODY}\n${ERRORS}\n}`,
          'a.wild.test': BODY,
          '*.under.test': BODY,
          '*.shared.test': BODY,
          ...Object.fromEntries(own.map(([host, tls]) => [host, `${tls}\n${BODY}\n${ERRORS}`])),
          ...Object.fromEntries(bodies),
        },
        { authority: pem('home') },
      ),
      sites({ 'b.test': `${BODY}\n${ERRORS}` }, { authority: pem('other') }),
      sites({ 'either.test': BODY }, { authority: `${pem('home')}${pem('other')}` }),
      sites({ 'ask.test': `${BODY}\n${ERRORS}` }, { authority: pem('home'), mode: 'request' }),
    ].join('\n\n');
  });

beforeAll(async () => {
  run(documented('home', 'mine'));
  run(documented('other', 'theirs'));
  const CA = 'openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes';
  run(`${CA} -keyout self.key -out self.pem -subj '/CN=My phone' -days 2`);
  run(
    `${CA} -keyout site.key -out site.pem -subj /CN=site -days 2 -addext subjectAltName=${NAMES}`,
  );
  run(
    'openssl x509 -req -in mine.csr -CA home.pem -CAkey home.key -CAcreateserial -days -1 -out late.pem',
  );
  run('cp mine.key late.key');
  caddy = await serve();
});
afterAll(async () => {
  await caddy.stop();
  rmSync(folder, { recursive: true });
});

type Asked = { cert?: string; sni?: string; more?: string[] };

/** What curl gets of a site: the status and the body, or why there was no connection. */
async function curl(host: string, { cert, sni = host, more = [] }: Asked = {}): Promise<string> {
  const identity =
    cert === undefined ? [] : ['--cert', at(`${cert}.pem`), '--key', at(`${cert}.key`)];
  const child = Bun.spawn(
    [
      'curl',
      '-sk',
      '--resolve',
      `${sni}:${port}:127.0.0.1`,
      '-H',
      `Host: ${host}:${port}`,
      '-w',
      ' %{http_code}',
      ...identity,
      ...more,
      `https://${sni}:${port}/`,
    ],
    { stdout: 'pipe', stderr: 'ignore' },
  );
  const text = await child.stdout.text();
  return (await child.exited) === 0 ? text : 'no connection';
}

/** A ClientHello as records of 16 bytes, and everything else as it is. */
function inPieces(bytes: Buffer): Buffer {
  const isHello = bytes[0] === 22 && bytes[5] === 1 && bytes.length === 5 + bytes.readUInt16BE(3);
  if (!isHello) return bytes;
  const pieces: Buffer[] = [];
  for (let from = 5; from < bytes.length; from += 16) {
    const piece = bytes.subarray(from, from + 16);
    pieces.push(Buffer.from([22, 3, 1, 0, piece.length]), piece);
  }
  return Buffer.concat(pieces);
}

const MINE = 'BODY CN=My phone 200';

describe('a site behind a certificate', () => {
  const HOSTS = ['a.test', 'one.test', 'two.test', 'a.wild.test', 'x.under.test'];

  test.each([...HOSTS, ...own.map(([host]) => host)])(
    '%s lets in the device, and nobody without its certificate',
    async (host) => {
      expect(await curl(host)).toBe('no connection');
      for (const cert of ['self', 'theirs', 'late']) {
        expect([cert, await curl(host, { cert })]).toEqual([cert, 'no connection']);
      }
      for (const more of [['--http1.1'], ['--http2'], ['--tls-max', '1.2']]) {
        expect(await curl(host, { cert: 'mine', more })).toBe(MINE);
      }
    },
  );

  test('takes the certificates of each authority', async () => {
    expect(await curl('either.test')).toBe('no connection');
    expect(await curl('either.test', { cert: 'self' })).toBe('no connection');
    expect(await curl('either.test', { cert: 'mine' })).toBe(MINE);
    expect(await curl('either.test', { cert: 'theirs' })).toBe(MINE);
  });

  test('is not reached by a connection for another name, nor are its error pages', async () => {
    for (const [sni, cert] of [
      ['open.test', undefined],
      ['open.test', 'mine'],
      ['b.test', 'theirs'],
      ['ask.test', undefined],
      ['b.wild.test', undefined],
      ['unknown.test', undefined],
    ] as const) {
      for (const more of [['--http1.1'], ['--http2']]) {
        const answer = await curl('a.test', { sni, more, ...(cert && { cert }) });
        expect([sni, answer]).toEqual([sni, expect.not.stringContaining('BODY')]);
        expect([sni, answer]).toEqual([sni, expect.stringMatching(/^( 421|no connection)$/)]);
      }
    }
  });

  test('is not reached by an HTTP/2 connection that is reused for it', async () => {
    const format = ['-sk', '--http2', '-w', ' %{http_code} %{num_connects}\n'];
    const url = `https://open.test:${port}/`;
    const resolve = ['--resolve', `open.test:${port}:127.0.0.1`];
    const host = ['--next', ...format, '-H', `Host: a.test:${port}`, url];
    const { stdout } = Bun.spawnSync(['curl', ...format, ...resolve, url, ...host]);
    expect(stdout.toString()).toBe('OPEN 200 1\n 421 0\n');
  });

  test('is not reached by a greeting in many pieces, which may look as if it named no site', async () => {
    let greetings = 0;
    const relay = Bun.listen<{ to?: Socket }>({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        open(from) {
          const to = plain(port, '127.0.0.1');
          to.on('data', (bytes) => from.write(bytes));
          to.on('close', () => from.end());
          to.on('error', () => from.end());
          from.data = { to };
        },
        data({ data }, bytes) {
          const sent = inPieces(bytes);
          if (sent !== bytes) greetings++;
          data.to?.write(sent);
        },
        close: ({ data }) => void data.to?.end(),
      },
    });
    const more = ['--connect-to', `::127.0.0.1:${relay.port}`];
    expect(await curl('open.test', { more })).toBe('OPEN 200');
    expect(await curl('a.test', { cert: 'mine', more })).toBe(MINE);
    for (const cert of [{}, { cert: 'self' }, { cert: 'theirs' }]) {
      expect(await curl('a.test', { ...cert, more })).toBe('no connection');
    }
    expect(greetings).toBe(5);
    relay.stop(true);
  });

  // The hub refuses such sites.
  test('is not reached by a connection that another site with its name has let in', async () => {
    for (const cert of [{}, { cert: 'self' }, { cert: 'theirs' }]) {
      expect(await curl('p.shared.test', cert)).toBe(' 421');
    }
  });

  test('can be asked in another spelling', async () => {
    expect(await curl('A.TEST', { cert: 'mine' })).toBe(MINE);
  });

  test('leaves others as they are, unless they are below its wildcard', async () => {
    expect(await curl('open.test')).toBe('OPEN 200');
    expect(await curl('b.wild.test')).toBe('WILD 200');
    // Released ones take the wildcard's rule for every site below that sets nothing of the kind itself.
    const below = caddyIs('>2.11.4') ? 'UNDER 200' : 'no connection';
    expect(await curl('b.under.test')).toBe(below);
    expect(await curl('b.under.test', { cert: 'mine' })).toBe('UNDER 200');
    expect(await curl('c.under.test')).toBe('UNDER 200');
  });

  test('makes Caddy refuse connections by address, which name no site', async () => {
    expect(await curl('127.0.0.1')).toBe(' 421');
  });
});

test('a certificate that is only asked for may be missing, but not be invalid', async () => {
  expect(await curl('ask.test')).toMatch(/^BODY .*200$/);
  expect(await curl('ask.test')).not.toContain('CN=');
  expect(await curl('ask.test', { cert: 'mine' })).toBe(MINE);
  for (const cert of ['self', 'theirs', 'late']) {
    expect([cert, await curl('ask.test', { cert })]).toEqual([cert, 'no connection']);
  }
  // Nobody shows it the certificate of another site.
  expect(await curl('ask.test', { sni: 'b.test', cert: 'theirs' })).toBe(' 421');
});

/** What a connection gets, whatever certificate it shows; empty if there is none. */
function over(sni: string, text: string, cert?: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const identity = cert ? { cert: pem(cert), key: readFileSync(at(`${cert}.key`)) } : {};
  const socket = connect({
    host: '127.0.0.1',
    port,
    servername: sni,
    rejectUnauthorized: false,
    ...identity,
  });
  let answer = '';
  socket.on('secureConnect', () => socket.write(text));
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.on('error', () => resolve(answer));
  socket.on('close', () => resolve(answer));
  return promise;
}

test(`of ${BODIES} bodies, none answers a stranger`, async () => {
  let answered = 0;
  for (const host of fuzzed) {
    const path = random.pick(['/', '/a', '/hand', '/nest', '/args', '/paths', '/secret']);
    const method = random.pick(['GET', 'POST', 'HEAD', 'X']);
    const text = request(host, { method, path });
    expect([host, await over(host, text)]).toEqual([host, '']);
    expect([host, await over(host, text, 'theirs')]).toEqual([host, '']);
    const answers = await Promise.all([over('open.test', text), over('b.test', text, 'theirs')]);
    for (const answer of answers) {
      expect([host, answer]).toEqual([host, expect.stringMatching(/^HTTP\/1\.1 421 /)]);
      expect([host, answer]).toEqual([host, expect.not.stringContaining(MARKER)]);
    }
    if ((await over(host, request(host), 'mine')).includes(MARKER)) answered++;
  }
  expect(answered).toBeGreaterThan(BODIES / 3);
});

/** Caddy is the only client here that speaks HTTP/3. */
test.if(caddyIs('>=2.9.0'))(
  'over HTTP/3, nobody gets in without a certificate either',
  async () => {
    const via = (name: string, sni: string, cert?: string) =>
      [
        `http://${name}.via:PLAIN {`,
        `reverse_proxy https://127.0.0.1:${port} {`,
        `header_up Host ${name}.test:${port}`,
        'transport http {\nversions 3\ntls_insecure_skip_verify',
        `tls_server_name ${sni}`,
        cert ? `tls_client_auth ${at(`${cert}.pem`)} ${at(`${cert}.key`)}` : '',
        '}\n}\n}',
      ].join('\n');
    const client = await serveCaddyfile((plain) =>
      [
        '{\nadmin off\n}',
        via('a', 'a.test', 'mine'),
        via('b', 'b.test'),
        via('open', 'open.test'),
        via('one', 'open.test', 'mine'),
      ]
        .join('\n')
        .replaceAll('PLAIN', String(plain)),
    );
    try {
      expect(await client.get('open.via')).toEndWith('OPEN');
      expect(await client.get('a.via')).toEndWith('BODY CN=My phone');
      expect(await client.get('b.via')).toStartWith('HTTP/1.1 502 ');
      const other = await client.get('one.via');
      expect(other).toStartWith('HTTP/1.1 421 ');
      expect(other).not.toContain('BODY');
    } finally {
      await client.stop();
    }
  },
);

test('a connection for another name is refused even if Caddy is told to accept those', async () => {
  await caddy.stop();
  caddy = await serve('\tservers {\n\t\tstrict_sni_host insecure_off\n\t}\n');
  expect(await curl('a.test', { sni: 'open.test' })).toBe(' 421');
  expect(await curl('a.test', { sni: 'b.test', cert: 'theirs' })).toBe(' 421');
  expect(await curl('a.test', { cert: 'mine' })).toBe(MINE);
  // It would be accepted.
  expect(await curl('open.test', { sni: 'b.test', cert: 'theirs' })).toBe('OPEN 200');
});
