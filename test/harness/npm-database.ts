/** A database that a real Nginx Proxy Manager wrote, changed as a test needs it, and how it is sent. */
import { Database } from 'bun:sqlite';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const KEPT = join(import.meta.dir, '../golden/npm');

/** @param change SQL @param name of the one to begin with */
export function npmDatabase(
  change = 'SELECT 1',
  name = 'database.sqlite',
): Uint8Array<ArrayBuffer> {
  const database = Database.deserialize(readFileSync(join(KEPT, name)));
  database.run(change);
  const bytes = new Uint8Array(database.serialize());
  database.close();
  return bytes;
}

/** So many proxy hosts under names of their own, each like one of the real ones; without passwords. */
export function manyHosts(count: number): Uint8Array<ArrayBuffer> {
  const database = Database.deserialize(npmDatabase('DELETE FROM access_list_auth'));
  database.run('CREATE TEMP TABLE kept AS SELECT * FROM proxy_host WHERE is_deleted = 0');
  database.run('DELETE FROM proxy_host');
  const kept = database.query('SELECT id FROM kept').values().flat();
  for (let at = 0; at < count; at++) {
    database.run('UPDATE kept SET id = ?, domain_names = ? WHERE rowid = ?', [
      at + 1,
      JSON.stringify([`host-${at}.example`]),
      (at % kept.length) + 1,
    ]);
    database.run('INSERT INTO proxy_host SELECT * FROM kept WHERE rowid = ?', [
      (at % kept.length) + 1,
    ]);
  }
  const bytes = new Uint8Array(database.serialize());
  database.close();
  return bytes;
}

/** Leaves only what a new installation has. */
export const EMPTIED = ['proxy_host', 'redirection_host', 'dead_host', 'stream', 'access_list']
  .map((table) => `DELETE FROM ${table};`)
  .join('');

/** As `POST /import/npm` takes it. */
export function npmForm(
  database: Uint8Array<ArrayBuffer>,
  fields: Record<string, string> = {},
): FormData {
  const form = new FormData();
  form.set('file', new Blob([database]), 'database.sqlite');
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}
