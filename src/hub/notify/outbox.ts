/** The messages in the database: those that wait for the sender, and those that were sent. */
import { and, asc, desc, eq, gt, isNotNull, isNull, lte, ne } from 'drizzle-orm';
import type { Db } from '../db/open.ts';
import { channels, type incidents, messages } from '../db/schema.ts';

/** The database, or a transaction. */
export type Writer = Pick<Db, 'select' | 'insert' | 'update' | 'delete'>;

export type StoredIncident = typeof incidents.$inferSelect;
export type Message = typeof messages.$inferSelect;

/** Sent ones that are kept for people to see. */
const KEPT = 1_000;

/** Waiting ones that are read at a time: a receiver may be away for days. */
const MOST = 500;

/**
 * One message, in the transaction that records what it is about, for each enabled channel that gets such
 * events and was there when it began.
 */
export function putOut(
  tx: Writer,
  { id, event, about, level, message, beganAt }: StoredIncident,
  state: 'began' | 'over' | 'flapping',
  at: Date,
): void {
  const wanting = tx
    .select()
    .from(channels)
    .where(and(eq(channels.enabled, true), lte(channels.createdAt, beganAt)))
    .all()
    .filter(({ events }) => events.length === 0 || events.includes(event));
  for (const channel of wanting) {
    tx.insert(messages)
      .values({
        ...{ channelId: channel.id, incidentId: id, state, event, about, level, message },
        ...{ at, dueAt: at },
      })
      .run();
  }
}

/** Forgets the oldest of those that were sent. */
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
  tx.delete(messages)
    .where(and(isNotNull(messages.sentAt), lte(messages.id, oldest.id)))
    .run();
}

/** In the order in which they happened. */
export const waitingFor = (db: Db, channel: number): Message[] =>
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
