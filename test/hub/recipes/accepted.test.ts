/** Every recipe is valid for Caddy, with its example and with every field. */
import { afterAll, describe, expect, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Values } from '../../../src/hub/recipes/recipe.ts';
import { RECIPES } from '../../../src/hub/recipes/registry.ts';
import { temporaryFolder } from '../../harness/stack.ts';
import { behind, caddyfileOf, textOf } from './sites-caddy.ts';

const HASH = '$2b$10$3dhAvBeEwNwOVDHSFVj8/Ow1WvMDJUwaIGGktAnAwB8/RIqyE/UKy';
const exempt = {
  exemptNetworks: ['private_ranges', '203.0.113.7'],
  exemptPaths: ['/feed', '/api/*', '/ä/*', '/'],
};
const networks = ['private_ranges', '203.0.113.7', '2001:db8::/32', '10.1.2.3/8'];

/** Every field of each. */
const FULL: Record<string, Values> = {
  'basic-auth': {
    users: [
      { name: 'Ada "L" \\', hash: HASH },
      { name: '#', hash: HASH },
    ],
    ...exempt,
  },
  allow: { networks, status: 404 },
  block: { networks, status: 410 },
  authelia: {
    address: 'https://auth.example',
    uri: '/api/verify?rd=https://a.example/',
    ...exempt,
  },
  authentik: { address: 'http://[::1]:9000', ...exempt },
  'forward-auth': {
    address: 'auth:80',
    uri: '/check',
    copyHeaders: ['X-Forwarded-User', 'x-auth-request-preferred-username', 'Remote-User'],
    ...exempt,
  },
  headers: {
    ...{ hsts: true, hstsSubdomains: true, hstsPreload: true, frame: 'deny', nosniff: true },
    ...{ referrer: 'no-referrer', contentSecurityPolicy: "default-src 'self'; img-src *" },
    ...{ permissions: 'camera=(), fullscreen=("https://a.example")', noindex: true },
  },
  maintenance: { text: '<p>@ {x} `', retryAfter: 60, exemptNetworks: networks },
  robots: { names: ['GPTBot/1.0 (+x)', 'a.b_c-d'], status: 404 },
  proxy: { address: 'http://a.example', compress: false, maxUpload: '2GB' },
  redirect: { to: 'https://a.example:8443/b/?c=d', keepPath: false, permanent: true },
  'https-upstream': { address: '[::1]:8006', verify: true, ownHost: true },
  paths: {
    routes: [
      { path: '/api/*', address: 'a:1', strip: true },
      { path: '/b', address: 'https://b', strip: false },
    ],
    address: 'c:1',
  },
  balance: {
    ...{ addresses: ['a:1', 'b:1'], choice: 'cookie' },
    ...{ healthPath: '/health?full=1', healthInterval: 5 },
  },
  static: { root: '/srv/my "www"', fallback: '/index.html', browse: true, compress: false },
  'error-page': { address: 'a:1', text: '<style>a { b: c }</style>\n<h1>Back soon</h1>' },
};

const folder = temporaryFolder();
afterAll(() => rmSync(folder, { recursive: true }));

function validate(body: string): string {
  const file = join(folder, 'Caddyfile');
  writeFileSync(file, caddyfileOf(80, { 'a.test': body }));
  const { stderr } = Bun.spawnSync(
    ['caddy', 'validate', '--config', file, '--adapter', 'caddyfile'],
    { env: { PATH: process.env.PATH ?? '', HOME: folder } },
  );
  return /^Error: .*/m.exec(stderr.toString())?.[0] ?? '';
}

test('what is wrong is found', () => {
  expect(validate('respond')).not.toBe('');
  expect(validate('respnd a')).not.toBe('');
});

test('every field is tried', () => {
  for (const { id, fields } of RECIPES) {
    expect([id, ...Object.keys(fields.properties)].toSorted()).toEqual(
      [id, ...Object.keys(FULL[id] ?? {})].toSorted(),
    );
  }
});

describe.each(RECIPES)('$id', ({ id, kind, example }) => {
  test.each([
    ['its example', example],
    ['every field', FULL[id] ?? {}],
  ])('with %s', (_, values) => {
    const body =
      kind === 'policy'
        ? behind([[id, values]])
        : textOf(id, values).join('\n').replaceAll('{upstream}', 'a:1');
    expect(validate(body)).toBe('');
  });
});
