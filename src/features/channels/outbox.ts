/** The messages in the database: those that wait for the sender, and those that were sent. */
import { and, asc, desc, eq, gt, isNotNull, isNull, lte, ne, notInArray, or } from 'drizzle-orm';
import type { Db } from '../../hub/db/open.ts';
import { incidents } from '../../hub/db/schema.ts';
import type { Outbox, StoredIncident, Writer } from '../../hub/watch/incidents/incidents.ts';
import { channels, messages } from './tables.ts';

export type MessageRow = typeof messages.$inferSelect;

/** Sent ones that are kept for people to see. */
const KEPT = 1_000;

/** Waiting ones that are read at a time: a receiver may be offline for days. The rest is the next digest. */
const MOST = 1_000;

/** What incidents are announced to. */
export const outbox: Outbox = {
  announcer(tx) {
    const all = tx.select().from(channels).all();
    return (incident, state, at) => enqueueMessages(tx, all, incident, state, at);
  },
  prune: pruneSent,
};

/**
 * Adds a message about an incident, in the transaction that records it, for each channel that gets such events. When
 * it begins, these are the enabled channels; when it is over, those that have a message of its beginning.
 */
function enqueueMessages(
  tx: Writer,
  all: readonly (typeof channels.$inferSelect)[],
  { id, event, about, level, message }: StoredIncident,
  state: 'began' | 'over' | 'flapping',
  at: Date,
): void {
  const earlier = tx
    .select({ channel: messages.channelId })
    .from(messages)
    .where(eq(messages.incidentId, id))
    .all();
  const announced = new Set(earlier.map(({ channel }) => channel));
  const recipients = all
    .filter((one) => (state === 'over' ? announced.has(one.id) : one.enabled))
    .filter(({ events }) => events.length === 0 || events.includes(event));
  if (recipients.length === 0) return;
  const row = { incidentId: id, state, event, about, level, message, at, dueAt: at };
  tx.insert(messages)
    .values(recipients.map(({ id }) => ({ ...row, channelId: id })))
    .run();
}

/** Has the messages that wait for a channel tried now. */
export function tryNow(tx: Writer, channel: number, time: Date): void {
  const waits = and(eq(messages.channelId, channel), isNull(messages.sentAt));
  tx.update(messages).set({ dueAt: time }).where(waits).run();
}

/** Forgets the oldest of those that were sent, but not what an open incident was reported with. */
export function pruneSent(tx: Writer): void {
  const [oldest] = tx
    .select({ id: messages.id })
    .from(messages)
    .where(isNotNull(messages.sentAt))
    .orderBy(desc(messages.id))
    .limit(1)
    .offset(KEPT)
    .all();
  if (!oldest) return;
  const open = tx.select({ id: incidents.id }).from(incidents).where(isNull(incidents.overAt));
  const isOfNone = or(isNull(messages.incidentId), notInArray(messages.incidentId, open));
  tx.delete(messages)
    .where(and(isNotNull(messages.sentAt), lte(messages.id, oldest.id), isOfNone))
    .run();
}

/** In the order in which they happened. */
export const waitingFor = (db: Db, channel: number): MessageRow[] =>
  db
    .select()
    .from(messages)
    .where(and(eq(messages.channelId, channel), isNull(messages.sentAt)))
    .orderBy(asc(messages.id))
    .limit(MOST)
    .all();

/** When a channel got something since then, a digest once. */
export function sentSince(db: Db, channel: number, time: Date): Date[] {
  const rows = db
    .select({ id: messages.id, digest: messages.digest, sentAt: messages.sentAt })
    .from(messages)
    .where(
      and(
        eq(messages.channelId, channel),
        gt(messages.sentAt, time),
        isNull(messages.error),
        ne(messages.state, 'test'),
      ),
    )
    .all();
  const each = new Map(rows.map(({ id, digest, sentAt }) => [digest ?? id, sentAt]));
  return [...each.values()].flatMap((at) => at ?? []);
}
