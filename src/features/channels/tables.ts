/** The tables of channels and their messages, as `hub/db/schema.ts`. */
import { isNull } from 'drizzle-orm';
import { blob, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { incidents } from '../../hub/db/schema.ts';
import { EVENT_NAMES, type EventName, type QuietHours } from '../../shared/events.ts';

/** Where messages go when something breaks. */
export const channels = sqliteTable('channels', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  name: text('name').notNull(),
  kind: text('kind').notNull(),
  /** Those it gets; empty: all. */
  events: text('events', { mode: 'json' }).$type<readonly EventName[]>().notNull(),
  /** When messages wait; null: never. */
  quiet: text('quiet', { mode: 'json' }).$type<QuietHours>(),
  enabled: integer('enabled', { mode: 'boolean' }).notNull(),
  createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
  updatedAt: integer('updated_at', { mode: 'timestamp_ms' }).notNull(),
  /** Sealed: address and secrets, as the kind needs them, in JSON. */
  target: blob('target', { mode: 'buffer' }).notNull(),
});

/** The outbox, and what was sent from it: one row for each channel that gets a message. */
export const messages = sqliteTable(
  'messages',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    channelId: integer('channel_id')
      .notNull()
      .references(() => channels.id, { onDelete: 'cascade' }),
    incidentId: integer('incident_id').references(() => incidents.id, { onDelete: 'set null' }),
    state: text('state', { enum: ['began', 'over', 'flapping', 'test'] }).notNull(),
    /** Null for a test. */
    event: text('event', { enum: EVENT_NAMES }),
    about: text('about').notNull(),
    level: text('level', { enum: ['bad', 'warn'] }).notNull(),
    message: text('message').notNull(),
    /** When it happened. */
    at: integer('at', { mode: 'timestamp_ms' }).notNull(),
    /** Not sent before. */
    dueAt: integer('due_at', { mode: 'timestamp_ms' }).notNull(),
    attempts: integer('attempts').notNull().default(0),
    sentAt: integer('sent_at', { mode: 'timestamp_ms' }),
    /** The same for all that were sent as one; null for one that was sent alone. */
    digest: text('digest'),
    /** Why the last attempt failed, without the target. */
    error: text('error'),
  },
  (table) => [
    index('messages_waiting').on(table.channelId, table.dueAt).where(isNull(table.sentAt)),
    index('messages_of_incident').on(table.incidentId),
  ],
);

/** What is sealed, and how to do without what was. */
export const sealed = [
  {
    table: channels,
    column: channels.target,
    remedy: 'delete all channels and create them again',
  },
] as const;
