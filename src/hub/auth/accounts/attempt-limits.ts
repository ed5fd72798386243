/** How often a client may guess a password or create an account, and the throttles behind that. */
import { Failure } from '../../../shared/failure.ts';
import { networkOf } from '../client.ts';

type Throttle = {
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

/**
 * @param limit attempts that a key has within the window
 * @param elapsed milliseconds from a clock that is never set, so that no jump of the time lengthens a window
 * @param maxKeys to remember; the least recently used one is forgotten first
 */
export function createThrottle(
  limit: number,
  windowMs: number,
  elapsed: () => number,
  maxKeys = MAX_KEYS,
): Throttle {
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

const MINUTE_MS = 60_000;

/** @returns whether something happens for the first time in a minute */
export function createSeldom(elapsed: () => number): (what: string) => boolean {
  const throttle = createThrottle(1, MINUTE_MS, elapsed, 1_000);
  return (what) => {
    try {
      throttle.take(what);
      return true;
    } catch {
      return false;
    }
  };
}

export type AttemptLimits = {
  /** @throws Failure RATE_LIMITED, whether or not the account exists */
  checkPassword(account: string, ip: string): void;
  /**
   * Counts a guess at a password. Call the returned function if it was right, to undo that.
   * @throws Failure RATE_LIMITED, with nothing counted
   */
  takePassword(account: string, ip: string): () => void;
  /** @throws Failure RATE_LIMITED */
  checkAddress(ip: string): void;
  /** Counts a wrong code. @throws Failure RATE_LIMITED, with nothing counted */
  takeAddress(ip: string): void;
  /** The accounts and the clients that have no guess left now; of many, the latest. */
  exhausted(): { accounts: string[]; networks: string[] };
  /** Counts a sign-up. @throws Failure RATE_LIMITED */
  takeSignUp(ip: string): void;
  /** Counts a visit of the sign-in service. @throws Failure RATE_LIMITED */
  takeVisit(ip: string): void;
};

/** Documented limits: failed attempts per account and per address within 15 minutes. */
const WINDOW_MS = 15 * 60 * 1000;
const PER_ACCOUNT = 10;
const PER_ADDRESS = 30;
/** The same for visits of the sign-in service, which the hub asks at each. */
const VISITS = 100;

/** Documented limit: sign-ups per address and hour. */
const SIGN_UP_WINDOW_MS = 60 * 60 * 1000;
const SIGN_UPS = 20;

/** More than anyone reads. */
const MOST_EXHAUSTED = 50;

/** @param elapsed as of `createThrottle` */
export function createAttemptLimits(elapsed: () => number): AttemptLimits {
  const accounts = createThrottle(PER_ACCOUNT, WINDOW_MS, elapsed);
  const addresses = createThrottle(PER_ADDRESS, WINDOW_MS, elapsed);
  const visits = createThrottle(VISITS, WINDOW_MS, elapsed);
  const signUps = createThrottle(SIGN_UPS, SIGN_UP_WINDOW_MS, elapsed);

  const checkAddress = (ip: string) => addresses.check(networkOf(ip));

  function checkPassword(account: string, ip: string): void {
    accounts.check(account);
    checkAddress(ip);
  }

  return {
    checkPassword,
    checkAddress,
    takeAddress(ip) {
      addresses.take(networkOf(ip));
    },
    takePassword(account, ip) {
      checkPassword(account, ip);
      const undo = [accounts.take(account), addresses.take(networkOf(ip))];
      return () => {
        for (const undoOne of undo) undoOne();
      };
    },
    exhausted: () => ({
      accounts: accounts.exhausted(MOST_EXHAUSTED),
      networks: addresses.exhausted(MOST_EXHAUSTED),
    }),
    takeSignUp(ip) {
      signUps.take(networkOf(ip));
    },
    takeVisit(ip) {
      visits.take(networkOf(ip));
    },
  };
}
