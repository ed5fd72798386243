/** Finds, compares and ends processes by /proc instead of pid files, which can be stale. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';

/** `started` is the kernel's start time in clock ticks; with the pid it identifies one process. */
export type Process = { pid: number; started: string };

/** On the command line it marks the Caddys of this folder; nobody reads the file. */
export const pidFileOf = (folder: string): string => join(folder, 'run', 'caddy.pid');

/**
 * The running Caddys with `argument` on their command line. Others may name the same path: an
 * editor, `tail -f`, or a Caddy in a container, where it is another file.
 * @param bin Caddy's program; it may have been replaced since they were started
 */
export function findCaddies(argument: string, bin: string): Process[] {
  const found: Process[] = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const [program = '', command, ...args] = read(`/proc/${pid}/cmdline`)?.split('\0') ?? [];
    if (command !== 'run' || !args.includes(argument)) continue;
    const started = startOf(pid);
    if (started !== null && isOurCaddy(pid, program, bin)) found.push({ pid, started });
  }
  return found;
}

/** Whether it runs that program, or another Caddy, and sees the same files. */
function isOurCaddy(pid: number, program: string, bin: string): boolean {
  const isCaddy = (path: string) => {
    const name = basename(path).replace(/ \(deleted\)$/, '');
    return name === basename(bin) || name.startsWith('caddy');
  };
  const space = linkOf(`/proc/${pid}/ns/mnt`);
  // A program with file capabilities hides both from everyone but root.
  if (space === null) return isCaddy(program) && maySignal(pid);
  return space === linkOf('/proc/self/ns/mnt') && isCaddy(linkOf(`/proc/${pid}/exe`) ?? '');
}

function maySignal(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Whether that very process still runs; a zombie does not. */
export const isAlive = (of: Process): boolean => startOf(of.pid) === of.started;

/** Whether it runs exactly this program with exactly these variables; false if /proc does not say. */
export function runsWith(of: Process, bin: string, env: Record<string, string>): boolean {
  if (linkOf(`/proc/${of.pid}/exe`) !== bin) return false;
  const has = read(`/proc/${of.pid}/environ`)?.split('\0').filter(Boolean).sort();
  const wants = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return has?.join('\0') === wants.sort().join('\0');
}

/** The user it runs as, or null if it is gone. */
export function uidOf(of: Process): number | null {
  const [, uid] = /^Uid:\s+(\d+)/m.exec(read(`/proc/${of.pid}/status`) ?? '') ?? [];
  return uid === undefined ? null : Number(uid);
}

/** Terminates a process and kills it after `grace` milliseconds. Resolves when it is gone. */
export async function end(of: Process, grace: number): Promise<void> {
  signal(of, 'SIGTERM');
  const until = Date.now() + grace;
  while (isAlive(of) && Date.now() < until) await Bun.sleep(10);
  while (isAlive(of)) {
    signal(of, 'SIGKILL');
    await Bun.sleep(10);
  }
}

function signal(of: Process, name: NodeJS.Signals): void {
  if (!isAlive(of)) return;
  try {
    process.kill(of.pid, name);
  } catch {
    // It exited before the signal arrived.
  }
}

/** Field 22 of /proc/PID/stat (proc(5)); the name in field 2 may hold spaces. Null for a zombie. */
function startOf(pid: number): string | null {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? null : (fields[19] ?? null);
}

function linkOf(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** The running process with that pid, or null. */
export const processOf = (pid: number): Process | null => {
  const started = startOf(pid);
  return started === null ? null : { pid, started };
};
