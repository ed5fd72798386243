/** Limits how often something may happen within a window of time, by a key. */
import { Failure } from './failure.ts';

type Throttle = {
  /** @throws Failure RATE_LIMITED if `key` has no attempt left */
  check(key: string): void;
  /**
   * Counts one attempt. Call the returned function to undo that.
   * @throws Failure RATE_LIMITED, with nothing counted
   */
  take(key: string): () => void;
  /** Counts one attempt. False: `key` has none left, and nothing is counted. */
  tryTake(key: string): boolean;
  /** Keys that have no attempt left now, at most so many, the latest first. */
  exhausted(most: number): string[];
  /** How many keys are remembered. */
  size(): number;
};

/** About 10 MB at worst; pushing a key out takes thousands of addresses. */
const MAX_KEYS = 50_000;
const TOO_MANY = 'Too many attempts. Try again later.';

/**
 * @param limit attempts that a key has within the window
 * @param elapsed milliseconds from a clock that is never set, so that no jump of the time lengthens a window
 * @param maxKeys to remember; the least recently used one is forgotten first
 * @param message of the failure
 */
export function createThrottle(
  limit: number,
  windowMs: number,
  elapsed: () => number,
  { maxKeys = MAX_KEYS, message = TOO_MANY }: { maxKeys?: number; message?: string } = {},
): Throttle {
  /** Times of attempts by key, in the order of each key's last attempt. */
  const attempts = new Map<string, number[]>();

  function recent(key: string, at: number): number[] {
    return attempts.get(key)?.filter((time) => time > at - windowMs) ?? [];
  }

  /** Milliseconds until it has an attempt. */
  function waitOf(key: string, at: number): number {
    const times = recent(key, at);
    return times.length < limit ? 0 : (times.at(-limit) ?? at) + windowMs - at;
  }

  function check(key: string): void {
    const wait = waitOf(key, elapsed());
    if (wait > 0) throw rateLimited(Math.max(1, Math.ceil(wait / 1000)), message);
  }

  function count(key: string): () => void {
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
  }

  return {
    check,
    take(key) {
      check(key);
      return count(key);
    },
    tryTake(key) {
      if (waitOf(key, elapsed()) > 0) return false;
      count(key);
      return true;
    },
    exhausted(most) {
      const at = elapsed();
      const keys: string[] = [];
      for (const [key, times] of attempts) {
        if (times.length >= limit && recent(key, at).length >= limit) keys.push(key);
      }
      return keys.slice(-most).toReversed();
    },
    size: () => attempts.size,
  };
}

/** @param retryAfter seconds */
export const rateLimited = (retryAfter: number, message = TOO_MANY): Failure =>
  new Failure('RATE_LIMITED', message, { retryAfter });
