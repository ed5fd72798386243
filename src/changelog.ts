/** `/changelog`: what was changed and by whom, newest first. */
import { desc } from 'drizzle-orm';
import type { Db } from './db/open.ts';
import { changelog } from './db/schema.ts';

const LATEST = 100;

/** The latest hundred accepted changes. */
export const latestChanges = (db: Db) =>
  db.select().from(changelog).orderBy(desc(changelog.id)).limit(LATEST).all();
