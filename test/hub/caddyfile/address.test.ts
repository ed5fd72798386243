/** Domains, address keys and upstreams. */
import { expect, test } from 'bun:test';
import { addressKey, isUpstream, normalizeDomain } from '../../../src/hub/caddyfile/address.ts';
import { words } from '../../harness/words.ts';

const long = (length: number) => 'a'.repeat(length);

test.each([
  '',
  ' a.example',
  'a.example ',
  'a b',
  'a.example,b.example',
  'a.example\nb.example',
  'a.example{',
  '"a.example"',
  '`a`',
  'a\\b',
  'a#b',
  'a\u0000b',
  'a\u00a0b.ü',
  'ü{.example',
  '{$SITE}',
  ...words(`
    {env.SITE} a..example .a.example .. . -a.example a-.example * *. *.*.example a.*.example
    a*.example *.1.2.3.4 http:// https:// :8080 ftp://a.example http://http://a.example
    a.example/ a.example/path a.example?x user@a.example ü%2f.example a.example: a.example:0
    a.example:65536 a.example:http a.example:80-90 a.example:+80 http://a.example:443
    https://a.example:80 1.2.3 1.2.3.256 1.2.3.4.5 01.2.3.4 a.0x1 [::1 [] [1.2.3.4] [::1%eth0]
    ::1:: 1::2::3 unix//run/x.sock
  `),
  `${long(64)}.example`,
  `${`${long(61)}.`.repeat(4)}${long(6)}`,
])('%j is not a domain', (input) => {
  expect(normalizeDomain(input)).toBeNull();
});

test.each([
  ['A.Example', 'a.example'],
  ['a.example.', 'a.example'],
  ['localhost', 'localhost'],
  ['LOCALHOST:8080', 'localhost:8080'],
  ['_acme.a_b.example', '_acme.a_b.example'],
  ['*.Example.com', '*.example.com'],
  ['*.Bücher.example', '*.xn--bcher-kva.example'],
  ['bücher.example.', 'xn--bcher-kva.example'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['HTTP://a.example', 'http://a.example'],
  ['http://a.example:80', 'http://a.example'],
  ['https://a.example:443', 'https://a.example'],
  ['a.example:443', 'a.example'],
  ['a.example:80', 'a.example:80'],
  ['a.example:08443', 'a.example:8443'],
  ['http://a.example:8443', 'http://a.example:8443'],
  ['192.168.0.1', '192.168.0.1'],
  ['[::1]', '[::1]'],
  ['::1', '[::1]'],
  ['http://[2001:DB8:0:0::1]:8080', 'http://[2001:db8::1]:8080'],
  [`${long(63)}.example`, `${long(63)}.example`],
])('%j becomes %j', (input, expected) => {
  expect(normalizeDomain(input)).toBe(expected);
  expect(normalizeDomain(expected)).toBe(expected);
});

test.each([
  [
    [
      'a.example',
      'A.EXAMPLE',
      'a.example.',
      'https://a.example',
      'a.example:443',
      'a.example:0443',
    ],
  ],
  [['http://a.example', 'a.example:80', 'HTTP://A.example.:80', 'http://a.example:080']],
  [['a.example:8443', 'https://a.example:8443']],
  [['http://a.example:8443', 'http://A.example:8443']],
  [['bücher.example', 'BÜCHER.example', 'xn--bcher-kva.example']],
  [['*.bücher.example', '*.xn--bcher-kva.example']],
  [['[::1]', '::1', '[0:0::1]', 'https://[::1]:443']],
  [['a.example/Path', 'https://A.example/path']],
  [[':443', 'https://']],
  [[':80', 'http://', 'http://:80']],
  [[':8080', 'https://:8080']],
  [['*']],
  [['a.example/']],
  [['{$SITE:A.example}', 'https://{$SITE:A.example}']],
  [['{$SITE:a.example}']],
  [['{$SITE}']],
  [['{$site}']],
  [['{$SITE}.Example', '{$SITE}.example.']],
  [['a..b']],
  [['']],
] as [string[]][])('%j have the same key', (addresses) => {
  expect([...new Set(addresses.map((address) => addressKey(address)))]).toHaveLength(1);
  keys.push(addressKey(addresses[0] ?? ''));
});
const keys: string[] = [];

test('addresses that differ have different keys', () => {
  expect(new Set(keys.filter((key) => key !== ':443')).size).toBe(keys.length - 2);
});

test.each([
  '',
  ...words('a http:// http://:80 :80 a: a:0 a:65536'),
  'a:80 b:80',
  'a:80\n}',
  ...words(`
    http://a/ http://a?b http://u@a ftp://a http://*.a http://{host} http://a"b http://ü ::1
    http://::1 [::1] import unix//run/x.sock
  `),
])('%j is not an upstream', (text) => {
  expect(isUpstream(text)).toBe(false);
});

test.each(
  words(`
  http://a https://a.example. h2c://a_b:8080 localhost:9000 10.0.0.1:80 [::1]:80 http://[::1]
  HTTPS://A.example:8443
`),
)('%j is an upstream', (text) => {
  expect(isUpstream(text)).toBe(true);
});

test('an address without a port has the one that the global options set', () => {
  const ports = { http: 8080, https: 8443 };
  const key = (address: string) => addressKey(address, ports);
  expect(key('http://a.example:8080')).toBe(key('http://a.example'));
  expect(key('a.example:8080')).toBe(key('http://a.example'));
  expect(key('https://a.example:8443')).toBe(key('a.example'));
  expect(key('a.example:443')).not.toBe(key('a.example'));
  expect(key('http://a.example:80')).not.toBe(key('http://a.example'));
});
