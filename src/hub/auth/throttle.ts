/** Counts attempts by key over a sliding window, in bounded memory. */
import { Failure } from '../../shared/failure.ts';

export type ThrottleOptions = {
  /** Attempts that a key has within the window. */
  limit: number;
  windowMs: number;
  now: () => Date;
  /** Keys remembered; the ones that were quiet for longest are forgotten first. */
  most?: number;
};

export type Throttle = ReturnType<typeof createThrottle>;

/** About 10 MB at worst; whoever wants to push a key out needs thousands of addresses. */
const MOST_KEYS = 50_000;

export function createThrottle({ limit, windowMs, now, most = MOST_KEYS }: ThrottleOptions) {
  /** Times of attempts by key; the order of the map is the order of the last attempt. */
  const attempts = new Map<string, number[]>();

  function recent(key: string, at: number): number[] {
    return attempts.get(key)?.filter((time) => time > at - windowMs) ?? [];
  }

  /** @throws Failure RATE_LIMITED where `key` has no attempt left */
  function check(key: string): void {
    const at = now().getTime();
    const times = recent(key, at);
    if (times.length < limit) return;
    const free = (times.at(-limit) ?? at) + windowMs;
    throw rateLimited(Math.max(1, Math.ceil((free - at) / 1000)));
  }

  return {
    check,

    /**
     * Counts one attempt, which the returned function takes back.
     * @throws Failure RATE_LIMITED with nothing counted
     */
    take(key: string): () => void {
      check(key);
      const at = now().getTime();
      const times = [...recent(key, at), at];
      attempts.delete(key);
      attempts.set(key, times);
      if (attempts.size > most) {
        const [quietest] = attempts.keys();
        if (quietest !== undefined) attempts.delete(quietest);
      }
      return () => {
        const now = attempts.get(key);
        const index = now?.indexOf(at) ?? -1;
        if (now && index >= 0) now.splice(index, 1);
        if (now?.length === 0) attempts.delete(key);
      };
    },

    /** Keys that are remembered. */
    size: (): number => attempts.size,
  };
}

/** @param retryAfter seconds */
export const rateLimited = (retryAfter: number): Failure =>
  new Failure('RATE_LIMITED', 'Too many attempts; wait a while and try again.', { retryAfter });
