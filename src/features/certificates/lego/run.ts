/** Runs lego, bounded in time and output, and ends what it started. */
import { within } from '../../../shared/async.ts';
import { TAIL_BYTES, tail } from '../../../shared/bounded.ts';
import { Failure } from '../../../shared/failure.ts';

type Run = {
  /** The program, then its arguments. */
  command: readonly string[];
  /** All that the program gets. */
  env: Readonly<Record<string, string>>;
  cwd: string;
  /** Milliseconds. */
  limit: number;
};

type Ended = {
  /** Null if a signal ended it. */
  code: number | null;
  signal: string | number | null;
  /** Whether it was ended because it took too long. */
  isLate: boolean;
  /** The last whole lines. */
  stdout: string;
  stderr: string;
};

type Runner = {
  /** @throws Failure STOPPING; CERTIFICATE_FAILED if the program cannot be started */
  run(run: Run): Promise<Ended>;
  /** Ends what runs, and lets nothing run from now on. */
  end(): Promise<void>;
};

/** @param grace milliseconds from the request to end to the kill */
export function createRunner(grace: number): Runner {
  const running = new Set<{ end(): void; ended: Promise<unknown> }>();
  let isStopping = false;

  return {
    async run({ command, env, cwd, limit }) {
      if (isStopping) throw stopping();
      const child = spawn(command, env, cwd);
      let isLate = false;
      let kill: Timer | undefined;
      const end = () => {
        signal(child.pid, 'SIGTERM');
        kill ??= setTimeout(() => signal(child.pid, 'SIGKILL'), grace);
      };
      const timer = setTimeout(() => {
        isLate = true;
        end();
      }, limit);
      const output = Promise.all([wholeTail(child.stdout), wholeTail(child.stderr)]);
      const ended = child.exited.then(() => {
        // What it left running would keep the pipes open.
        signal(child.pid, 'SIGKILL');
        return within(output, grace, () => ['', ''] as const);
      });
      const one = { end, ended };
      running.add(one);
      try {
        const [stdout, stderr] = await ended;
        if (isStopping) throw stopping();
        const { exitCode: code, signalCode } = child;
        return { code, signal: signalCode, isLate, stdout, stderr };
      } finally {
        running.delete(one);
        clearTimeout(timer);
        clearTimeout(kill);
      }
    },

    async end() {
      isStopping = true;
      for (const { end } of running) end();
      await Promise.allSettled([...running].map(({ ended }) => ended));
    },
  };
}

const stopping = () =>
  new Failure('STOPPING', 'The hub is stopping; the certificate was not changed.');

/**
 * lego reads nothing, and what it writes is for its user alone. If the hub is killed, so is lego when it
 * next writes a line: nobody reads it any more.
 */
function spawn(command: Run['command'], env: Run['env'], cwd: string) {
  const umask = process.umask(0o077);
  try {
    return Bun.spawn([...command], {
      env: { ...env },
      cwd,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      // Of a group of its own: it may be a script that starts lego.
      detached: true,
    });
  } catch (cause) {
    const message = `${command[0]} cannot be started.`;
    throw new Failure('CERTIFICATE_FAILED', message, { cause });
  } finally {
    process.umask(umask);
  }
}

/** To a process and all of its group. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(-pid, name);
  } catch {
    // Over by now.
  }
}

/** Half a line may begin with half a credential, which nothing would recognise. */
async function wholeTail(stream: ReadableStream<Uint8Array>): Promise<string> {
  const text = await tail(stream);
  if (Buffer.byteLength(text) < TAIL_BYTES) return text;
  const newline = text.indexOf('\n');
  return newline < 0 ? '' : text.slice(newline + 1);
}
