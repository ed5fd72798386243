/** The incidents in the database: each is recorded together with the messages about it. */

import { and, count, desc, eq, gt, isNotNull, isNull, lte } from 'drizzle-orm';
import { type Static, t } from 'elysia';
import { EVENT_NAMES, type EventName } from '../../../shared/events.ts';
import { integer } from '../../../shared/integer.ts';
import { type Db, inTransaction } from '../../db/open.ts';
import { incidents } from '../../db/schema.ts';
import { Timestamp } from '../../http/schemas.ts';
import type { Saying } from '../../model/known-changes.ts';
import { incidentKey, KnownView } from '../problem.ts';
import { type Incident, vhostIdOf, type WatchPace } from './reports.ts';
import { type Act, reopened, type Watched } from './step.ts';

/** The database, or a transaction. */
export type Writer = Pick<Db, 'select' | 'insert' | 'update' | 'delete'>;

export type StoredIncident = typeof incidents.$inferSelect;

type Announce = (incident: StoredIncident, state: 'began' | 'over' | 'flapping', at: Date) => void;

/** Writes the messages about incidents, in the transaction that records one. */
export type Outbox = {
  announcer(tx: Writer): Announce;
  /** Forgets what is old. */
  prune(tx: Writer): void;
};

export type IncidentListener = Outbox &
  Readonly<{
    /** Called when something was recorded, and is in the database. */
    recorded: () => void;
  }>;

/** The message of an incident that is over because there is nothing left that it could be about. */
export const DROPPED = 'The site was deleted or disabled, or the agent was removed.';

export type Incidents = {
  /** What the first step continues. @param elapsed milliseconds of a clock that is never set */
  load(now: Date, elapsed: number): Watched;
  /** All of it, or nothing. @param now when the look was that led to it */
  record(acts: readonly Act[], now: Date): void;
  /**
   * Announces those that were not, because they were known, and are no longer.
   * @returns whether there were any
   */
  tell(now: Date): boolean;
  /** How many are open, by event. */
  open(): ReadonlyMap<EventName, number>;
};

/** Of those that are over. */
const KEPT = 1_000;

/** @param isKnown whether people know of a problem: such an incident is announced to nobody */
export function createIncidents(
  db: Db,
  outboxes: readonly Outbox[],
  isKnown: (problem: string) => boolean,
  pace: Pick<WatchPace, 'settles' | 'flapping'>,
): Incidents {
  function announcer(tx: Writer): Announce {
    const all = outboxes.map((outbox) => outbox.announcer(tx));
    return (...what) => {
      for (const announce of all) announce(...what);
    };
  }

  return {
    load(now, elapsed) {
      const whenWas = (at: Date) => elapsed - Math.max(0, now.getTime() - at.getTime());
      const open = db.select().from(incidents).where(isNull(incidents.overAt)).all();
      const since = new Date(now.getTime() - pace.flapping);
      const recent = db.select().from(incidents).where(gt(incidents.beganAt, since)).all();
      return {
        states: new Map(
          open.map((one) =>
            reopened(incidentOf(one, pace), one.flapping, one.goneAt && whenWas(one.goneAt)),
          ),
        ),
        beginnings: new Map(
          [...Map.groupBy(recent, incidentKey)].map(([key, all]) => [
            key,
            all.map(({ beganAt }) => whenWas(beganAt)),
          ]),
        ),
      };
    },

    record(acts, now) {
      inTransaction(db, (tx) => {
        const announce = announcer(tx);
        for (const act of acts) {
          const untold = isKnown(act.incident.problem);
          recordOne(tx, announce, { ...act, untold }, new Date(now.getTime() - act.ago));
        }
        prune(tx);
        for (const outbox of outboxes) outbox.prune(tx);
      });
    },

    tell(now) {
      const isUntold = and(isNull(incidents.overAt), eq(incidents.untold, true));
      const told = db.select().from(incidents).where(isUntold).all();
      const open = told.filter(({ problem }) => !isKnown(problem));
      if (open.length === 0) return false;
      inTransaction(db, (tx) => {
        const announce = announcer(tx);
        for (const one of open) {
          tx.update(incidents).set({ untold: false }).where(eq(incidents.id, one.id)).run();
          announce(one, one.flapping ? 'flapping' : 'began', now);
        }
      });
      return true;
    },

    open: () =>
      new Map(
        db
          .select({ event: incidents.event, open: count() })
          .from(incidents)
          .where(isNull(incidents.overAt))
          .groupBy(incidents.event)
          .all()
          .map(({ event, open }) => [event, open]),
      ),
  };
}

const incidentOf = (
  { event, subject, about, level, message, problem }: StoredIncident,
  { settles }: Pick<WatchPace, 'settles'>,
): Incident => ({ event, subject, about, level, message, problem, settles });

function recordOne(
  tx: Writer,
  announce: Announce,
  { kind, incident, untold, since }: Act & { untold: boolean },
  at: Date,
): void {
  const { event, subject, about, level, message, problem } = incident;
  if (kind === 'began' || kind === 'flapping') {
    const beganAt = since && since < at ? since : at;
    const values = { event, subject, about, level, message, problem, untold, beganAt };
    const made = tx
      .insert(incidents)
      .values({ ...values, flapping: kind === 'flapping' })
      .returning()
      .get();
    if (!untold) announce(made, kind, at);
    return;
  }
  const isIt = and(
    eq(incidents.event, event),
    eq(incidents.subject, subject),
    isNull(incidents.overAt),
  );
  const changes = {
    over: { overAt: at, goneAt: null },
    dropped: { overAt: at, goneAt: at },
    stayed: { flapping: false },
    left: { goneAt: at },
    returned: { goneAt: null },
    changed: { about, level, message, problem },
  }[kind];
  const changed = tx.update(incidents).set(changes).where(isIt).returning().get();
  if (!changed) return;
  if (kind === 'over') announce(changed, 'over', at);
  if (kind === 'dropped') announce({ ...changed, message: DROPPED }, 'over', at);
  if (kind === 'stayed' && !changed.untold) announce(changed, 'began', at);
}

/** Forgets the oldest of those that are over. */
function prune(tx: Writer): void {
  const [oldest] = tx
    .select({ id: incidents.id })
    .from(incidents)
    .where(isNotNull(incidents.overAt))
    .orderBy(desc(incidents.id))
    .limit(1)
    .offset(KEPT)
    .all();
  if (!oldest) return;
  tx.delete(incidents)
    .where(and(isNotNull(incidents.overAt), lte(incidents.id, oldest.id)))
    .run();
}

/** When each open incident began, by `incidentKey`. */
export const beginnings = (db: Db): ReadonlyMap<string, Date> =>
  new Map(
    db
      .select({ event: incidents.event, subject: incidents.subject, beganAt: incidents.beganAt })
      .from(incidents)
      .where(isNull(incidents.overAt))
      .all()
      .map(({ beganAt, ...one }) => [incidentKey(one), beganAt]),
  );

export const IncidentView = t.Object(
  {
    id: integer(),
    event: t.UnionEnum(EVENT_NAMES),
    vhost: t.Optional(
      t.Object(
        { id: integer(), domain: t.String({ description: 'as it was when the incident began' }) },
        { description: 'if it is about one' },
      ),
    ),
    agent: t.Optional(
      t.String({ description: 'if it is about one, and the hub had several when it began' }),
    ),
    level: t.UnionEnum(['bad', 'warn'], { description: '`bad`: it affects visitors or changes' }),
    message: t.String({ description: 'for people: the cause, and the fix if there is one' }),
    beganAt: Timestamp,
    overAt: t.Union([Timestamp, t.Null()], { description: 'null while it is open' }),
    dropped: t.Optional(
      t.Literal(true, {
        description:
          'it was not resolved: its site was deleted or disabled, or its agent removed, so that nobody watches it any more',
      }),
    ),
    flapping: t.Boolean({
      description: 'it began so often that it counts as resolved only after ten minutes without it',
    }),
    known: t.Optional(KnownView),
  },
  { title: 'Incident' },
);
export type IncidentView = Static<typeof IncidentView>;

const MOST = 100;

/** At most 100, newest first. @param known what is known now, by the problem */
export const listIncidents = (
  db: Db,
  onlyOpen: boolean,
  known: ReadonlyMap<string, Saying>,
): IncidentView[] =>
  db
    .select()
    .from(incidents)
    .where(onlyOpen ? isNull(incidents.overAt) : undefined)
    .orderBy(desc(incidents.id))
    .limit(MOST)
    .all()
    .map(
      ({
        id,
        event,
        subject,
        about,
        level,
        message,
        beganAt,
        goneAt,
        overAt,
        flapping,
        problem,
      }) => ({
        id,
        event,
        level,
        message,
        flapping,
        ...whoOf(subject, about),
        beganAt: beganAt.toISOString(),
        overAt: overAt?.toISOString() ?? null,
        ...(overAt === null && knownOf(known.get(problem))),
        ...(overAt && goneAt && { dropped: true as const }),
      }),
    );

const knownOf = (known: Saying | undefined) => known && { known };

function whoOf(subject: string, about: string): Pick<IncidentView, 'vhost' | 'agent'> {
  const id = vhostIdOf(subject);
  if (id !== null) return { vhost: { id, domain: about } };
  return about === '' ? {} : { agent: about };
}
