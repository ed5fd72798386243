/** Lets a few jobs run at once and a bounded number wait for their turn. */
import { rateLimited } from '../throttle.ts';

/** What is asked of whoever finds the queue full: about the time a full one takes. */
const RETRY_AFTER_SECONDS = 10;

/**
 * @param width jobs that run at once
 * @param most jobs that wait
 */
export function createQueue({ width, most }: { width: number; most: number }) {
  let running = 0;
  const waiting: (() => void)[] = [];

  /** @throws Failure RATE_LIMITED where too many wait; else what `job` throws */
  return async function run<T>(job: () => Promise<T>): Promise<T> {
    if (running >= width) {
      if (waiting.length >= most) throw rateLimited(RETRY_AFTER_SECONDS);
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running++;
    }
    try {
      return await job();
    } finally {
      // The place is handed over, so that nobody who comes anew can take it.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
