/** What was sent to the channels, or waits for them. */
import { desc, eq } from 'drizzle-orm';
import type { Db } from '../db/open.ts';
import { channels, messages } from '../db/schema.ts';

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
