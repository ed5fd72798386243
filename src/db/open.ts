/** Opens the hub's database: the folder's lock, pragmas, and migrations shipped in the program. */
import { Database } from 'bun:sqlite';
import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { drizzle } from 'drizzle-orm/bun-sqlite';
import { lockFolder } from '../lock.ts';
import first from './migrations/0001-first.sql' with { type: 'text' };
import tokens from './migrations/0002-tokens.sql' with { type: 'text' };
import history from './migrations/0003-history.sql' with { type: 'text' };
import * as schema from './schema.ts';

/** In order; the position is what `PRAGMA user_version` counts. Never edit one that was released. */
const MIGRATIONS: readonly string[] = [first, tokens, history];

const NAME = 'signalbox.db';

export type Db = ReturnType<typeof openDatabase>['db'];

/** @throws Error where another hub uses the folder, or the database comes from a newer version */
export function openDatabase(folder: string) {
  const release = lockFolder(folder, 'hub');
  try {
    const file = join(folder, NAME);
    const sqlite = new Database(file, { create: true, strict: true });
    // It holds password hashes; the files SQLite puts beside it take over its mode.
    chmodSync(file, 0o600);
    sqlite.run('PRAGMA journal_mode = WAL');
    prepare(sqlite);
    migrate(sqlite);
    return {
      db: drizzle(sqlite, { schema }),
      close: () => {
        sqlite.close();
        release();
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}

/**
 * Opens the database of a hub that may be running: without the folder's lock, and as it is.
 * @throws Error where there is none, or another version's
 */
export function openBeside(folder: string) {
  const file = join(folder, NAME);
  if (!existsSync(file)) throw new Error(`there is no database in ${folder}`);
  const sqlite = new Database(file, { readwrite: true, strict: true });
  prepare(sqlite);
  if (versionOf(sqlite) !== MIGRATIONS.length) {
    sqlite.close();
    throw new Error('the database is another version’s; start the hub once with this one');
  }
  return { db: drizzle(sqlite, { schema }), close: () => sqlite.close() };
}

function prepare(sqlite: Database): void {
  // A power cut must not take back what was answered with success: FULL syncs at each commit.
  sqlite.run('PRAGMA synchronous = FULL');
  sqlite.run('PRAGMA foreign_keys = ON');
  sqlite.run('PRAGMA busy_timeout = 5000');
}

function migrate(sqlite: Database): void {
  const from = versionOf(sqlite);
  if (from > MIGRATIONS.length) {
    throw new Error('the database was written by a newer version of signalbox');
  }
  for (const [at, script] of MIGRATIONS.entries()) {
    if (at < from) continue;
    sqlite.transaction(() => {
      sqlite.run(script);
      sqlite.run(`PRAGMA user_version = ${at + 1}`);
    })();
  }
}

const versionOf = (sqlite: Database): number =>
  (sqlite.query('PRAGMA user_version').get() as { user_version: number }).user_version;
