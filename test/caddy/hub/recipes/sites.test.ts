/** What visitors get of the site recipes, and of the policy `headers`. */
import { afterAll, describe, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Values } from '../../../../src/hub/recipes/recipe.ts';
import { folderForFile, forFile } from '../../../harness/for-file.ts';
import { makePair } from '../../../harness/pair.ts';
import { freePort, until } from '../../../harness/stack.ts';
import {
  behind,
  bodyOf,
  request,
  startSitesCaddy,
  statusOf,
  textOf,
} from '../../../hub/recipes/sites-caddy.ts';

const folder = folderForFile();
chmodSync(folder, 0o755);

/** The headers of each request that reached an upstream. */
const seen: Headers[] = [];

/** An upstream that answers with its name, and what it was asked. */
const named = (name: string, tls?: Bun.TLSOptions) =>
  Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    ...(tls && { tls }),
    async fetch(request) {
      // To the end, so that it does not answer before Caddy has found the body too large.
      await request.arrayBuffer();
      const { url, headers } = request;
      seen.push(headers);
      return new Response(`${name} ${new URL(url).pathname} ${headers.get('host')}`, {
        headers: {
          'X-Frame-Options': 'ALLOWALL',
          'Referrer-Policy': 'unsafe-url',
          'Content-Type': 'text/plain',
        },
      });
    },
  });

const [one, two] = [named('one'), named('two')];
const { certificate: cert, key } = makePair(folder);
const secure = named('secure', { cert: Bun.file(cert), key: Bun.file(key) });
const at = ({ port }: { port?: number | undefined }) => `127.0.0.1:${port}`;
const down = `127.0.0.1:${freePort()}`;
const root = join(folder, 'my "www"');

mkdirSync(join(root, 'empty'), { recursive: true });
writeFileSync(join(root, 'index.html'), 'the start');
writeFileSync(join(root, 'page.txt'), 'a page');
writeFileSync(join(root, '.env'), 'SECRET');
const site = (id: string, values: Values) => textOf(id, values).join('\n');
const proxied = `reverse_proxy ${at(one)}`;
const page = '<style>a { b: "{env.SECRET}" }</style>\n<h1>Back soon</h1>';
const caddy = await forFile(
  startSitesCaddy({
    'proxy.test': site('proxy', { address: at(one) }),
    'small.test': site('proxy', { address: at(one), maxUpload: '1KB' }),
    'redirect.test': site('redirect', { to: 'https://new.example/' }),
    'moved.test': site('redirect', {
      to: 'https://new.example/x?y',
      keepPath: false,
      permanent: true,
    }),
    'https.test': site('https-upstream', { address: at(secure) }),
    'own.test': site('https-upstream', { address: at(secure), ownHost: true }),
    'strict.test': site('https-upstream', { address: at(secure), verify: true }),
    'paths.test': site('paths', {
      routes: [
        { path: '/a*', address: down },
        { path: '/api/*', address: at(two), strip: true },
        { path: '/raw/*', address: at(two) },
      ],
      address: at(one),
    }),
    'balance.test': site('balance', { addresses: [at(one), at(two)], choice: 'round_robin' }),
    'half.test': site('balance', { addresses: [down, at(two)], choice: 'first' }),
    'health.test': site('balance', {
      addresses: [at(one), at(two)],
      healthPath: '/health',
      healthInterval: 1,
    }),
    'static.test': site('static', { root }),
    'spa.test': site('static', { root, fallback: '/index.html', browse: true }),
    'error.test': site('error-page', { address: down, text: page }),
    'plain.test': site('error-page', { address: down, text: 'Back soon' }),
    'up.test': site('error-page', { address: at(one), text: page }),
    'headers.test': behind([['headers', {}]], proxied),
    'none.test': behind([['headers', { hsts: false, frame: 'allow', nosniff: false }]], proxied),
    'hsts.test': behind(
      [['headers', { frame: 'allow', nosniff: false, referrer: 'unchanged' }]],
      proxied,
    ),
    'all.test': behind(
      [['headers', { hstsPreload: true, frame: 'deny', permissions: 'camera=()', noindex: true }]],
      proxied,
    ),
  }),
);
afterAll(() => Promise.all([one, two, secure].map((server) => server.stop(true))));

const textAt = async (host: string, path = '/') => bodyOf(await caddy.get(host, path));
const header = (answer: string, name: string): string[] =>
  [...answer.matchAll(new RegExp(`^${name}: (.*)\r$`, 'gim'))].map(([, value = '']) => value);

describe('proxy', () => {
  test('tells the upstream who asks for what, whatever a visitor wants dropped', async () => {
    const names = ['X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto'];
    const lines = [...names.map((name) => `${name}: forged`), `Connection: ${names.join(', ')}`];
    for (const end of ['close', `close, ${names.join(', ')}`]) {
      await caddy.send(request('proxy.test', { lines }).replace('close', end));
      expect(names.map((name) => seen.at(-1)?.get(name))).toEqual([
        '127.0.0.1',
        'proxy.test',
        'http',
      ]);
    }
  });

  test('refuses what is too large', async () => {
    const large = (host: string) => request(host, { method: 'POST', body: 'x'.repeat(5_000) });
    // 2.6.2 blames the upstream.
    expect([413, 502]).toContain(statusOf(await caddy.send(large('small.test'))));
    expect(statusOf(await caddy.send(large('proxy.test')))).toBe(200);
  });

  test('forwards', async () => {
    expect(await textAt('proxy.test', '/a')).toBe('one /a proxy.test');
  });
});

test('redirect', async () => {
  const kept = await caddy.get('redirect.test', '//evil.example/a?b=c');
  expect([statusOf(kept), header(kept, 'location')]).toEqual([
    307,
    ['https://new.example//evil.example/a?b=c'],
  ]);
  const moved = await caddy.get('moved.test', '/a');
  expect([statusOf(moved), header(moved, 'location')]).toEqual([308, ['https://new.example/x?y']]);
});

describe('https-upstream', () => {
  test('refuses a certificate that is not valid, if asked to', async () => {
    expect(statusOf(await caddy.get('strict.test'))).toBe(502);
  });

  test('accepts a certificate of its own, and sends the host that is wanted', async () => {
    expect(await textAt('https.test')).toBe('secure / https.test');
    expect(await textAt('own.test')).toBe(`secure / ${at(secure)}`);
  });
});

test('paths', async () => {
  expect(await textAt('paths.test', '/b')).toBe('one /b paths.test');
  expect(await textAt('paths.test', '/api/x')).toBe('two /x paths.test');
  expect(await textAt('paths.test', '/raw/x')).toBe('two /raw/x paths.test');
  expect(statusOf(await caddy.get('paths.test', '/apple'))).toBe(502);
});

describe('balance', () => {
  test('spreads requests', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => textAt('balance.test')));
    expect(new Set(answers)).toEqual(new Set(['one / balance.test', 'two / balance.test']));
  });

  test('avoids what is down', async () => {
    expect(await textAt('half.test')).toBe('two / half.test');
  });

  test('asks whether they are up', async () => {
    expect(await until(() => textAt('health.test'))).toMatch(/^(?:one|two) \/ health\.test$/);
  });
});

describe('static', () => {
  test('shows no hidden files, nor anything outside', async () => {
    expect(statusOf(await caddy.get('static.test', '/.env'))).toBe(404);
    expect(statusOf(await caddy.get('spa.test', '/.env'))).toBe(404);
    expect(statusOf(await caddy.get('static.test', '/../pair.crt'))).toBe(404);
    expect(statusOf(await caddy.get('static.test', '/empty/'))).toBe(404);
    expect(await textAt('spa.test', '/')).not.toContain('SECRET');
  });

  test('shows files, and a page for unknown paths if wanted', async () => {
    expect(await textAt('static.test')).toBe('the start');
    expect(await textAt('static.test', '/page.txt')).toBe('a page');
    expect(statusOf(await caddy.get('static.test', '/unknown'))).toBe(404);
    expect(await textAt('spa.test', '/unknown')).toBe('the start');
  });
});

test('error-page', async () => {
  const answer = await caddy.get('error.test');
  expect([statusOf(answer), header(answer, 'content-type')]).toEqual([
    502,
    ['text/html; charset=utf-8'],
  ]);
  expect(bodyOf(answer)).toBe('<style>a { b: "{env.SECRET}" }</style>\n<h1>Back soon</h1>');
  expect(await textAt('plain.test')).toBe('Back soon');
  expect(await textAt('up.test')).toBe('one / up.test');
});

describe('headers', () => {
  test('are neither preloaded nor for subdomains unless wanted, and replace those of the upstream', async () => {
    const answer = await caddy.get('headers.test');
    expect(bodyOf(answer)).toBe('one / headers.test');
    expect(header(answer, 'strict-transport-security')).toEqual(['max-age=31536000']);
    expect(header(answer, 'x-frame-options')).toEqual(['SAMEORIGIN']);
    expect(header(answer, 'x-content-type-options')).toEqual(['nosniff']);
    expect(header(answer, 'referrer-policy')).toEqual(['strict-origin-when-cross-origin']);
    expect(header(answer, 'x-robots-tag')).toEqual([]);
  });

  test('are as asked', async () => {
    const none = await caddy.get('none.test');
    expect(header(none, 'strict-transport-security')).toEqual([]);
    expect(header(none, 'x-frame-options')).toEqual(['ALLOWALL']);
    const hsts = await caddy.get('hsts.test');
    expect(header(hsts, 'strict-transport-security')).toEqual(['max-age=31536000']);
    expect(header(hsts, 'x-content-type-options')).toEqual([]);
    expect(header(hsts, 'referrer-policy')).toEqual(['unsafe-url']);
    const all = await caddy.get('all.test');
    expect(header(all, 'strict-transport-security')).toEqual([
      'max-age=31536000; includeSubDomains; preload',
    ]);
    expect(header(all, 'x-frame-options')).toEqual(['DENY']);
    expect(header(all, 'permissions-policy')).toEqual(['camera=()']);
    expect(header(all, 'x-robots-tag')).toEqual(['noindex, nofollow']);
  });
});
