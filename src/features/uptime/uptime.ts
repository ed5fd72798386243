/** Asks the sites with a check between changes, and keeps what they answered. */
import type { HubCore } from '../../hub/core.ts';
import type { Checks } from '../../hub/watch/checks.ts';
import { settleAll } from '../../shared/async.ts';
import { every, type Repeated } from '../../shared/every.ts';
import { reasonOf } from '../../shared/log.ts';
import { createFailing } from './failing.ts';
import { createHours, type Hours } from './hours.ts';
import { createOverview, type SiteBars } from './overview.ts';
import { createRounds, type Heard, type RoundsPace } from './rounds.ts';

/** Its end stores what is known; nothing is written once that has resolved. */
export type Uptime = Omit<Checks, 'hours'> &
  Repeated & {
    /** Of one vhost: the hours that anything is known of, oldest first. */
    hours: Hours['of'];
    /** Of all that are asked now. */
    overview(): Promise<SiteBars[]>;
  };

/** @param pace `store`: milliseconds after which counts are stored: a crash loses no more */
export function createUptime(
  { db, publisher, now, elapsed, log }: HubCore,
  pace: RoundsPace & { store: number },
): Uptime {
  const failing = createFailing(db, publisher.current);
  const hours = createHours(db, now);
  const overview = createOverview(hours);
  let lastFault = '';
  let lastSet = publisher.current();

  /** Without a database, what is asked is not known later; it goes on all the same. */
  function safely(work: () => void): void {
    try {
      work();
      lastFault = '';
    } catch (error) {
      const reason = reasonOf(error);
      if (reason !== lastFault) log('checks not recorded', { reason }, 'error');
      lastFault = reason;
    }
  }

  function hear(heard: Heard): void {
    const answers = [...heard.answers.values()];
    const isRight = answers.every(({ passed }) => passed);
    // Visitors get any of the proxies: the slowest counts.
    hours.note(heard.vhost.id, isRight ? Math.max(...answers.map(({ took = 0 }) => took)) : null);
    safely(() => failing.hear(heard, now()));
  }

  const rounds = createRounds({
    publisher,
    pace,
    elapsed,
    hasFailed: ({ id }) => failing.hasFailed(id),
    heard: hear,
  });
  const store = () => safely(hours.store);

  function look(): void {
    const set = publisher.current();
    if (set !== lastSet) {
      hours.keep(new Set(set.vhosts.map(({ id }) => id)));
      safely(failing.forget);
    }
    lastSet = set;
    rounds.look();
  }

  const looks = every({ pause: pace.look, first: pace.look }, look);
  const storing = every({ pause: pace.store, first: pace.store }, store);

  return {
    of: failing.of,
    isUnknown: failing.isUnknown,
    hours: hours.of,
    overview: () => overview(publisher.current()),
    begin() {
      looks.begin();
      storing.begin();
    },
    async end() {
      await settleAll([looks.end(), storing.end()]);
      rounds.end();
      store();
    },
  };
}
