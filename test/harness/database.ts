/** Databases of hubs: one in a folder of its own, and that of a hub which may run. */
import { Database } from 'bun:sqlite';
import { rmSync } from 'node:fs';
import { databaseIn, openDatabase } from '../../src/hub/db/open.ts';
import { temporaryFolder } from './stack.ts';

/** Another one, with the tables of today. */
export function startDatabase() {
  const folder = temporaryFolder();
  const database = openDatabase(folder);
  return {
    ...database,
    folder,
    stop() {
      database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Works on the database of a hub, which may run.
 * @param dataDir the folder of the hub
 */
export function inDatabase<T>(dataDir: string, work: (sqlite: Database) => T): T {
  const sqlite = new Database(databaseIn(dataDir));
  try {
    sqlite.run('PRAGMA busy_timeout = 5000');
    return work(sqlite);
  } finally {
    sqlite.close();
  }
}
