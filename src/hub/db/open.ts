/** Opens the hub's database: the folder's lock, pragmas, and today's schema. */
import { Database } from 'bun:sqlite';
import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { drizzle } from 'drizzle-orm/bun-sqlite';
import { lockFolder } from '../../shared/lock.ts';
import { MIGRATIONS, migrate, refuseNewer } from './migrate.ts';
import * as schema from './schema.ts';
import { storedVersion, versionOf } from './version.ts';

/** Where the database is. */
export const databaseIn = (folder: string): string => join(folder, 'signalbox.db');

export type Db = ReturnType<typeof openDatabase>['db'];

/**
 * @throws Error where another hub uses the folder; where the database comes from a newer version,
 * with nothing written; or where it cannot be migrated, with the database as it was
 */
export function openDatabase(folder: string) {
  const release = lockFolder(folder, 'hub');
  let sqlite: Database | undefined;
  try {
    const file = databaseIn(folder);
    refuseNewer(storedVersion(file));
    sqlite = new Database(file, { create: true, strict: true });
    // It holds password hashes; the files SQLite puts beside it take over its mode.
    chmodSync(file, 0o600);
    sqlite.run('PRAGMA journal_mode = WAL');
    prepare(sqlite);
    migrate(sqlite, file);
    const opened = sqlite;
    return {
      db: drizzle(opened, { schema }),
      close: () => {
        opened.close();
        release();
      },
    };
  } catch (error) {
    sqlite?.close();
    release();
    throw error;
  }
}

/**
 * Opens the database of a hub that may be running: without the folder's lock, and as it is.
 * @throws Error where there is none, or another version's
 */
export function openBeside(folder: string) {
  const sqlite = openAsItIs(folder);
  prepare(sqlite);
  if (versionOf(sqlite) !== MIGRATIONS.length) {
    sqlite.close();
    throw new Error('the database is an older version’s; start the hub once with this one');
  }
  return { db: drizzle(sqlite, { schema }), close: () => sqlite.close() };
}

/**
 * The same of any version but a newer one, for who only reads.
 * @throws Error where there is none, or a newer version's
 */
export function openAsItIs(folder: string): Database {
  const file = databaseIn(folder);
  if (!existsSync(file)) throw new Error(`there is no database in ${folder}`);
  refuseNewer(storedVersion(file));
  return new Database(file, { readwrite: true, strict: true });
}

function prepare(sqlite: Database): void {
  // A power cut must not take back what was answered with success: FULL syncs at each commit.
  sqlite.run('PRAGMA synchronous = FULL');
  sqlite.run('PRAGMA foreign_keys = ON');
  sqlite.run('PRAGMA busy_timeout = 5000');
}
