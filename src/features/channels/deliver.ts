/** Delivers messages to channels of any kind, and lists what was delivered or waits. */
import { randomUUID } from 'node:crypto';
import { desc, eq } from 'drizzle-orm';
import type { HubCore } from '../../hub/core.ts';
import { type Db, inTransaction } from '../../hub/db/open.ts';
import { within } from '../../shared/async.ts';
import { Failure } from '../../shared/failure.ts';
import type { Channel, Destination } from './channels.ts';
import { KINDS } from './kinds/kinds.ts';
import { failedWith, notTaken } from './kinds/post.ts';
import { type Delivery, textOf } from './message.ts';
import { pruneSent, tryNow } from './outbox.ts';
import { channels, messages } from './tables.ts';

/**
 * Hands a message over, once and within a deadline.
 * @throws Failure CHANNEL_FAILED; neither message nor detail contains the target
 */
export type Deliver = (channel: Destination, delivery: Delivery) => Promise<void>;

/** However the receiver behaves; ten is what most senders of webhooks allow. */
const DEADLINE_MS = 10_000;

/**
 * @param hub its id, by which receivers can tell several
 * @param deadline milliseconds for one attempt
 */
export function createDeliver(hub: string, deadline = DEADLINE_MS): Deliver {
  return async ({ kind, target, quiet }, delivery) => {
    const giveUp = new AbortController();
    const { signal } = giveUp;
    const text = textOf(delivery, quiet?.timeZone ?? 'UTC');
    const sent = KINDS[kind]
      .send(target(), { hub, delivery, text, signal })
      // The message of any other error may contain the target.
      .catch((error) => {
        throw error instanceof Failure ? error : failedWith('');
      });
    await within(sent, deadline, () => {
      giveUp.abort();
      throw notTaken(`no answer within ${deadline / 1000} s`);
    });
  };
}

export type DeliveryRow = typeof messages.$inferSelect & { channel: { id: number; name: string } };

/** Of those that are listed. */
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

/**
 * Sends a test message to a channel, at once and once, and records what became of it.
 * @throws Failure CHANNEL_FAILED
 */
export async function deliverTest(
  { db, now }: Pick<HubCore, 'db' | 'now'>,
  deliver: Deliver,
  channel: Channel,
): Promise<void> {
  const test = testOf(channel, now());
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
    await sendTest(deliver, channel, test);
  } catch (error) {
    if (error instanceof Failure) record(error.detail ?? error.message);
    throw error;
  }
  record(null);
}

/**
 * Sends a test message as `deliverTest`, to a channel that is not stored: nothing is recorded.
 * @throws Failure CHANNEL_FAILED
 */
export const tryDraft = (
  { now }: Pick<HubCore, 'now'>,
  deliver: Deliver,
  draft: Destination & { name: string },
): Promise<void> => sendTest(deliver, draft, testOf(draft, now()));

const testOf = ({ name }: { name: string }, at: Date) =>
  ({
    state: 'test',
    event: null,
    about: '',
    level: 'warn',
    message: `Test message from signalbox: channel ${name} works.`,
    at,
  }) as const;

const sendTest = (deliver: Deliver, to: Destination, test: ReturnType<typeof testOf>) =>
  deliver(to, { id: randomUUID(), messages: [{ id: 0, ...test }] });
