/** How many live streams an account may have open at once. */
import { Failure } from '../../shared/failure.ts';

/**
 * Counts one more stream of an account; the returned function counts it out again, once.
 * @throws Failure RATE_LIMITED if the account has no stream left
 */
export type StreamLimit = (userId: string) => () => void;

/** A dashboard needs one for each tab that shows the log. */
const PER_ACCOUNT = 20;
/** Seconds after which the hub has noticed that a reader is gone. */
const RETRY_AFTER = 15;

export function createStreamLimit(): StreamLimit {
  const open = new Map<string, number>();
  return (userId) => {
    const count = open.get(userId) ?? 0;
    if (count >= PER_ACCOUNT) {
      const message = `An account can follow the log ${PER_ACCOUNT} times at once.`;
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
