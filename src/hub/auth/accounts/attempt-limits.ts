/** How often a client may guess a password or create an account. */
import { networkOf } from '../address.ts';
import { createThrottle } from '../throttle.ts';

export type AttemptLimits = {
  /** @throws Failure RATE_LIMITED, whether or not the account exists */
  checkPassword(account: string, ip: string): void;
  /**
   * Counts a guess at a password. Call the returned function if it was right, to undo that.
   * @throws Failure RATE_LIMITED, with nothing counted
   */
  takePassword(account: string, ip: string): () => void;
  /** The accounts and the clients that have no guess left now; of many, the latest. */
  exhausted(): { accounts: string[]; networks: string[] };
  /** Counts a sign-up. @throws Failure RATE_LIMITED */
  takeSignUp(ip: string): void;
};

/** Documented limits: failed attempts per account and per address within 15 minutes. */
const WINDOW_MS = 15 * 60 * 1000;
const PER_ACCOUNT = 10;
const PER_ADDRESS = 30;

/** Documented limit: sign-ups per address and hour. */
const SIGN_UP_WINDOW_MS = 60 * 60 * 1000;
const SIGN_UPS = 20;

/** More than anyone reads. */
const MOST_EXHAUSTED = 50;

/** @param elapsed as of `ThrottleOptions` */
export function createAttemptLimits(elapsed: () => number): AttemptLimits {
  const accounts = createThrottle({ limit: PER_ACCOUNT, windowMs: WINDOW_MS, elapsed });
  const addresses = createThrottle({ limit: PER_ADDRESS, windowMs: WINDOW_MS, elapsed });
  const signUps = createThrottle({ limit: SIGN_UPS, windowMs: SIGN_UP_WINDOW_MS, elapsed });

  function checkPassword(account: string, ip: string): void {
    accounts.check(account);
    addresses.check(networkOf(ip));
  }

  return {
    checkPassword,
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
  };
}
