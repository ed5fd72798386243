import { expect, test } from 'bun:test';
import { isForeign } from '../../../../agent/caddy/config/foreign.ts';

const server = (listen: string, handle: object[]) =>
  JSON.stringify({
    apps: { http: { servers: { srv0: { listen: [listen], routes: [{ handle }] } } } },
  });
const debian = [
  { handler: 'vars', root: '/usr/share/caddy' },
  { handler: 'file_server', hide: ['/etc/caddy/Caddyfile'] },
];

test('no configuration, no sites and Debian’s default page are not foreign', () => {
  expect(isForeign('null\n')).toBe(false);
  expect(isForeign('{"admin":{"listen":"unix//x"}}')).toBe(false);
  expect(isForeign(server(':80', debian))).toBe(false);
});

test('anything else that is served is foreign', () => {
  expect(isForeign(server(':81', debian))).toBe(true);
  expect(isForeign(server(':80', [{ handler: 'reverse_proxy' }]))).toBe(true);
  expect(isForeign(server(':80', [...debian, { handler: 'reverse_proxy' }]))).toBe(true);
});
