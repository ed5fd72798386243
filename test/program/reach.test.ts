/** How the dashboard is reached from the operator's desk. */
import { expect, test } from 'bun:test';
import type { NetworkInterfaceInfo } from 'node:os';
import { lanAddress, networkAddresses } from '../../src/program/addresses.ts';
import { reachOf } from '../../src/program/serve/reach.ts';

const info = (address: string, internal = false) =>
  ({ address, internal, family: address.includes(':') ? 'IPv6' : 'IPv4' }) as NetworkInterfaceInfo;

test('addresses that no other machine can use are left out', () => {
  expect(
    networkAddresses({
      lo: [info('127.0.0.1', true), info('::1', true)],
      docker0: [info('172.17.0.1')],
      'br-1234': [info('172.18.0.1')],
      veth1: [info('172.19.0.1')],
      eth1: [info('169.254.7.7'), info('fe80::1')],
    }),
  ).toEqual([]);
  expect(networkAddresses({})).toEqual([]);
});

test('private addresses come first, and IPv6 only if there is no other', () => {
  const eth0 = [info('203.0.113.7'), info('2001:db8::7')];
  expect(networkAddresses({ eth0, eth1: [info('192.168.7.5')] })).toEqual([
    '192.168.7.5',
    '203.0.113.7',
  ]);
  expect(networkAddresses({ eth0: [info('2001:db8::7')] })).toEqual(['2001:db8::7']);
});

test.each(['203.0.113.7', '172.32.0.1', '100.128.0.1', '2001:db8::1'])(
  'the dashboard is not offered to the internet on %s',
  (address) => {
    expect(lanAddress([address])).toBeNull();
    expect(reachOf('http://127.0.0.1:3000', [address]).lines.join()).not.toContain('HUB_HOST');
  },
);

test.each(['10.1.2.3', '172.16.0.1', '192.168.7.5', '100.64.0.1', 'fd00::1'])(
  '%s is of a network at home',
  (address) => expect(lanAddress(['203.0.113.7', address])).toBe(address),
);

test('a hub on loopback is reached through ssh, or with another HUB_HOST', () => {
  const { here, desk, lines } = reachOf('http://127.0.0.1:3003', ['192.168.7.5']);
  expect([here, desk]).toEqual(['http://127.0.0.1:3003', 'http://127.0.0.1:3003']);
  expect(lines).toContain('  ssh -L 3003:127.0.0.1:3003 user@192.168.7.5');
  expect(lines).toContain('  HUB_HOST=192.168.7.5');
  const six = reachOf('http://[::1]:3003', []);
  expect(six.lines).toContain('  ssh -L 3003:[::1]:3003 user@host');
});

test.each([
  ['http://0.0.0.0:3000', 'http://127.0.0.1:3000'],
  ['http://[::]:3000', 'http://[::1]:3000'],
])('a hub on all addresses, %s, is reached on real ones', (url, here) => {
  expect(reachOf(url, [])).toEqual({ here, desk: here, lines: [] });
  expect(reachOf(url, ['192.168.7.5', '203.0.113.7'])).toEqual({
    here,
    desk: 'http://192.168.7.5:3000',
    lines: ['From other machines: http://192.168.7.5:3000, http://203.0.113.7:3000'],
  });
});

test('a hub in a container is reached by its engine, not by the addresses in there', () => {
  const { here, desk, lines } = reachOf('http://0.0.0.0:3000', ['10.89.0.2'], true);
  expect([here, desk]).toEqual(['http://localhost:3000', 'http://localhost:3000']);
  expect(lines).toEqual([expect.stringContaining('the one that runs this container')]);
});

test('a hub on one address of the network needs no more words', () => {
  const url = 'http://192.168.7.5:3000';
  expect(reachOf(url, ['192.168.7.5'])).toEqual({ here: url, desk: url, lines: [] });
});
