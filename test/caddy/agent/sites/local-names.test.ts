import { describe, expect, test } from 'bun:test';
import { resolveAuthorities } from '../../../../agent/sites/authorities.ts';
import { authorityOf, liveSites, usesDns } from '../../../../agent/sites/live-sites.ts';
import type { Json } from '../../../../src/shared/json.ts';
import { startAdaptCaddy } from '../../../harness/adapt-caddy.ts';
import { caddyIs } from '../../../harness/caddys.ts';
import { forFile } from '../../../harness/for-file.ts';

const caddy = await forFile(startAdaptCaddy());
const asked: string[] = [];
async function adapt(text: string) {
  asked.push(text);
  const adapted = await caddy.adapt(text);
  if (!adapted.ok) return { status: adapted.status, text: '', error: adapted.error };
  const result = JSON.parse(adapted.text) as Json;
  return { status: 200, text: JSON.stringify({ result }), error: null };
}

/** The authority of each name of a Caddyfile. */
async function authorities(text: string, ask = adapt): Promise<Record<string, string>> {
  const adapted = await caddy.adapt(text);
  if (!adapted.ok) throw new Error(adapted.error);
  const sites = await resolveAuthorities(liveSites(JSON.parse(adapted.text) as Json), ask);
  return Object.fromEntries(sites.map(({ name, tls }) => [name, tls?.authority ?? 'plain']));
}

const sitesOf = (...names: string[]) =>
  names.map((name) => `${name} {\n\trespond hi\n}\n`).join('');

describe('not Caddy’s own authority', () => {
  test('for public names, which need not be asked about', async () => {
    asked.length = 0;
    const found = await authorities(sitesOf('app.example.org', '*.example.org', 'fritz.box'));
    expect(found).toEqual({
      'app.example.org': 'public',
      '*.example.org': 'public',
      'fritz.box': 'public',
    });
    expect(asked).toEqual([]);
  });

  test('for a name whose site names another one', async () => {
    const text = 'nas.local {\n\ttls {\n\t\tca https://acme.nas.local/directory\n\t}\n}\n';
    expect(await authorities(text)).toEqual({ 'nas.local': 'other' });
  });

  test('where Caddy cannot be asked', async () => {
    const found = await authorities(sitesOf('nas.local'), async () => {
      throw new Error('no answer');
    });
    expect(found).toEqual({ 'nas.local': 'other' });
  });
});

test.each<[string, Json]>([
  ['other', { issuers: [{ module: 'acme', ca: 'https://ca.example.org/acme/directory' }] }],
  ['other', { issuers: [{ module: 'acme', ca: 'https://evilletsencrypt.org/directory' }] }],
  ['other', { issuers: [{ module: 'internal' }, { module: 'acme' }] }],
  ['other', { get_certificate: [{ via: 'tailscale' }] }],
  ['default', null],
  ['default', { subjects: ['a'] }],
  ['internal', { issuers: [{ module: 'internal' }] }],
  ['public', { issuers: [{ module: 'acme', email: 'a@example.org' }, { module: 'zerossl' }] }],
  [
    'public',
    { issuers: [{ module: 'acme', ca: 'https://acme-v02.api.letsencrypt.org/directory' }] },
  ],
])('the authority is %s by the policy %j', (authority, policy) => {
  expect<string>(authorityOf(policy)).toBe(authority);
});

test('the DNS is used if an issuer has that challenge', () => {
  expect(usesDns({ issuers: [{ module: 'acme', challenges: { http: {} } }] })).toBe(false);
  const dns = { provider: { name: 'cloudflare' } };
  expect(usesDns({ issuers: [{ module: 'acme', challenges: { dns } }] })).toBe(true);
});

test('the names that Caddy signs by itself depend on its version', async () => {
  const names = ['nas', 'nas.lan', 'nas.internal', 'nas.home.arpa', '*.my.internal'];
  const always = ['localhost', 'a.localhost', 'nas.local', '192.168.1.5', '[fd00::1]'];
  const found = await authorities(sitesOf(...names, ...always));
  const newer = caddyIs('>=2.11.0') ? 'internal' : 'public';
  expect(found).toEqual({
    nas: 'public',
    'nas.lan': 'public',
    'nas.internal': newer,
    'nas.home.arpa': newer,
    '*.my.internal': newer,
    localhost: 'internal',
    'a.localhost': 'internal',
    'nas.local': 'internal',
    '192.168.1.5': 'internal',
    'fd00::1': 'internal',
  });
});

test('the options of the preamble and of a site decide first', async () => {
  const local = `{\n\tlocal_certs\n}\n${sitesOf('app.example.org', 'nas.lan')}`;
  expect(await authorities(local)).toEqual({
    'app.example.org': 'internal',
    'nas.lan': 'internal',
  });
  const own = 'nas.lan {\n\ttls internal\n}\nhttp://plain.lan {\n\trespond hi\n}\n';
  expect(await authorities(own)).toEqual({ 'nas.lan': 'internal', 'plain.lan': 'plain' });
});
