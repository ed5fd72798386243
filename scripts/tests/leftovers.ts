/** What tests that were killed, or that forgot something, leave of their folder: processes, mounts, files. */
import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';

const MEMORY = '/dev/shm';

/**
 * Ends every process that has the folder in its command line, its environment or as where it is, unmounts
 * what is mounted below it, and removes it.
 * @returns what was still there, in words
 */
export function removeLeftovers(folder: string): string[] {
  const left: string[] = [];
  const processes = processesOf(folder);
  for (const { pid, command } of processes) {
    left.push(`process ${pid}: ${command}`);
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has just ended.
    }
  }
  // What was mounted last may be on what was mounted before.
  for (const path of mountsOf(folder).toReversed()) {
    left.push(`mount: ${path}`);
    Bun.spawnSync(['umount', '-l', path]);
  }
  // Disks whose power is cut have their images there.
  const name = basename(folder);
  const images = namesIn(MEMORY).filter((one) => one.includes(name));
  for (const path of [folder, ...images.map((one) => join(MEMORY, one))]) {
    try {
      rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    } catch (error) {
      left.push(`folder: ${path} (${error instanceof Error ? error.message : error})`);
    }
  }
  return left;
}

function processesOf(folder: string): { pid: number; command: string }[] {
  const pids = namesIn('/proc')
    .map(Number)
    .filter((pid) => pid > 1 && pid !== process.pid);
  return pids.flatMap((pid) => {
    try {
      const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8');
      const command = read('cmdline');
      const texts = [command, readlinkSync(`/proc/${pid}/cwd`), read('environ')];
      const isOurs = texts.some((text) => text.includes(folder));
      return isOurs ? [{ pid, command: command.replaceAll('\0', ' ').slice(0, 120) }] : [];
    } catch {
      // It has ended, or is another user's.
      return [];
    }
  });
}

/** As `/proc/self/mounts` lists them: the second field is where. */
const mountsOf = (folder: string): string[] =>
  readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .flatMap((line) => line.split(' ')[1] ?? [])
    .filter((path) => path.startsWith(`${folder}/`));

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
