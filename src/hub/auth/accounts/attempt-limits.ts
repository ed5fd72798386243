/** How often a client may guess a password or create an account. */
import { createThrottle } from '../../../shared/throttle.ts';
import { networkOf } from '../client.ts';

const MINUTE_MS = 60_000;

/** @returns whether something happens for the first time in a minute */
export const createSeldom = (elapsed: () => number): ((what: string) => boolean) =>
  createThrottle(1, MINUTE_MS, elapsed, { maxKeys: 1_000 }).tryTake;

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
