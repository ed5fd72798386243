/**
 * Databases of earlier schema versions, from SQL files in test/golden/db/. To make one before you add
 * a migration: fill all tables through the API, with ports 8080 and 8443, and write the output of
 * `sqlite3 signalbox.db .dump` and a `PRAGMA user_version` to a file.
 */
import { Database } from 'bun:sqlite';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dir, '../golden/db');

/** The versions that have a file, oldest first. */
export const GOLDEN_VERSIONS: readonly number[] = [...new Bun.Glob('v*.sql').scanSync(FOLDER)]
  .map((name) => Number(name.slice(1, -4)))
  .toSorted((a, b) => a - b);

/**
 * Creates the database of a version in `dataDir`.
 * @param ports replace those of the proxy in the file
 * @returns Ada's session, and from version 2 on her API token, as the file's first lines name them
 */
export function layGoldenDatabase(
  version: number,
  dataDir: string,
  ports: { http: number; https: number },
): { session: string; token: string | null } {
  const text = readFileSync(join(FOLDER, `v${version}.sql`), 'utf8');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const sqlite = new Database(join(dataDir, 'signalbox.db'), { create: true });
  sqlite.run('PRAGMA journal_mode = WAL');
  sqlite.run(
    text
      .replaceAll('http_port 8080', `http_port ${ports.http}`)
      .replaceAll('https_port 8443', `https_port ${ports.https}`),
  );
  sqlite.close();
  const named = (name: string) => new RegExp(`^-- ${name} (\\S+)$`, 'm').exec(text)?.[1];
  return { session: named('session') ?? '', token: named('API token') ?? null };
}
