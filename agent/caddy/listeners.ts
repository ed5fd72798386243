/** Finds sockets that a process still listens on, as Linux shows them (proc(5)). */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Json } from './json.ts';
import { listenersOf } from './ports.ts';

/** A row of the kernel's socket tables. */
type Socket = { inode: string; port: number; listens: boolean };

/**
 * Whether a failed start has left listeners: the process holds more sockets on the ports of
 * `wanted` or `refused` than `wanted` asks for. False if `/proc` does not say.
 * @param wanted the live configuration
 * @param refused the configuration that failed to start
 */
function hasStrayListeners(pid: number, wanted: Json, refused: Json): boolean {
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

/** Caddy closes the listeners of a previous configuration in the background. */
const CLOSING_MS = 500;

/**
 * Whether stray listeners are still open after Caddy has had time to close them.
 * @param wanted the live configuration
 * @param refused the configuration that failed to start
 */
export async function staysStray(pid: number, wanted: Json, refused: Json): Promise<boolean> {
  const until = Date.now() + CLOSING_MS;
  while (hasStrayListeners(pid, wanted, refused)) {
    if (Date.now() > until) return true;
    await Bun.sleep(20);
  }
  return false;
}

/** The inodes of all sockets in this network namespace that listen on a TCP port, in order. */
export const listeningInodes = (port: number): string[] =>
  ['tcp', 'tcp6']
    .flatMap(table)
    .filter((socket) => socket.listens && socket.port === port)
    .map(({ inode }) => inode)
    .sort();

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

/** State 0A is TCP_LISTEN; an unconnected UDP socket, 07, is its nearest equivalent. */
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
