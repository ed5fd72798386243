/** Which values a recipe accepts, and what becomes of the secrets in them. */
import { describe, expect, test } from 'bun:test';
import type { Values } from '../../../src/hub/recipes/recipe.ts';
import { RECIPES, recipeOf } from '../../../src/hub/recipes/registry.ts';
import { hashSecrets, keepSecrets, withoutSecrets } from '../../../src/hub/recipes/secrets.ts';
import { checkValues } from '../../../src/hub/recipes/values.ts';
import { Failure } from '../../../src/shared/failure.ts';
import { words } from '../../harness/words.ts';

const HASH = '$2b$10$3dhAvBeEwNwOVDHSFVj8/Ow1WvMDJUwaIGGktAnAwB8/RIqyE/UKy';

function failureOf(act: () => unknown): Failure {
  try {
    act();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

function check(id: string, values: unknown): Values {
  const recipe = recipeOf(id);
  if (!recipe) throw new Error(`there is no recipe ${id}`);
  return checkValues(recipe, values);
}

const auth = { address: 'localhost:9091', uri: '/verify', copyHeaders: [] };

describe('refused, with the field', () => {
  test.each<[string, unknown, string]>([
    ['allow', null, 'values'],
    ['allow', [], 'values'],
    ['allow', {}, 'networks'],
    ['allow', { networks: [] }, 'networks'],
    ['allow', { networks: ['private_ranges'], more: 1 }, 'more'],
    ['allow', { networks: ['private_ranges'], status: 200 }, 'status'],
    ['allow', { networks: ['private_ranges'], status: '403' }, 'status'],
    ...[
      '',
      ' ',
      '10.0.0.0/33',
      '10.0.0.0/08',
      '10.0.0.0/8/8',
      '10.0.0',
      '1.2.3.4 5.6.7.8',
      '*',
      'fe80::1%eth0',
      '::1/129',
      // Of all IPv6 and the IPv4 addresses in it, Caddy would only take the first.
      '::ffff:10.0.0.1/95',
      '::ffff:0:0/64',
      'forwarded',
      '{env.HOME}',
      '010.0.0.1',
      '@a',
    ].map((one): [string, unknown, string] => ['block', { networks: ['::1', one] }, 'networks.1']),
    ['basic-auth', { users: [] }, 'users'],
    ['basic-auth', { users: [{ password: 'x' }] }, 'users.0.name'],
    ['basic-auth', { users: [{ name: 'ada', admin: true }] }, 'users.0.admin'],
    ['basic-auth', { users: [{ name: 'ada' }, { name: 'bob' }, { name: 'ada' }] }, 'users.2.name'],
    ...['', 'a:b', 'import', '{env.HOME}', '}', 'a\nb', 'a\0'].map(
      (name): [string, unknown, string] => ['basic-auth', { users: [{ name }] }, 'users.0.name'],
    ),
    ...['', 'x'.repeat(73), 'ä'.repeat(37), 'a\0b'].map((password): [string, unknown, string] => [
      'basic-auth',
      { users: [{ name: 'ada', password }] },
      'users.0.password',
    ]),
    ...['', 'x', HASH.slice(0, -1), `${HASH} x`, HASH.replace('$10$', '$31$'), `${HASH}\n`].map(
      (hash): [string, unknown, string] => [
        'basic-auth',
        { users: [{ name: 'ada', hash }] },
        'users.0.hash',
      ],
    ),
    ...[
      'api',
      '',
      '/*',
      '*',
      '/a*b',
      '/a b',
      '/a"',
      '/a`',
      '/{path}',
      '/a\\',
      '/a?b',
      '/%2e',
      '/a\n',
    ].map((path): [string, unknown, string] => [
      'basic-auth',
      { users: [{ name: 'ada' }], exemptPaths: ['/ok', path] },
      'exemptPaths.1',
    ]),
    ...[
      '',
      'localhost',
      'localhost:0',
      'localhost:65536',
      'ftp://a:1',
      'http://a/b',
      'a:1 b:2',
      '{env.HOME}:1',
      'unix//run/a.sock',
      'a:1 {',
      ...words('*:1 http:// a_:1 -a:1 httpd [::1:]:80 [::1]'),
    ].map((address): [string, unknown, string] => ['authelia', { address }, 'address']),
    ...['verify', '/a b', '/{uri}', '/a"', '/a\n'].map((uri): [string, unknown, string] => [
      'forward-auth',
      { ...auth, uri },
      'uri',
    ]),
    ...['Remote_User', 'a b', 'a>b', '', 'Host', 'cookie', 'a-', 'a:', '*'].map(
      (name): [string, unknown, string] => [
        'forward-auth',
        { ...auth, copyHeaders: [name] },
        'copyHeaders.0',
      ],
    ),
    ['forward-auth', { address: 'a:1', uri: '/' }, 'copyHeaders'],
    ['maintenance', { text: 'a\nb' }, 'text'],
    ['maintenance', { text: '{$HOME}' }, 'text'],
    ['maintenance', { retryAfter: 0.5 }, 'retryAfter'],
    ['headers', { frame: 'some' }, 'frame'],
    ['headers', { permissions: '{env.HOME}' }, 'permissions'],
    ['robots', { names: ['a`b`c'] }, 'names.0'],
    ['redirect', { to: 'javascript:alert(1)' }, 'to'],
    ['redirect', { to: 'https://a.example/{uri}' }, 'to'],
    ['static', { root: 'srv' }, 'root'],
    ['balance', { addresses: ['a:1'] }, 'addresses'],
    ['https-upstream', { address: 'https://a:1' }, 'address'],
    ['https-upstream', { address: 'a:99999' }, 'address'],
    ['proxy', { maxUpload: '1 MB' }, 'maxUpload'],
    ['paths', { routes: [{ path: '/api/*', address: 'a' }] }, 'routes.0.address'],
    ['authelia', { address: 'a:1', exemptPaths: ['/a[bc]'] }, 'exemptPaths.0'],
  ])('%s %j: %s', (id, values, field) => {
    const failure = failureOf(() => check(id, values));
    expect([failure.code, failure.at.field]).toEqual(['INVALID_REQUEST', field]);
  });

  test('without repeating a password', () => {
    const users = [{ name: 'ada', password: `${'secret'.repeat(12)}-` }];
    expect(failureOf(() => check('basic-auth', { users })).message).not.toContain('secret');
  });
});

describe('accepted', () => {
  test.each<[string, unknown]>([
    ...RECIPES.map(({ id, example }): [string, unknown] => [id, example]),
    ['allow', { networks: ['private_ranges', '10.1.2.3/8', '::/0', '2001:db8::1', '0.0.0.0/0'] }],
    ['basic-auth', { users: [{ name: 'Ada "L" Ö', password: 'ä'.repeat(36) }] }],
    ['authelia', { address: 'https://[::1]:9091' }],
    ['authelia', { address: 'http://auth', uri: '/api/verify?rd=https://auth.example.org/' }],
  ])('%s %j', (id, values) => {
    expect(check(id, values)).toEqual(values as Values);
  });
});

test('every field of every recipe has a title and a description', () => {
  for (const { id, fields } of RECIPES) {
    for (const [name, field] of Object.entries<{ title?: string; description?: string }>(
      fields.properties,
    )) {
      expect([id, name, field.title, field.description]).not.toContain(undefined);
    }
    expect([id, fields.additionalProperties]).toEqual([id, false]);
  }
});

describe('secrets', () => {
  const users = [{ name: 'ada', password: 'correct horse' }];
  const stored = { users: [{ name: 'ada', hash: HASH }], exemptPaths: ['/feed'] };

  test('a user is not left without a password', () => {
    const values = { users: [{ name: 'ada' }, { name: 'bob' }] };
    for (const before of [null, stored, { users: [{ name: 'eve', hash: HASH }] }]) {
      const failure = failureOf(() => keepSecrets('basic-auth', values, before));
      expect(failure.code).toBe('INVALID_REQUEST');
      expect(failure.at.field).toBe(before === stored ? 'users.1.password' : 'users.0.password');
    }
  });

  test('a password becomes a hash that Caddy reads, and is not kept', async () => {
    const values = await hashSecrets('basic-auth', { users, exemptPaths: ['/feed'] });
    expect(JSON.stringify(values)).not.toContain('correct horse');
    const [ada] = values.users as { name: string; hash: string }[];
    expect(await Bun.password.verify('correct horse', ada?.hash ?? '')).toBe(true);
    expect(check('basic-auth', values)).toEqual(values);
    expect(values.exemptPaths).toEqual(['/feed']);
  });

  test('a hash stays as it is, and so do values without secrets', async () => {
    expect(await hashSecrets('basic-auth', stored)).toEqual(stored);
    expect(await hashSecrets('allow', { networks: ['::1'] })).toEqual({ networks: ['::1'] });
    expect(keepSecrets('allow', { networks: ['::1'] }, null)).toEqual({ networks: ['::1'] });
  });

  test('the stored hash stays for a user of the same name, a new one replaces it', () => {
    expect(keepSecrets('basic-auth', { users: [{ name: 'ada' }] }, stored)).toEqual({
      users: [{ name: 'ada', hash: HASH }],
    });
    const fresh = { users: [{ name: 'ada', hash: HASH.replace('3dh', 'xyz') }] };
    expect(keepSecrets('basic-auth', fresh, stored)).toEqual(fresh);
  });

  test('nothing of them is shown', () => {
    const shown = { users: [{ name: 'ada' }], exemptPaths: ['/feed'] };
    expect(withoutSecrets('basic-auth', stored)).toEqual(shown);
    expect(withoutSecrets('basic-auth', { ...stored, users })).toEqual(shown);
    expect(withoutSecrets('of a later version', stored)).toEqual({});
    expect(withoutSecrets('allow', { networks: ['::1'] })).toEqual({ networks: ['::1'] });
  });
});
