// proof: nginx
/** What a running Caddy answers with what is made of locations and nginx text. */
import { afterAll, expect, test } from 'bun:test';
import { bodyOf } from '../../../../../src/features/import-npm/npm/nginx/body.ts';
import { ask, startEcho } from '../../../../features/import-npm/nginx-beside.ts';
import { forFile } from '../../../../harness/for-file.ts';
import { startSitesCaddy } from '../../../../hub/recipes/sites-caddy.ts';

const HOST = 'nginx.test';
const ends: (() => unknown)[] = [];

const own = await startEcho(ends);
const service = await startEcho(ends);
const to = `http://127.0.0.1:${service}`;
const advanced = `
  location = /exact { return 200 "it's {host} $host\\n"; }
  location = /start { return 302 /web/index.html; }
  location ^~ /static/ { proxy_pass ${to}/files/; }
  location /closed { deny 127.0.0.3; allow 127.0.0.2; deny all; proxy_pass ${to}; }
  location /closed/ever/ { deny all; }
  location /rewritten { rewrite ^/rewritten/(.*)$ /$1 break; proxy_pass ${to}; }
  location /gone { return 444; }`;
const { lines, unsayable } = bodyOf({
  rest: { upstream: `127.0.0.1:${own}` },
  advanced,
  stripsAuthorization: false,
  locations: [],
  hasAccessList: false,
});
expect(unsayable).toEqual([]);
const caddy = await forFile(
  startSitesCaddy({ [HOST]: lines.join('\n').replaceAll('{upstream}', `127.0.0.1:${own}`) }),
);
afterAll(async () => {
  for (const end of ends) await end();
});

test.each([
  ['/closed/x', '127.0.0.3', 403],
  ['/closed/x', '127.0.0.4', 403],
  ['/CLOSED/x', '127.0.0.4', 403],
  ['//closed/x', '127.0.0.4', 403],
  ['/a/../closed/x', '127.0.0.4', 403],
  ['/%63losed/x', '127.0.0.4', 403],
  ['/closed/ever/x', '127.0.0.2', 403],
  ['/gone', '127.0.0.2', 0],
  ['/closed/ever/.', '127.0.0.2', 403],
  ['/closed/ever/x/..', '127.0.0.2', 403],
])('%s from %s gets %i', async (path, from, status) => {
  expect(await ask(caddy.port, HOST, path, from)).toMatchObject({ status, got: null });
});

test.each([
  ['/start', 302, 'http://nginx.test/web/index.html'],
  ['/static?x', 301, 'http://nginx.test/static/?x'],
])('%s is redirected', async (path, status, location) => {
  expect(await ask(caddy.port, HOST, path, '127.0.0.2')).toMatchObject({ status, location });
});

test.each([
  ['/closed/x', '/closed/x'],
  ['/static/a.png?x=1', '/files/a.png?x=1'],
  ['/static/a%2Fb%3Fc', '/files/a%2Fb%3Fc'],
  ['/rewritten/a?b', '/a?b'],
  ['/rewritten/a%20b%2Fc', '/a%20b%2Fc'],
  ['/rewrittenx', '/rewrittenx'],
  ['/static/a%3Fb%2F..?c', '/files/a%3Fb%2F../?c'],
])('%s reaches a service as %s', async (path, url) => {
  const { got } = await ask(caddy.port, HOST, path, '127.0.0.2');
  expect(got).toMatchObject({ port: service, url, host: `127.0.0.1:${service}` });
});

test('everything else reaches the service of the host', async () => {
  const { got } = await ask(caddy.port, HOST, '/exactly?a', '127.0.0.2');
  expect(got).toMatchObject({ url: '/exactly?a', host: HOST });
  expect(got).not.toMatchObject({ port: service });
});

test('a text shows what it says, and no placeholder of Caddy', async () => {
  expect(await caddy.get(HOST, '/exact')).toEndWith("it's {host} nginx.test\n");
});
