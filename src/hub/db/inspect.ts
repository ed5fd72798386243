/** Whether a file that claims to be a hub's database is one, and whole. */
import type { Database } from 'bun:sqlite';
import { versionOf } from './version.ts';

/** What a hub's database holds, for a person to recognise it by. */
export type Contents = { version: number; sites: number; accounts: number };

/** Those of the first schema ever. */
const TABLES = ['changelog', 'preamble', 'sessions', 'users', 'vhosts'];

/**
 * @param subject what the sentence of a refusal begins with
 * @throws Error where it is damaged, or another program's
 */
export function inspect(sqlite: Database, subject: string): Contents {
  let found: unknown[];
  try {
    found = sqlite.query('PRAGMA integrity_check(1)').values().flat();
  } catch (cause) {
    throw new Error(`${subject} is damaged: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    });
  }
  if (found.join() !== 'ok') throw new Error(`${subject} is damaged: ${found.join()}`);
  const names = new Set(
    sqlite.query("SELECT name FROM sqlite_master WHERE type = 'table'").values().flat(),
  );
  const version = versionOf(sqlite);
  if (version === 0 || !TABLES.every((table) => names.has(table))) {
    throw new Error(`${subject} is not a database of signalbox`);
  }
  return { version, sites: count(sqlite, 'vhosts'), accounts: count(sqlite, 'users') };
}

const count = (sqlite: Database, table: string): number =>
  (sqlite.query(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n;

/** `2 sites, 1 account, schema version 3` */
export function describeContents({ version, sites, accounts }: Contents): string {
  const many = (n: number, word: string) => `${n} ${word}${n === 1 ? '' : 's'}`;
  return `${many(sites, 'site')}, ${many(accounts, 'account')}, schema version ${version}`;
}
