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
