/** Who listens, as the kernel's tables say. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
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
    const listener = Bun.listen({ hostname, port: 0, socket });
    listeners.push(listener);
    connections.push(await Bun.connect({ hostname, port: listener.port, socket }));
  }
});
afterAll(() => {
  for (const connection of connections) connection.end();
  for (const listener of listeners) listener.stop(true);
});

test('a port that nobody listens on has none, even if a connection has it', () => {
  const [connection] = connections;
  expect(listeningInodes(connection?.localPort ?? 0)).toEqual([]);
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
