/** Asks the sites with a check between changes, and keeps what they answered. */
import type { Db } from '../../hub/db/open.ts';
import type { Checks } from '../../hub/watch/checks.ts';
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

export type Uptime = Checks & {
  /** Of one vhost: the hours that anything is known of, oldest first. */
  hours: Hours['of'];
  /** Of all that are asked now. */
  overview(): Promise<SiteBars[]>;
  begin(): void;
  /** Stores what is known. Nothing is written once it has returned. */
  stop(): void;
};

export function createUptime({ db, publisher, pace, now, elapsed, log }: UptimeDeps): Uptime {
  const failing = createFailing(db, publisher.current);
  const hours = createHours(db, now);
  const overview = createOverview(hours);
  let lastFault = '';
  let lastSet = publisher.current();
  let looking: Timer | undefined;
  let storing: Timer | undefined;

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
    ...{ publisher, pace, elapsed },
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

  return {
    of: failing.of,
    isUnknown: failing.isUnknown,
    hours: hours.of,
    overview: () => overview(publisher.current()),
    begin() {
      looking = setInterval(look, pace.look);
      storing = setInterval(store, pace.store);
    },
    stop() {
      clearInterval(looking);
      clearInterval(storing);
      rounds.stop();
      store();
    },
  };
}
