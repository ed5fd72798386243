/** Runs another program to its end: within limits of time and output, and without what it leaves running. */
import { within } from '../async.ts';
import { tail, textUpTo } from '../bounded.ts';

export type Run = {
  /** The program, then its arguments. */
  command: readonly string[];
  /** All that the program gets. */
  env: Readonly<Record<string, string>>;
  cwd: string;
  /** A file, not a pipe; without, it reads nothing. */
  stdin?: Blob;
  /** Milliseconds. */
  limit: number;
  /** Milliseconds from the request to end to the kill; without, it is killed at once. */
  grace?: number;
  /** Bytes of its standard output; without, the end of that is kept. It is ended if it prints more, there or as errors. */
  most?: number;
  /** Ends it. */
  signal?: AbortSignal;
  /** Called with its pid once it runs. */
  started?: (pid: number) => void;
};

export type Ended = {
  /** Null if a signal ended it. */
  code: number | null;
  signal: string | number | null;
  /** Whether it was ended because it took too long. */
  isLate: boolean;
  /** Null if there was more: then it was killed. */
  stdout: string | null;
  /** The end of it. */
  stderr: string;
};

/**
 * From the most that is read to where Bun ends a program by itself: on a busy machine, hundreds of MB have come
 * before the first of what is printed without end is read here.
 */
const MORE_BYTES = 64 * 1024;

/** Milliseconds for output to arrive once all that could write it was killed. */
const ARRIVES_MS = 10_000;

/** @throws what `Bun.spawn` throws if it cannot be started */
export async function run({ command, env, cwd, limit, most, signal, ...how }: Run): Promise<Ended> {
  const child = Bun.spawn([...command], {
    env,
    cwd,
    stdin: how.stdin ?? 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    // Of a group of its own: it may be a script that starts others.
    detached: true,
    ...(most !== undefined && { maxBuffer: most + MORE_BYTES, killSignal: 'SIGKILL' }),
  });
  how.started?.(child.pid);
  const kill = () => signalGroup(child.pid, 'SIGKILL');
  let isLate = false;
  let killing: Timer | undefined;
  const end = () => {
    if (how.grace === undefined) return kill();
    signalGroup(child.pid, 'SIGTERM');
    killing ??= setTimeout(kill, how.grace);
  };
  const timer = setTimeout(() => {
    isLate = true;
    end();
  }, limit);
  signal?.addEventListener('abort', end);
  const readUpTo = async (limit: number) => {
    const text = await textUpTo(child.stdout, limit);
    if (text === null) kill();
    return text;
  };
  const stdout = most === undefined ? tail(child.stdout) : readUpTo(most);
  const output = Promise.all([stdout, tail(child.stderr)]);
  try {
    await child.exited;
    // What it left running would keep the pipes open.
    kill();
    const [text, stderr] = await within(output, ARRIVES_MS, () => [null, ''] as const);
    return { code: child.exitCode, signal: child.signalCode, isLate, stdout: text, stderr };
  } finally {
    signal?.removeEventListener('abort', end);
    clearTimeout(timer);
    clearTimeout(killing);
  }
}

/** To a process and all of its group. */
function signalGroup(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(-pid, name);
  } catch {
    // It has ended.
  }
}
