/** Runs lego, bounded in time and output, and ends what it started. */
import { TAIL_BYTES } from '../../../shared/bounded.ts';
import { Failure } from '../../../shared/failure.ts';
import { type Ended, type Run, run } from '../../../shared/system/run.ts';

type Runner = {
  /** @throws Failure STOPPING; CERTIFICATE_FAILED if the program cannot be started */
  run(command: Pick<Run, 'command' | 'env' | 'cwd' | 'limit'>): Promise<Ended>;
  /** Ends what runs, and lets nothing run from now on. */
  end(): Promise<void>;
};

/** @param grace milliseconds from the request to end to the kill */
export function createRunner(grace: number): Runner {
  const running = new Set<Promise<Ended>>();
  const stopper = new AbortController();
  const { signal } = stopper;

  return {
    async run(given) {
      if (signal.aborted) throw stopping();
      const ending = runPrivately({ ...given, grace, signal });
      running.add(ending);
      try {
        const ended = await ending;
        if (signal.aborted) throw stopping();
        return { ...ended, stderr: wholeLines(ended.stderr) };
      } finally {
        running.delete(ending);
      }
    },

    async end() {
      stopper.abort();
      await Promise.allSettled(running);
    },
  };
}

const stopping = () =>
  new Failure('STOPPING', 'The hub is stopping; the certificate was not changed.');

/**
 * What lego writes is for its user alone. If the hub is killed, so is lego when it next writes a line: nobody reads
 * it any more.
 */
function runPrivately(given: Run): Promise<Ended> {
  const umask = process.umask(0o077);
  try {
    return run(given).catch((cause: unknown) => {
      const message = `${given.command[0]} cannot be started.`;
      throw new Failure('CERTIFICATE_FAILED', message, { cause });
    });
  } finally {
    process.umask(umask);
  }
}

/** Half a line may begin with half a credential, which nothing would recognise. */
function wholeLines(text: string): string {
  if (Buffer.byteLength(text) < TAIL_BYTES) return text;
  const newline = text.indexOf('\n');
  return newline < 0 ? '' : text.slice(newline + 1);
}
