/** The listening sockets, as the kernel lists them. */
import { readFileSync } from 'node:fs';

/** How many TCP sockets listen on `port`, on any address (proc(5): state 0A is LISTEN). */
export function countListeners(port: number): number {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const listening = new RegExp(`^\\s*\\d+: [0-9A-F]+:${hex} [0-9A-F]+:0000 0A `, 'gm');
  return ['/proc/net/tcp', '/proc/net/tcp6']
    .map((file) => readFileSync(file, 'utf8').match(listening)?.length ?? 0)
    .reduce((sum, count) => sum + count, 0);
}

/** @returns null if the port is held already, or forbidden */
export function holdPort80() {
  try {
    return Bun.listen({ hostname: '127.0.0.1', port: 80, exclusive: true, socket: { data() {} } });
  } catch {
    return null;
  }
}
