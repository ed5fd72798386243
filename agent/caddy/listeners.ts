/** What Linux tells of the sockets a process listens on (proc(5)). */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Json } from './json.ts';
import { listenersOf } from './ports.ts';

/** A socket of the kernel's tables: its inode, the port it is bound to, and whether it listens. */
type Socket = { inode: string; port: number; listens: boolean };

/**
 * Whether the process holds more sockets on the ports of `wanted` or `refused` than `wanted` asks
 * for: listeners that a failed start has left behind. False where that cannot be told.
 * @param wanted the configuration that is live
 * @param refused the one whose start failed
 */
export function hasStrayListeners(pid: number, wanted: Json, refused: Json): boolean {
  const asked = new Map<number, number>();
  for (const { port } of listenersOf(refused)) asked.set(port, 0);
  for (const { port } of listenersOf(wanted)) asked.set(port, 0);
  for (const { port } of listenersOf(wanted)) asked.set(port, (asked.get(port) ?? 0) + 1);
  try {
    const own = socketsOf(pid);
    return ['tcp', 'udp'].some((network) => {
      const sockets = [...table(network), ...table(`${network}6`)].filter(
        ({ inode, listens }) => listens && own.has(inode),
      );
      return [...asked].some(
        ([port, most]) => sockets.filter((socket) => socket.port === port).length > most,
      );
    });
  } catch {
    return false;
  }
}

function socketsOf(pid: number): Set<string> {
  const inodes = new Set<string>();
  for (const name of readdirSync(`/proc/${pid}/fd`)) {
    const inode = /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${name}`))?.[1];
    if (inode !== undefined) inodes.add(inode);
  }
  return inodes;
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

/** State 0A is TCP_LISTEN; an unconnected UDP socket, 07, is the nearest thing to it. */
function table(network: string): Socket[] {
  const lines = readFileSync(`/proc/net/${network}`, 'utf8').split('\n').slice(1);
  return lines.flatMap((line) => {
    const fields = line.trim().split(/\s+/);
    const [, local = '', , state] = fields;
    if (fields.length < 10) return [];
    const port = Number.parseInt(local.slice(local.lastIndexOf(':') + 1), 16);
    return [{ inode: fields[9] ?? '', port, listens: state === '0A' || state === '07' }];
  });
}
