/** What was sent to the channels, or waits for them. */
import { randomUUID } from 'node:crypto';
import { desc, eq } from 'drizzle-orm';
import { Failure } from '../../shared/failure.ts';
import { type Db, inTransaction } from '../db/open.ts';
import { channels, messages } from '../db/schema.ts';
import type { Channel, Deliver } from './message.ts';
import { pruneSent, tryNow } from './outbox.ts';

export type DeliveryRow = typeof messages.$inferSelect & { channel: { id: number; name: string } };

const MOST = 100;

/** The latest, newest first. */
export const latestDeliveries = (db: Db): DeliveryRow[] =>
  db
    .select()
    .from(messages)
    .innerJoin(channels, eq(channels.id, messages.channelId))
    .orderBy(desc(messages.id))
    .limit(MOST)
    .all()
    .map(({ messages: message, channels: { id, name } }) => ({
      ...message,
      channel: { id, name },
    }));

export type TestDeps = { db: Db; deliver: Deliver; now: () => Date };

/**
 * Sends a test message to a channel, at once and once, and records what became of it.
 * @throws Failure CHANNEL_FAILED
 */
export async function deliverTest({ db, deliver, now }: TestDeps, channel: Channel): Promise<void> {
  const test = {
    state: 'test',
    event: null,
    about: '',
    level: 'warn',
    message: `Test message from signalbox: channel ${channel.name} works.`,
    at: now(),
  } as const;
  const record = (error: string | null) => {
    // It may have been deleted meanwhile.
    if (!db.select().from(channels).where(eq(channels.id, channel.id)).get()) return;
    const sentAt = now();
    inTransaction(db, (tx) => {
      tx.insert(messages)
        .values({ ...test, channelId: channel.id, dueAt: test.at, attempts: 1, sentAt, error })
        .run();
      pruneSent(tx);
      if (error === null) tryNow(tx, channel.id, sentAt);
    });
  };
  try {
    await deliver(channel, { id: randomUUID(), happenings: [{ id: 0, ...test }] });
  } catch (error) {
    if (error instanceof Failure) record(error.detail ?? error.message);
    throw error;
  }
  record(null);
}
