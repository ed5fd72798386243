/** Opens the hub's database: the folder's lock, pragmas, and migrations shipped in the program. */
import { Database } from 'bun:sqlite';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { drizzle } from 'drizzle-orm/bun-sqlite';
import { lockFolder } from '../lock.ts';
import first from './migrations/0001-first.sql' with { type: 'text' };
import * as schema from './schema.ts';

/** In order; the position is what `PRAGMA user_version` counts. Never edit one that was released. */
const MIGRATIONS: readonly string[] = [first];

export type Db = ReturnType<typeof openDatabase>['db'];

/** @throws Error where another hub uses the folder, or the database comes from a newer version */
export function openDatabase(folder: string) {
  const release = lockFolder(folder, 'hub');
  try {
    const file = join(folder, 'signalbox.db');
    const sqlite = new Database(file, { create: true, strict: true });
    // It holds password hashes; the files SQLite puts beside it take over its mode.
    chmodSync(file, 0o600);
    // A power cut must not take back what was answered with success: FULL syncs at each commit.
    sqlite.run('PRAGMA journal_mode = WAL');
    sqlite.run('PRAGMA synchronous = FULL');
    sqlite.run('PRAGMA foreign_keys = ON');
    sqlite.run('PRAGMA busy_timeout = 5000');
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

function migrate(sqlite: Database): void {
  const row = sqlite.query('PRAGMA user_version').get() as { user_version: number };
  const from = row.user_version;
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
