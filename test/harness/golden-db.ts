/**
 * What the program of each schema version left behind, as SQL in test/golden/db/. Before a migration
 * is added, the program as it is then fills all its tables through its API, with ports 8080 and 8443;
 * `sqlite3 signalbox.db .dump` and a `PRAGMA user_version` make the file.
 */
import { Database } from 'bun:sqlite';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dir, '../golden/db');

/** The versions there are, oldest first. */
export const GOLDEN_VERSIONS: readonly number[] = [...new Bun.Glob('v*.sql').scanSync(FOLDER)]
  .map((name) => Number(name.slice(1, -4)))
  .toSorted((a, b) => a - b);

/**
 * Makes the database of a version in `dataDir`, with ports of the test's own for the proxy.
 * @returns what its first lines tell: Ada's session, and her API token from version 2 on
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
  const said = (name: string) => new RegExp(`^-- ${name} (\\S+)$`, 'm').exec(text)?.[1];
  return { session: said('session') ?? '', token: said('API token') ?? null };
}
