/** Limits attempts per key within a sliding window, in bounded memory. */
import { Failure } from '../../shared/failure.ts';

export type ThrottleOptions = {
  /** Attempts that a key has within the window. */
  limit: number;
  windowMs: number;
  /** Milliseconds from a clock that is never set, so that no jump of the time lengthens a window. */
  elapsed: () => number;
  /** Keys to remember; the least recently used one is forgotten first. */
  maxKeys?: number;
};

export type Throttle = {
  /** @throws Failure RATE_LIMITED if `key` has no attempt left */
  check(key: string): void;
  /**
   * Counts one attempt. Call the returned function to undo that.
   * @throws Failure RATE_LIMITED, with nothing counted
   */
  take(key: string): () => void;
  /** Keys that have no attempt left now, at most so many, the latest first. */
  exhausted(most: number): string[];
  /** How many keys are remembered. */
  size(): number;
};

/** About 10 MB at worst; pushing a key out takes thousands of addresses. */
const MAX_KEYS = 50_000;

export function createThrottle(options: ThrottleOptions): Throttle {
  const { limit, windowMs, elapsed, maxKeys = MAX_KEYS } = options;
  /** Times of attempts by key, in the order of each key's last attempt. */
  const attempts = new Map<string, number[]>();

  function recent(key: string, at: number): number[] {
    return attempts.get(key)?.filter((time) => time > at - windowMs) ?? [];
  }

  function check(key: string): void {
    const at = elapsed();
    const times = recent(key, at);
    if (times.length < limit) return;
    const free = (times.at(-limit) ?? at) + windowMs;
    throw rateLimited(Math.max(1, Math.ceil((free - at) / 1000)));
  }

  return {
    check,
    take(key) {
      check(key);
      const at = elapsed();
      const times = [...recent(key, at), at];
      attempts.delete(key);
      attempts.set(key, times);
      if (attempts.size > maxKeys) {
        const [oldest] = attempts.keys();
        if (oldest !== undefined) attempts.delete(oldest);
      }
      return () => {
        const current = attempts.get(key);
        const index = current?.indexOf(at) ?? -1;
        if (current && index >= 0) current.splice(index, 1);
        if (current?.length === 0) attempts.delete(key);
      };
    },
    exhausted(most) {
      const at = elapsed();
      const found: string[] = [];
      for (const [key, times] of attempts) {
        if (times.length >= limit && recent(key, at).length >= limit) found.push(key);
      }
      return found.slice(-most).toReversed();
    },
    size: () => attempts.size,
  };
}

/** @param retryAfter seconds */
export const rateLimited = (retryAfter: number): Failure =>
  new Failure('RATE_LIMITED', 'Too many attempts. Try again later.', { retryAfter });
