/** The table of the sites' icons, as `hub/db/schema.ts`. */
import { blob, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { vhosts } from '../../hub/db/schema.ts';

export const icons = sqliteTable('icons', {
  vhostId: integer('vhost_id')
    .primaryKey()
    .references(() => vhosts.id, { onDelete: 'cascade' }),
  askedAt: integer('asked_at', { mode: 'timestamp_ms' }).notNull(),
  /** What the site forwarded to when it was asked. */
  upstream: text('upstream').notNull(),
  /** Where its page says that the icon is, until that was asked for. */
  path: text('path'),
  /** Another one for each image; null as `image`. */
  version: text('version'),
  /** Null: the site has none. */
  image: blob('image', { mode: 'buffer' }),
});
