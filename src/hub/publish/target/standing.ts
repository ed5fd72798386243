/** What stands between this hub and its proxy, for the log and the status. */
import { messageOf } from '../../../shared/async.ts';
import { growing } from '../../../shared/every.ts';
import type { Log } from '../../../shared/log.ts';
import type { ProxyStatus } from '../../../shared/wire/proxy.ts';
import type { Store } from '../../model/store.ts';
import { ownershipWarning } from './ownership.ts';

export type Standing = {
  /** @param status null once the proxy serves what this hub published */
  see(status: ProxyStatus | null): void;
  readonly contention: Contention;
  /** Whose sites the proxy serves, if that is in the way of a change. */
  ownership(): string | null;
  /** All of it. */
  warnings(): string[];
  /** Logs each warning once, for as long as it stands. */
  report(): void;
};

export function createStanding(store: Store, log: Log, pace: ContentionPace): Standing {
  const contention = createContention(pace);
  let ownership: string | null = null;
  let reported: readonly string[] = [];

  function warnings(): string[] {
    const found = [ownership, contention.warning()];
    try {
      store.assertInPlace();
    } catch (error) {
      found.push(messageOf(error));
    }
    return found.filter((one) => one !== null);
  }

  return {
    see(status) {
      ownership = status && ownershipWarning(status, store);
    },
    contention,
    ownership: () => ownership,
    warnings,
    report() {
      const found = warnings();
      for (const warning of found) {
        if (!reported.includes(warning)) log('warning', { warning }, 'error');
      }
      reported = found;
    },
  };
}

/** Notices that another program keeps replacing what this hub publishes, and waits ever longer. */
type Contention = {
  /** Whether to leave what the other one published live for now. */
  isWaiting(): boolean;
  /** Notes that what another program had loaded was replaced. */
  replaced(): void;
  warning(): string | null;
};

/** Someone who tries something by hand is not a second hub. */
const PATIENCE = 3;

/** In milliseconds: the waits, and after how long it is over. */
export type ContentionPace = Readonly<{ first: number; longest: number; calm: number }>;

const WARNING =
  'Another program keeps replacing the configuration that this hub publishes: a second hub, a second agent, or something that uses Caddy’s admin endpoint. Switch it off. Until then this hub retries at growing intervals.';

/** @param clock milliseconds that never go back */
export function createContention(
  { first, longest, calm }: ContentionPace,
  clock = () => performance.now(),
): Contention {
  let times = 0;
  let last = Number.NEGATIVE_INFINITY;

  /** How often in a row. */
  function count(): number {
    if (clock() - last > calm) times = 0;
    return times;
  }

  return {
    isWaiting() {
      const beyond = count() - PATIENCE;
      return beyond >= 0 && clock() - last < growing(beyond + 1, first, longest);
    },
    replaced() {
      times = count() + 1;
      last = clock();
    },
    warning: () => (count() < PATIENCE ? null : WARNING),
  };
}
