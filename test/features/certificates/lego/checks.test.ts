/** What cannot be ordered is refused by its field, before anybody is asked. */
import { expect, test } from 'bun:test';
import {
  type CertificateOrder,
  checkOrder,
  resolverOf,
} from '../../../../src/features/certificates/lego/order.ts';
import { readProvider } from '../../../../src/features/certificates/lego/providers.ts';
import type { Failure } from '../../../../src/shared/failure.ts';

const PROVIDER = readProvider(
  'desec',
  `Configuration for deSEC.io.

Credentials:
  - "DESEC_TOKEN":  Domain token
  - "DESEC_KEY_FILE":  A key

Additional Configuration:
  - "DESEC_POLLING_INTERVAL":  Time between DNS propagation check
`,
);
const DNS = { provider: 'desec', credentials: { DESEC_TOKEN: 'hush' } };
const ORDER: CertificateOrder = { names: ['home.example'], email: 'ada@home.example', dns: DNS };

const check = (order: CertificateOrder) =>
  checkOrder(order, async (id) => (id === 'desec' ? PROVIDER : null));
const fieldOf = (order: CertificateOrder) =>
  check(order).then(
    () => null,
    (failure: Failure) => [failure.code, failure.at.field],
  );

const many = (count: number) => Array.from({ length: count }, (_, at) => `n${at}.home.example`);
const label = 'a'.repeat(63);

test.each<[string[]]>([
  [[]],
  [many(101)],
  [['home.example', 'HOME.example']],
  [['nas']],
  [['10.0.0.1']],
  [['*.10.0.0.1']],
  [['::1']],
  [['*']],
  [['*.*.home.example']],
  [['a.*.home.example']],
  [['*home.example']],
  [['-d.home.example']],
  [['--domains']],
  [['a-.home.example']],
  [['a_b.home.example']],
  [['küche.home.example']],
  [['home.example.']],
  [['home..example']],
  [['home.example/x']],
  [['home.example\n']],
  [['$(id).home.example']],
  [['a;id;.home.example']],
  [['home.example,other.example']],
  [[' home.example']],
  [[`${label}a.example`]],
  [[`${label}.${label}.${label}.${label}.example`]],
])('names %j', async (names) => {
  expect(await fieldOf({ ...ORDER, names })).toEqual(['INVALID_REQUEST', 'names']);
});

test.each([
  '',
  'ada',
  '-a@home.example',
  '--email',
  '../x@home.example',
  'a/b@home.example',
  'a b@home.example',
  'ada@home',
  'ada@home.example\n',
  '.@home.example',
  `${'a'.repeat(65)}@home.example`,
])('email %j', async (email) => {
  expect(await fieldOf({ ...ORDER, email })).toEqual(['INVALID_REQUEST', 'email']);
});

test.each(['', 'exec', 'manual', '--csr', 'DESEC', 'desec ', '../desec', 'constructor'])(
  'provider %j',
  async (provider) => {
    const order = { ...ORDER, dns: { ...DNS, provider } };
    expect(await fieldOf(order)).toEqual(['INVALID_REQUEST', 'dns.provider']);
  },
);

test.each<[string, string]>([
  ['DESEC_TOKEN_FILE', '/data/secret-key'],
  ['DESEC_KEY_FILE', '/data/secret-key'],
  ['desec_token', 'x'],
  ['LEGO_CA_CERTIFICATES', '/tmp/mine.pem'],
  ['LEGO_PATH', '/tmp'],
  ['HOME', '/root'],
  ['PATH', '/tmp'],
  ['LD_PRELOAD', '/tmp/mine.so'],
  ['HTTPS_PROXY', 'http://10.0.0.66'],
  ['GODEBUG', 'x'],
  ['__proto__x', 'x'],
  ['', 'x'],
  ['DESEC_TOKEN', 'two\nlines'],
  ['DESEC_TOKEN', 'nul\0'],
  ['DESEC_TOKEN', 'x'.repeat(16_385)],
])('credential %s', async (name, value) => {
  const order = { ...ORDER, dns: { ...DNS, credentials: { [name]: value } } };
  expect(await fieldOf(order)).toEqual(['INVALID_REQUEST', `dns.credentials.${name}`]);
});

test('credentials that are only together too long', async () => {
  const credentials = { DESEC_TOKEN: 'x'.repeat(16_380), DESEC_POLLING_INTERVAL: '10000' };
  const order = { ...ORDER, dns: { ...DNS, credentials } };
  expect(await fieldOf(order)).toEqual(['INVALID_REQUEST', 'dns.credentials']);
});

test.each<[string[]]>([
  [['1.1.1.1', '8.8.8.8', '9.9.9.9', '1.0.0.1']],
  [['']],
  [['::1']],
  [['[::1']],
  [['[10.0.0.1]:53']],
  [['1.1.1.1:0']],
  [['1.1.1.1:65536']],
  [['1.1.1.1:']],
  [['1.1.1']],
  [['-x']],
  [['a,b']],
  [['a b']],
  [['https://dns.example']],
])('DNS servers %j', async (resolvers) => {
  expect(await fieldOf({ ...ORDER, dns: { ...DNS, resolvers } })).toEqual([
    'INVALID_REQUEST',
    'dns.resolvers',
  ]);
});

test.each([0, -1, 1.5, 121, Number.NaN])('a wait of %p', async (wait) => {
  const order = { ...ORDER, dns: { ...DNS, wait } };
  expect(await fieldOf(order)).toEqual(['INVALID_REQUEST', 'dns.wait']);
});

test('what is accepted is in lower case, with ports, and at any limit', async () => {
  const names = ['*.Home.Example', 'home.example', 'xn--kche-0ra.home.example', ...many(97)];
  const resolvers = ['1.1.1.1', 'DNS.home.example:5353', '[2606:4700::1111]'];
  const { order } = await check({ ...ORDER, names, dns: { ...DNS, resolvers, wait: 120 } });
  expect(order.names.slice(0, 3)).toEqual(['*.home.example', 'home.example', names[2] ?? '']);
  expect(order.dns.resolvers).toEqual([
    '1.1.1.1:53',
    'dns.home.example:5353',
    '[2606:4700::1111]:53',
  ]);
  expect(resolverOf('localhost:1')).toBe('localhost:1');
});

test('the older names of variables are accepted by a newer lego', async () => {
  const newer = readProvider('rfc2136', '  - "DNSUPDATE_NAMESERVER":  Network address\n');
  const credentials = { RFC2136_NAMESERVER: '10.0.0.1:53' };
  const order = { ...ORDER, dns: { provider: 'rfc2136', credentials } };
  expect((await checkOrder(order, async () => newer)).order.dns.credentials).toEqual(credentials);
});
