/** Runs a few jobs at once; the others wait for their turn. */

type Options = {
  /** Jobs that run at once. */
  concurrency: number;
  /** Jobs that may wait; by default any number. */
  maxWaiting?: number;
  /** Makes the error for a job that may not wait. */
  full?: () => Error;
};

/** Runs a job when its turn comes. @throws what `full` makes if too many wait; else what `job` throws */
type ConcurrencyLimit = <T>(job: () => Promise<T>) => Promise<T>;

export function createConcurrencyLimit(options: Options): ConcurrencyLimit {
  const { concurrency, maxWaiting = Number.POSITIVE_INFINITY, full } = options;
  let running = 0;
  const waiting: (() => void)[] = [];

  return async (job) => {
    if (running >= concurrency) {
      if (waiting.length >= maxWaiting) throw full?.() ?? new Error('too many jobs are waiting');
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running++;
    }
    try {
      return await job();
    } finally {
      // Handing the slot over keeps newcomers from jumping the queue.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
