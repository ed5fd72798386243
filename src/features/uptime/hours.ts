/**
 * How sites answered, by the hour. The open hour is kept in memory with each time, and stored now and then, so
 * that a crash loses minutes at most; once it is over, its percentiles are enough.
 */
import { and, between, eq, inArray, lt, sql } from 'drizzle-orm';
import { type Db, inTransaction } from '../../hub/db/open.ts';
import { vhosts } from '../../hub/db/schema.ts';
import type { CheckedHour } from '../../hub/watch/checks.ts';
import { openHours, uptime } from './tables.ts';

/** `p50` and `p95`: milliseconds of the right answers, null if there were none. */
type Hour = CheckedHour & Readonly<{ p50: number | null; p95: number | null }>;

export type Hours = {
  /** Counts an answer. @param took milliseconds of a right one; null: it was wrong */
  note(vhost: number, took: number | null): void;
  /** Stores what is new, and forgets what is old. @throws SQLite errors, with nothing lost */
  store(): void;
  /** Forgets what is not stored of vhosts that are no more; the rest goes with them. */
  keep(vhosts: ReadonlySet<number>): void;
  /** Of one vhost, those that anything is known of, oldest first. @param count up to this one */
  of(vhost: number, count: number): Hour[];
  /** The same, as far as it is stored. */
  stored(vhost: number, count: number): Hour[];
  /** The rest: the same hour may have some in both. */
  fresh(vhost: number): readonly CheckedHour[];
  /** Another one as soon as more is stored, or less. */
  edition(): number;
  /** The hour that it is. */
  now(): number;
};

const HOUR_MS = 3_600_000;
const KEPT_HOURS = 90 * 24;
/** More is a clock that was set: what is old is only known the next time. */
const MOST_LEAP = 24;

type Open = { hour: number; asked: number; failed: number; times: number[]; isNew: boolean };

export function createHours(db: Db, clock: () => Date): Hours {
  const now = () => Math.floor(clock().getTime() / HOUR_MS);
  const open = new Map<number, Open>(
    db
      .select()
      .from(openHours)
      .all()
      .map(({ vhostId, ...one }) => [vhostId, { ...one, isNew: false }]),
  );
  const { add, end, put, read } = prepared(db);
  /** Those that are over, but not stored. */
  const closed = new Map<number, Open[]>();
  let last = now();
  let edition = 0;

  function close(vhostId: number, one: Open): void {
    closed.set(vhostId, [...(closed.get(vhostId) ?? []), one]);
    open.delete(vhostId);
  }

  function fresh(vhost: number): readonly Open[] {
    const over = closed.get(vhost) ?? [];
    const one = open.get(vhost);
    return one ? [...over, one] : over;
  }

  function stored(vhost: number, count: number): Hour[] {
    const to = now();
    return read.all({ vhostId: vhost, from: to - count + 1, to });
  }

  return {
    note(vhost, took) {
      const hour = now();
      const before = open.get(vhost);
      if (before && before.hour !== hour) close(vhost, before);
      const one = open.get(vhost) ?? { hour, asked: 0, failed: 0, times: [], isNew: true };
      one.asked++;
      if (took === null) one.failed++;
      else one.times.push(Math.round(took));
      one.isNew = true;
      open.set(vhost, one);
    },

    store() {
      const hour = now();
      for (const [id, one] of open) if (one.hour !== hour) close(id, one);
      const leap = hour - last;
      inTransaction(db, (tx) => {
        const rows = tx.select({ id: vhosts.id }).from(vhosts).all();
        const known = new Set(rows.map(({ id }) => id));
        for (const [vhostId, all] of closed) {
          for (const one of known.has(vhostId) ? all : []) {
            add.run({ vhostId, ...hourOf(one) });
            end.run({ vhostId, hour: one.hour });
          }
        }
        for (const [vhostId, { isNew, ...one }] of open) {
          if (!known.has(vhostId)) open.delete(vhostId);
          else if (isNew) put.run({ vhostId, ...one });
        }
        if (leap > 0 && leap <= MOST_LEAP) prune(tx, hour);
      });
      for (const one of open.values()) one.isNew = false;
      if (closed.size > 0) edition++;
      closed.clear();
      last = hour;
    },

    keep(known) {
      for (const id of [...open.keys(), ...closed.keys()].filter((one) => !known.has(one))) {
        open.delete(id);
        closed.delete(id);
        edition++;
      }
    },

    of(vhost, count) {
      const to = now();
      const found = new Map(stored(vhost, count).map((one) => [one.hour, one]));
      for (const one of fresh(vhost).map(hourOf)) {
        const before = found.get(one.hour) ?? { asked: 0, failed: 0 };
        const [asked, failed] = [before.asked + one.asked, before.failed + one.failed];
        if (one.hour > to - count && one.hour <= to) {
          found.set(one.hour, { ...one, asked, failed });
        }
      }
      return [...found.values()].toSorted((a, b) => a.hour - b.hour);
    },

    stored,
    fresh,
    edition: () => edition,
    now,
  };
}

/** Made once: making one takes ten times as long as running it. */
function prepared(db: Db) {
  const slot = sql.placeholder;
  const counts = { vhostId: slot('vhostId'), hour: slot('hour') };
  const values = { ...counts, asked: slot('asked'), failed: slot('failed') };
  return {
    add: db
      .insert(uptime)
      .values({ ...values, p50: slot('p50'), p95: slot('p95') })
      .onConflictDoUpdate({
        target: [uptime.vhostId, uptime.hour],
        // The clock was set back: it is the same hour again.
        set: {
          asked: sql`${uptime.asked} + excluded.asked`,
          failed: sql`${uptime.failed} + excluded.failed`,
          p50: sql`excluded.p50`,
          p95: sql`excluded.p95`,
        },
      })
      .prepare(),
    end: db
      .delete(openHours)
      .where(and(eq(openHours.vhostId, slot('vhostId')), eq(openHours.hour, slot('hour'))))
      .prepare(),
    put: db
      .insert(openHours)
      .values({ ...values, times: slot('times') })
      .onConflictDoUpdate({
        target: openHours.vhostId,
        set: {
          hour: sql`excluded.hour`,
          asked: sql`excluded.asked`,
          failed: sql`excluded.failed`,
          times: sql`excluded.times`,
        },
      })
      .prepare(),
    read: db
      .select({
        hour: uptime.hour,
        asked: uptime.asked,
        failed: uptime.failed,
        p50: uptime.p50,
        p95: uptime.p95,
      })
      .from(uptime)
      .where(
        and(eq(uptime.vhostId, slot('vhostId')), between(uptime.hour, slot('from'), slot('to'))),
      )
      .orderBy(uptime.hour)
      .prepare(),
  };
}

type Writer = Pick<Db, 'select' | 'delete'>;

const prune = (tx: Writer, hour: number): void => {
  tx.delete(uptime)
    .where(and(isOfSome(tx), lt(uptime.hour, hour - KEPT_HOURS + 1)))
    .run();
};

/** Of any vhost: lets SQLite find the hours of each by the key, instead of reading all of them. */
const isOfSome = (tx: Pick<Db, 'select'>) =>
  inArray(uptime.vhostId, tx.select({ id: vhosts.id }).from(vhosts));

const hourOf = ({ hour, asked, failed, times }: Open): Hour => {
  const sorted = times.toSorted((a, b) => a - b);
  return { hour, asked, failed, p50: percentile(sorted, 0.5), p95: percentile(sorted, 0.95) };
};

/** The nearest rank. */
const percentile = (sorted: readonly number[], share: number): number | null =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
