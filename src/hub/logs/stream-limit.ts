/** How many streams an account may have open at once. */
import { Failure } from '../../shared/failure.ts';

/**
 * Counts one more stream of an account; the returned function counts it out again, once.
 * @throws Failure RATE_LIMITED if the account has no stream left
 */
export type StreamLimit = (userId: string) => () => void;

/** Seconds after which the hub has noticed that a reader is gone. */
const RETRY_AFTER = 15;

/** @param most for each account @param does what an account does with them, for the message */
export function createStreamLimit(most: number, does: string): StreamLimit {
  const open = new Map<string, number>();
  return (userId) => {
    const count = open.get(userId) ?? 0;
    if (count >= most) {
      const message = `An account can ${does} the log ${most} times at once.`;
      throw new Failure('RATE_LIMITED', message, { retryAfter: RETRY_AFTER });
    }
    open.set(userId, count + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const rest = (open.get(userId) ?? 1) - 1;
      if (rest > 0) open.set(userId, rest);
      else open.delete(userId);
    };
  };
}
