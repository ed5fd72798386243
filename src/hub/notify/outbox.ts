/** Puts messages where the sender finds them, in the transaction that records what they are about. */
import { and, desc, eq, isNotNull, lte } from 'drizzle-orm';
import type { Db } from '../db/open.ts';
import { channels, type incidents, messages } from '../db/schema.ts';

/** The database, or a transaction. */
export type Writer = Pick<Db, 'select' | 'insert' | 'update' | 'delete'>;

export type StoredIncident = typeof incidents.$inferSelect;

/** Sent ones that are kept for people to see. */
const KEPT = 1_000;

/** One message for each enabled channel that gets such events, and was there when it began. */
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
