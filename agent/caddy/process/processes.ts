/** Finds, compares and ends processes by /proc instead of pid files, which can be stale. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { lacksDescriptors } from '../../../src/shared/system/files.ts';
import { linkOf } from '../ports/sockets.ts';

/** `started` is the kernel's start time in clock ticks; with the pid it identifies one process. */
export type Process = { pid: number; started: string };

/** On the command line it marks the Caddys of this folder; nobody reads the file. */
export const pidFileOf = (folder: string): string => join(folder, 'run', 'caddy.pid');

/** Where the Caddy of this folder works: an empty folder, which is what it serves if a site has no root. */
export const workingFolderOf = (folder: string): string => join(folder, 'empty');

/** Names the last Caddy of this folder. Need not survive a power cut: no process does. */
const recordOf = (folder: string): string => join(folder, 'process');

/** Notes which process is this folder's, in case the folder is moved while it runs. Never fails. */
export function record(folder: string, { pid, started }: Process): void {
  try {
    writeFileSync(recordOf(folder), `${pid} ${started}\n`, { mode: 0o600 });
  } catch {
    // On a full disk, Caddy is found by its command line alone.
  }
}

/**
 * The running Caddys of a managed folder, whatever name the folder had when they were started. Others
 * may name the same path: an editor, `tail -f`, or a Caddy in a container, where it is another file.
 * @param bin Caddy's program; it may have been replaced since they were started
 * @throws file system errors if it cannot look
 */
export function findCaddies(folder: string, bin: string): Process[] {
  const found: Process[] = [];
  const recorded = read(recordOf(folder))?.trim();
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const [program = '', command, ...args] = read(`/proc/${pid}/cmdline`)?.split('\0') ?? [];
    if (command !== 'run') continue;
    const home = args.map(homeOf).find((path) => path !== null) ?? null;
    const started = home === null ? null : startOf(pid);
    if (home === null || started === null) continue;
    const seen = `${rootOf(pid)}${home}`;
    const isMoved = () => recorded === `${pid} ${started}` && !existsSync(seen);
    if (!isSame(seen, folder) && !isMoved()) continue;
    if (isCaddy(pid, program, bin)) found.push({ pid, started });
  }
  return found;
}

/** The managed folder that an argument names. */
const homeOf = (argument: string): string | null =>
  argument.endsWith('/run/caddy.pid') ? dirname(dirname(argument)) : null;

/** Whether two paths lead to the same folder, by links or mounts; false if one cannot be reached. */
function isSame(path: string, other: string): boolean {
  if (path === other) return true;
  try {
    const [one, two] = [statSync(path), statSync(other)];
    return one.dev === two.dev && one.ino === two.ino;
  } catch {
    return false;
  }
}

/**
 * What leads to the paths that another process names: it may have other mounts. Empty if it has these, or
 * hides that, as a program with file capabilities does from everyone but root.
 */
const rootOf = (pid: number): string => (shares(pid, 'mnt') === false ? `/proc/${pid}/root` : '');

/** Whether a process is in the same namespace (namespaces(7)) as this one; null if it hides that. */
function shares(pid: number, namespace: 'mnt' | 'net'): boolean | null {
  const theirs = linkOf(`/proc/${pid}/ns/${namespace}`);
  return theirs === null ? null : theirs === linkOf(`/proc/self/ns/${namespace}`);
}

/** Whether it runs that program, or another Caddy. */
function isCaddy(pid: number, program: string, bin: string): boolean {
  const isNamed = (path: string) => {
    const name = basename(path).replace(/ \(deleted\)$/, '');
    return name === basename(bin) || name.startsWith('caddy');
  };
  const exe = linkOf(`/proc/${pid}/exe`);
  return exe === null ? isNamed(program) && maySignal(pid) : isNamed(exe);
}

function maySignal(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/**
 * Whether that very process still runs; a zombie does not. Without a descriptor left to look with, it
 * counts as running as long as its pid is in use.
 */
export function isAlive(of: Process): boolean {
  try {
    return startOf(of.pid) === of.started;
  } catch {
    return exists(of.pid);
  }
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Whether it runs exactly this command with exactly these variables, and has the files and the network
 * of this process; false if /proc does not say.
 */
export function runsWith(
  of: Process,
  { bin, args, env }: { bin: string; args: readonly string[]; env: Record<string, string> },
): boolean {
  if (linkOf(`/proc/${of.pid}/exe`) !== bin) return false;
  if (!shares(of.pid, 'mnt') || !shares(of.pid, 'net')) return false;
  const [, ...has] = read(`/proc/${of.pid}/cmdline`)?.split('\0') ?? [];
  if (has.join('\0') !== [...args, ''].join('\0')) return false;
  const environ = read(`/proc/${of.pid}/environ`)?.split('\0').filter(Boolean).sort();
  const wants = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return environ?.join('\0') === wants.sort().join('\0');
}

/** The user it runs as, or null if it is gone. */
export function uidOf(of: Process): number | null {
  const [, uid] = /^Uid:\s+(\d+)/m.exec(read(`/proc/${of.pid}/status`) ?? '') ?? [];
  return uid === undefined ? null : Number(uid);
}

/** Terminates a process and kills it after `grace` milliseconds. Resolves when it is gone. */
export async function end(of: Process, grace: number): Promise<void> {
  const until = performance.now() + grace;
  let isAsked = false;
  while (isAlive(of)) {
    if (performance.now() >= until) signal(of, 'SIGKILL');
    else if (!isAsked) isAsked = signal(of, 'SIGTERM');
    await Bun.sleep(10);
  }
}

/** @returns whether it was sent; never to another process that got the pid, as far as /proc says */
function signal(of: Process, name: NodeJS.Signals): boolean {
  try {
    return startOf(of.pid) === of.started && process.kill(of.pid, name);
  } catch {
    return false;
  }
}

/**
 * Field 22 of /proc/PID/stat (proc(5)); the name in field 2 may hold spaces. Null for a zombie.
 * @throws file system errors if it cannot look
 */
function startOf(pid: number): string | null {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? null : (fields[19] ?? null);
}

/** Null if there is nothing to read. @throws Error without a descriptor left: that says nothing */
function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (lacksDescriptors(error)) throw error;
    return null;
  }
}

/** What `started` counts in each second (USER_HZ, time(7)), on all machines that signalbox is built for. */
const TICKS = 100;

/** When a process was started, in milliseconds since the epoch. @throws file system errors if it cannot look */
export function startedAt({ started }: Process): number {
  const booted = Number(/^btime (\d+)/m.exec(read('/proc/stat') ?? '')?.[1] ?? 0);
  return (booted + Number(started) / TICKS) * 1_000;
}

/** The running process with that pid, or null. @throws file system errors if it cannot look */
export const processOf = (pid: number): Process | null => {
  const started = startOf(pid);
  return started === null ? null : { pid, started };
};
