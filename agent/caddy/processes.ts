/** Finds, compares and ends processes by /proc instead of pid files, which can be stale. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** `started` is the kernel's start time in clock ticks; with the pid it identifies one process. */
export type Process = { pid: number; started: string };

/** All other processes that have `argument` on their command line. */
export function findByArgument(argument: string): Process[] {
  const found: Process[] = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const args = read(`/proc/${pid}/cmdline`)?.split('\0');
    const started = startOf(pid);
    if (args?.includes(argument) && started !== null) found.push({ pid, started });
  }
  return found;
}

/** Whether that very process still runs; a zombie does not. */
export const isAlive = (of: Process): boolean => startOf(of.pid) === of.started;

/** Whether it runs exactly this program with exactly these variables; false if /proc does not say. */
export function runsWith(of: Process, bin: string, env: Record<string, string>): boolean {
  try {
    if (readlinkSync(`/proc/${of.pid}/exe`) !== bin) return false;
  } catch {
    return false;
  }
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
