/** Asks the sites with a check between changes, and keeps what they answered. */
import type { Db } from '../../hub/db/open.ts';
import type { Checks } from '../../hub/watch/checks.ts';
import { settleAll } from '../../shared/async.ts';
import { every, type Repeated } from '../../shared/every.ts';
import { type Log, reasonOf } from '../../shared/log.ts';
import { createFailing } from './failing.ts';
import { createHours, type Hours } from './hours.ts';
import { createOverview, type SiteBars } from './overview.ts';
import { createRounds, type Heard, type RoundsDeps, type RoundsPace } from './rounds.ts';

export type UptimeDeps = Pick<RoundsDeps, 'publisher' | 'elapsed'> & {
  db: Db;
  /** `store`: milliseconds after which counts are stored: a crash loses no more. */
  pace: RoundsPace & { store: number };
  now: () => Date;
  log: Log;
};

/** Its end stores what is known; nothing is written once that has resolved. */
export type Uptime = Checks &
  Repeated & {
    /** Of one vhost: the hours that anything is known of, oldest first. */
    hours: Hours['of'];
    /** Of all that are asked now. */
    overview(): Promise<SiteBars[]>;
  };

export function createUptime({ db, publisher, pace, now, elapsed, log }: UptimeDeps): Uptime {
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
      rounds.stop();
      store();
    },
  };
}
