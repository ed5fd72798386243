/** Who listens, as the kernel's tables say. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  countReachable,
  holdersOf,
  isSoleHolder,
  listeningInodes,
  portsOf,
} from '../../../../agent/caddy/ports/sockets.ts';
import { freePort } from '../../../harness/stack.ts';

/** More than the agent reads at once, with connections between them in the table. */
const LISTENERS = 40;
const socket = { data() {} };
const listeners: Bun.TCPSocketListener[] = [];
const connections: Bun.Socket[] = [];

beforeAll(async () => {
  for (let count = 0; count < LISTENERS; count++) {
    const hostname = count % 2 === 0 ? '127.0.0.1' : '::1';
    // No other program has one of these on another address, as it may have one that Linux gives out.
    const listener = Bun.listen({ hostname, port: freePort(), socket });
    listeners.push(listener);
    connections.push(await Bun.connect({ hostname, port: listener.port, socket }));
  }
});
afterAll(() => {
  for (const connection of connections) connection.end();
  for (const listener of listeners) listener.stop(true);
});

test('a port that nobody listens on has none, even if a connection has it', () => {
  // Another program may listen on that of one of them, on another address.
  const found = connections.map(({ localPort }) => listeningInodes(localPort).length);
  expect(found).toContain(0);
  expect(listeningInodes(freePort())).toEqual([]);
  expect(isSoleHolder(process.pid, freePort())).toBe(false);
});

test('every listener is found, on both versions of IP, and whose it is', () => {
  const ports = portsOf(process.pid, 'tcp');
  for (const { port } of listeners) {
    expect([port, listeningInodes(port).length]).toEqual([port, 1]);
    expect(ports).toContain(port);
    expect(isSoleHolder(process.pid, port)).toBe(true);
  }
  expect(holdersOf(listeners.at(-1)?.port ?? 0, 'tcp').map(({ pid }) => pid)).toEqual([
    process.pid,
  ]);
});

test('a listener of UDP is found beside those of TCP', async () => {
  const udp = await Bun.udpSocket({ hostname: '127.0.0.1', port: 0 });
  expect(listeningInodes(udp.port, 'udp').length).toBe(1);
  expect(listeningInodes(udp.port)).toEqual([]);
  udp.close();
});

/** Listens on these addresses of one port. */
function listening(...hosts: string[]): number {
  const port = freePort();
  for (const hostname of hosts)
    listeners.push(Bun.listen({ hostname, port, socket: { data() {} } }));
  return port;
}

describe('a connection may reach', () => {
  test.each<[string, string[], string, number]>([
    ['none on a port that is free', [], '127.0.0.1', 0],
    ['not one of another address', ['127.0.0.2', '::1'], '127.0.0.1', 0],
    ['not one of IPv4, over IPv6', ['127.0.0.1'], '::1', 0],
    ['that of its own address', ['127.0.0.1', '127.0.0.2'], '127.0.0.2', 1],
    ['that of its own address of IPv6', ['::1', '127.0.0.1'], '::1', 1],
    ['that of every address', ['0.0.0.0'], '127.0.0.1', 1],
    ['that of every address of either family, over IPv4', ['::'], '127.0.0.1', 1],
    ['that of every address, over IPv6', ['::'], 'fe80::1%eth0', 1],
  ])('%s', (_, hosts, host, count) => {
    expect(countReachable(host, listening(...hosts))).toBe(count);
  });
});
