/** What stands between this hub and its proxy, for the log and the status. */
import { messageOf } from '../../shared/async.ts';
import type { Log } from '../../shared/log.ts';
import type { ProxyStatus } from '../../shared/wire.ts';
import type { Store } from '../model/store.ts';
import { type Contention, type ContentionPace, createContention } from './contention.ts';
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
