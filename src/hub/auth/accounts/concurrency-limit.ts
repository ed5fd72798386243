/** Runs a few jobs at once and lets a bounded number wait. */
import { rateLimited } from '../throttle.ts';

export type ConcurrencyLimitOptions = {
  /** Jobs that run at once. */
  concurrency: number;
  /** Jobs that may wait. */
  maxWaiting: number;
};

/** Runs a job when its turn comes. @throws Failure RATE_LIMITED if too many wait; else what `job` throws */
export type ConcurrencyLimit = <T>(job: () => Promise<T>) => Promise<T>;

/** `Retry-After` when the queue is full: about the time it takes to empty. */
const RETRY_AFTER_SECONDS = 10;

export function createConcurrencyLimit(options: ConcurrencyLimitOptions): ConcurrencyLimit {
  const { concurrency, maxWaiting } = options;
  let running = 0;
  const waiting: (() => void)[] = [];

  return async (job) => {
    if (running >= concurrency) {
      if (waiting.length >= maxWaiting) throw rateLimited(RETRY_AFTER_SECONDS);
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
