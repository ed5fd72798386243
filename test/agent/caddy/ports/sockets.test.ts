/** Which listeners a connection may reach, as the kernel's own tables show them. */
import { afterAll, expect, test } from 'bun:test';
import { countReachable } from '../../../../agent/caddy/ports/sockets.ts';
import { freePort } from '../../../harness/stack.ts';

const open: { stop(now: boolean): void }[] = [];
afterAll(() => {
  for (const listener of open) listener.stop(true);
});

/** Listens on these addresses of one port. */
function listening(...hosts: string[]): number {
  const port = freePort();
  for (const hostname of hosts) open.push(Bun.listen({ hostname, port, socket: { data() {} } }));
  return port;
}

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
