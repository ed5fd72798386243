// proof: caddys
/** Names that no site has, wherever in the Caddyfile their answer is, and what is left to the other sites. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { folderForFile } from '../../../harness/for-file.ts';
import { freePort, until } from '../../../harness/stack.ts';
import { words } from '../../../harness/words.ts';
import {
  bodyOf,
  request,
  type SitesCaddy,
  serveCaddyfile,
  statusOf,
  textOf,
} from '../../../hub/recipes/sites-caddy.ts';

const folder = folderForFile();
const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
beforeAll(() => {
  const names = ['*.home.test', '*.deep.home.test'].map((name) => `DNS:${name}`);
  const made = Bun.spawnSync([
    ...'openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2'.split(' '),
    '-subj',
    '/CN=kept',
    '-addext',
    `subjectAltName=${names}`,
    '-keyout',
    key,
    '-out',
    cert,
  ]);
  expect(made.exitCode).toBe(0);
});

const SITES = [
  'http://plain.test {\n\trespond PLAIN\n}',
  'http://*.b.c {\n\trespond WILD\n}',
  'a.home.test {\n\trespond A\n}',
  `*.deep.home.test {\n\ttls ${cert} ${key}\n\trespond DEEP\n}`,
  'secure.test {\n\trespond SECURE\n}',
];
const wildcards = ['*.home.test'];
const unknown = textOf('unknown-hosts', { wildcards, text: '<p>{env.SECRET}</p>' }).join('\n');

const serve = (blocks: readonly string[], https: number): Promise<SitesCaddy> =>
  serveCaddyfile((http) =>
    [
      `{\n\tadmin off\n\thttp_port ${http}\n\thttps_port ${https}\n\tskip_install_trust\n\tlocal_certs\n}`,
      ...blocks,
    ].join('\n\n'),
  );

/** What curl gets over HTTPS. */
async function secure(host: string, port: number): Promise<string> {
  const options = ['-sk', '--resolve', `${host}:${port}:127.0.0.1`, '-w', ' %{http_code}'];
  const child = Bun.spawn(['curl', ...options, `https://${host}:${port}/`], { stderr: 'ignore' });
  const text = await child.stdout.text();
  return (await child.exited) === 0 ? text : 'no connection';
}

/** The same, once Caddy has signed the certificate: it does so one by one after it has begun to serve. */
const signed = (host: string, port: number): Promise<string> =>
  until(async () => {
    const answer = await secure(host, port);
    return answer !== 'no connection' && answer;
  }, `the certificate of ${host}`);

describe.each([
  ['first', [unknown, ...SITES]],
  ['last', [...SITES, unknown]],
  ['in the middle', [...SITES.slice(3), unknown, ...SITES.slice(0, 3)]],
] as const)('the site for unknown hosts comes %s:', (_, blocks) => {
  const https = freePort();
  let caddy: SitesCaddy;
  beforeAll(async () => {
    caddy = await serve(blocks, https);
  });
  afterAll(() => caddy.stop());

  test('a stranger’s name gets its answer, with every method and path', async () => {
    const requests = words(`
      unknown.test 127.0.0.1 x.y.b.c home.test PLAIN.test.evil
    `).flatMap((host) =>
      ['GET', 'POST', 'OPTIONS', 'X'].flatMap((method) =>
        ['/', '//', '/a/../b', '/%2e%2e/'].map((path) => request(host, { method, path })),
      ),
    );
    requests.push('GET / HTTP/1.0\r\n\r\n');
    for (const one of requests) {
      const answer = await caddy.send(one);
      expect([one, statusOf(answer)]).toEqual([one, 404]);
      expect([one, bodyOf(answer)]).toEqual([one, '<p>{env.SECRET}</p>']);
      expect(answer).toMatch(/content-type: text\/html/i);
    }
  });

  test('the other sites answer as before, and redirect to HTTPS', async () => {
    expect(bodyOf(await caddy.get('plain.test'))).toBe('PLAIN');
    expect(bodyOf(await caddy.get('x.b.c'))).toBe('WILD');
    for (const host of ['a.home.test', 'x.deep.home.test', 'secure.test', 'x.home.test']) {
      const answer = await caddy.get(host);
      expect([host, statusOf(answer)]).toEqual([host, 308]);
      expect(answer).toContain(`Location: https://${host}`);
    }
  });

  test('over HTTPS, it answers below its wildcard, and nobody else', async () => {
    const page = '<p>{env.SECRET}</p> 404';
    for (const [host, answer] of [
      ['x.home.test', page],
      ['a.home.test', 'A 200'],
      ['x.deep.home.test', 'DEEP 200'],
      ['secure.test', 'SECURE 200'],
    ] as const) {
      expect([host, await signed(host, https)]).toEqual([host, answer]);
    }
    for (const host of ['unknown.test', 'home.test', 'x.y.home.test']) {
      expect([host, await secure(host, https)]).toEqual([host, 'no connection']);
    }
  });
});

test('names below its wildcards redirect to HTTPS even if Caddy gets no certificates itself', async () => {
  const https = freePort();
  const caddy = await serve([unknown, ...SITES.slice(0, 4)], https);
  try {
    for (const host of ['a.home.test', 'x.home.test']) {
      const answer = await caddy.get(host, '/a?b');
      expect([host, statusOf(answer)]).toEqual([host, 308]);
      expect(answer).toContain(`Location: https://${host}/a?b\r\n`);
    }
    expect(statusOf(await caddy.get('unknown.test'))).toBe(404);
    expect(bodyOf(await caddy.get('plain.test'))).toBe('PLAIN');
    expect(await signed('x.home.test', https)).toBe('<p>{env.SECRET}</p> 404');
    // Its own redirects come too late then.
    expect(statusOf(await caddy.get('x.deep.home.test'))).toBe(404);
  } finally {
    await caddy.stop();
  }
});

test('it can close the connection instead', async () => {
  const aborted = textOf('unknown-hosts', { abort: true, text: 'x' }).join('\n');
  // The harness asks this one whether Caddy runs.
  const caddy = await serve([aborted, 'http://nobody {\n\trespond x\n}'], freePort());
  try {
    expect(await caddy.get('unknown.test')).toBe('');
  } finally {
    await caddy.stop();
  }
});

test('without addresses, it is the answer of a site that has a domain', () => {
  expect(textOf('unknown-hosts', { everywhere: false })).toEqual(['respond 404']);
  expect(textOf('unknown-hosts', { everywhere: false, wildcards })).toEqual([
    '*.home.test {',
    '\trespond 404',
    '}',
  ]);
});
