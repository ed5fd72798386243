/** The sockets that programs listen on, as Linux shows them (proc(5)). */
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from 'node:fs';
import { isIP } from 'node:net';
import { groupsOf } from '../../../src/shared/ipv6.ts';
import type { Holder } from '../../../src/shared/wire/proxy.ts';

/** A row of the kernel's socket tables that listens. */
type Socket = { inode: string; address: string; port: number };
type Network = 'tcp' | 'udp';

/** The inodes of all sockets in this network namespace that listen on a port, in order. */
export const listeningInodes = (port: number, network: Network = 'tcp'): string[] =>
  [network, `${network}6`]
    .flatMap(table)
    .filter((socket) => socket.port === port)
    .map(({ inode }) => inode)
    .sort();

/** Whether a TCP socket listens on exactly this address of IPv4. @throws file system errors if /proc does not show it */
export function isListening(host: string, port: number): boolean {
  const address = wordOf(host.split('.').map(Number));
  return table('tcp').some((one) => one.port === port && one.address === address);
}

/**
 * How many TCP sockets a connection to an address and port may reach: those that listen there, or on
 * every address. @throws file system errors if /proc does not show them
 */
export function countReachable(host: string, port: number): number {
  const open = ['tcp', 'tcp6'].flatMap(table);
  const wanted = isIP(host) === 4 ? spellingsOf4(host) : [ANY_6, hexOf6(host)];
  return open.filter((one) => one.port === port && wanted.includes(one.address)).length;
}

const ANY_6 = '0'.repeat(32);

/** An address of IPv4, and what receives its connections as well, in the words of the kernel's tables. */
function spellingsOf4(host: string): string[] {
  const hex = wordOf(host.split('.').map(Number));
  return [hex, '00000000', ANY_6, `0000000000000000FFFF0000${hex}`];
}

function hexOf6(host: string): string {
  const bytes = groupsOf(host).flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
  return [0, 4, 8, 12].map((at) => wordOf(bytes.slice(at, at + 4))).join('');
}

/** Four bytes as the kernel prints a word: as a number of this machine, which is little-endian. */
const wordOf = (bytes: readonly number[]): string =>
  bytes
    .toReversed()
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase();

/** The inodes of all sockets of a process. @throws file system errors if /proc does not show them */
export function socketsOf(pid: number): Set<string> {
  const inodes = new Set<string>();
  for (const name of readdirSync(`/proc/${pid}/fd`)) {
    const inode = /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${name}`) ?? '')?.[1];
    if (inode !== undefined) inodes.add(inode);
  }
  return inodes;
}

/** The ports that each socket of the process listens on, with repetitions. */
export function portsOf(pid: number, network: Network): number[] {
  const own = socketsOf(pid);
  return [network, `${network}6`]
    .flatMap(table)
    .filter(({ inode }) => own.has(inode))
    .map(({ port }) => port);
}

/** Whether a process alone listens on a port; false if /proc does not say. */
export function isSoleHolder(pid: number, port: number, network: Network = 'tcp'): boolean {
  try {
    const own = socketsOf(pid);
    const inodes = listeningInodes(port, network);
    return inodes.length > 0 && inodes.every((inode) => own.has(inode));
  } catch {
    return false;
  }
}

/** The programs that listen on a port; none if they belong to other users, or to none. */
export function holdersOf(port: number, network: Network): Holder[] {
  const inodes = listeningInodes(port, network);
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid)) return [];
    try {
      const own = socketsOf(pid);
      if (!inodes.some((inode) => own.has(inode))) return [];
      const name = readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
      const unit = unitIn(readFileSync(`/proc/${pid}/cgroup`, 'utf8'));
      const isKept = KEPT.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
      return [{ pid, name, unit, ...(isKept && { kept: true as const }) }];
    } catch {
      return [];
    }
  });
}

/** How an agent starts a Caddy; see `launch.ts`. */
const KEPT = /\0run\0--config\0-\0--pidfile\0/;

/**
 * The system service in the text of /proc/PID/cgroup (cgroups(7)), of which systemd may have nested
 * slices; null for a program of a login, a user's service or a container.
 */
export const unitIn = (cgroup: string): string | null =>
  /\/system\.slice\/(?:[^/\n]+\.slice\/)*([\w@.:-]+\.service)(?:\/|$)/m.exec(cgroup)?.[1] ?? null;

/** Where a link leads; null if that cannot be seen. */
export function linkOf(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

/** About two rows: Linux looks for the next ones only once they are asked for. */
const SOME = 256;
/** State 0A is TCP_LISTEN; an unconnected UDP socket, 07, is its nearest equivalent. */
const LISTENS = new Set(['0A', '07']);

/**
 * The rows of a table that listen. Of TCP, Linux shows those first; the connections after them are not
 * read, since it takes milliseconds to look through all places where one could be.
 */
function table(network: string): Socket[] {
  const file = openSync(`/proc/net/${network}`, 'r');
  const bytes = Buffer.alloc(SOME);
  const found: Socket[] = [];
  let text = '';
  try {
    for (let isHead = true; ; ) {
      const read = readSync(file, bytes, 0, SOME, null);
      if (read === 0) return found;
      const lines = (text + bytes.toString('latin1', 0, read)).split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) {
        const [, local = '', , state = '', , , , , , inode] = line.trim().split(/\s+/);
        const [address = '', port = ''] = local.split(':');
        const listens = LISTENS.has(state) && inode !== undefined;
        if (listens) found.push({ inode, address, port: Number.parseInt(port, 16) });
        else if (!isHead && network.startsWith('tcp')) return found;
        isHead = false;
      }
    }
  } finally {
    closeSync(file);
  }
}
