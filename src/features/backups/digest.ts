/** Tells whether two backups hold the same: a digest of what people made, not of what happens all the time. */
import type { Database } from 'bun:sqlite';
import { versionOf } from '../../hub/db/version.ts';

/** Tables of what passes: a backup has them, but no backup is made for them alone. */
export const PASSING: readonly string[] = [
  'answers',
  'backup',
  'challenges',
  'failing_checks',
  'icons',
  'incidents',
  'messages',
  'open_hours',
  'security_log',
  'sessions',
  'uptime',
];

/** Columns of other tables that change by themselves. */
export const PASSING_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  agents: ['behind_since'],
  api_tokens: ['last_used_at'],
  certificates: ['failed_at', 'failures', 'last_error'],
  hub: ['replaces'],
  passkeys: ['counter', 'last_used_at'],
  preamble: ['attempted_at'],
  two_factors: ['failures', 'last_step', 'locked_until'],
};

/** SHA-256 in hexadecimal digits, of the schema's version and of all rows that stay. */
export function digestOf(sqlite: Database): string {
  const hasher = new Bun.CryptoHasher('sha256').update(`version ${versionOf(sqlite)}`);
  const all =
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
  for (const table of sqlite.query(all).values().flat().map(String)) {
    if (PASSING.includes(table)) continue;
    const info = sqlite.query('SELECT name FROM pragma_table_info(?)').values(table);
    const columns = info
      .flat()
      .map(String)
      .filter((column) => !PASSING_COLUMNS[table]?.includes(column));
    hasher.update(`\ntable ${table} ${columns}`);
    // `quote` gives each value another text, blobs and nulls as well.
    const rows = `SELECT ${columns.map((name) => `quote("${name}")`).join(" || ',' || ")} AS row FROM "${table}" ORDER BY rowid`;
    for (const { row } of sqlite.query<{ row: string }, []>(rows).iterate()) {
      hasher.update(`\n${row}`);
    }
  }
  return hasher.digest('hex');
}
