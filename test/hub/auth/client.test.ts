import { expect, test } from 'bun:test';
import { lastHop, networkOf } from '../../../src/hub/auth/client.ts';

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
])('%s counts as %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

test.each([
  [null, null],
  ['', null],
  ['unknown', null],
  ['1.2.3.4, <script>', null],
  ['203.0.113.9, 198.51.100.7', '198.51.100.7'],
  ['198.51.100.7:4711', '198.51.100.7'],
  ['[2001:db8::1]:4711', '2001:db8::1'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
])('the last hop of %p is %p', (header, address) => {
  expect(lastHop(header)).toBe(address);
});
