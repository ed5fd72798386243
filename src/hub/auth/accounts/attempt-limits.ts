/** How often a password may be guessed and an account be made. */
import { networkOf } from '../address.ts';
import { createThrottle, type Throttle } from '../throttle.ts';

/** Promised figures: failures per account and per address in a quarter of an hour. */
const WINDOW_MS = 15 * 60 * 1000;
const PER_ACCOUNT = 10;
const PER_ADDRESS = 30;

/** Promised figures: sign-ups per address and hour. */
const SIGN_UP_WINDOW_MS = 60 * 60 * 1000;
const SIGN_UPS = 20;

export function createGuesses(now: () => Date) {
  const accounts = createThrottle({ limit: PER_ACCOUNT, windowMs: WINDOW_MS, now });
  const addresses = createThrottle({ limit: PER_ADDRESS, windowMs: WINDOW_MS, now });
  const signUps = createThrottle({ limit: SIGN_UPS, windowMs: SIGN_UP_WINDOW_MS, now });

  const keysOf = (account: string, ip: string): [Throttle, string][] => [
    [accounts, account],
    [addresses, networkOf(ip)],
  ];

  return {
    /** @throws Failure RATE_LIMITED, for accounts that exist and others alike */
    check(account: string, ip: string): void {
      for (const [throttle, key] of keysOf(account, ip)) throttle.check(key);
    },

    /** Counts a guess that the returned function takes back: it was right. @throws as check */
    take(account: string, ip: string): () => void {
      this.check(account, ip);
      const back = keysOf(account, ip).map(([throttle, key]) => throttle.take(key));
      return () => {
        for (const giveBack of back) giveBack();
      };
    },

    /** @throws Failure RATE_LIMITED */
    signUp(ip: string): void {
      signUps.take(networkOf(ip));
    },
  };
}
