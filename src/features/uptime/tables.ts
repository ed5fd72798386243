/** The tables of what checks answered between changes, as `hub/db/schema.ts`. */
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { agents, vhosts } from '../../hub/db/schema.ts';

const ofVhost = () =>
  integer('vhost_id')
    .notNull()
    .references(() => vhosts.id, { onDelete: 'cascade' });

/** How sites answered between changes, by the hour, for 90 days. */
export const uptime = sqliteTable(
  'uptime',
  {
    vhostId: ofVhost(),
    /** Hours since 1970. */
    hour: integer('hour').notNull(),
    asked: integer('asked').notNull(),
    failed: integer('failed').notNull(),
    /** Milliseconds; null if no answer was right. */
    p50: integer('p50'),
    p95: integer('p95'),
  },
  (table) => [primaryKey({ columns: [table.vhostId, table.hour] })],
);

/** The same for the hour that is not over, with each time: percentiles of parts have none of the whole. */
export const openHours = sqliteTable('open_hours', {
  vhostId: ofVhost().primaryKey(),
  hour: integer('hour').notNull(),
  asked: integer('asked').notNull(),
  failed: integer('failed').notNull(),
  /** Milliseconds of the answers that were right. */
  times: text('times', { mode: 'json' }).$type<number[]>().notNull(),
});

/** The checks that fail now, where, and since when. */
export const failingChecks = sqliteTable(
  'failing_checks',
  {
    vhostId: ofVhost(),
    agentId: integer('agent_id')
      .notNull()
      .references(() => agents.id, { onDelete: 'cascade' }),
    since: integer('since', { mode: 'timestamp_ms' }).notNull(),
    reason: text('reason').notNull(),
  },
  (table) => [primaryKey({ columns: [table.vhostId, table.agentId] })],
);
