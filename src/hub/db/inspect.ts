/** Checks that a file is a hub's database, and intact. */
import type { Database } from 'bun:sqlite';
import { getTableName } from 'drizzle-orm';
import { messageOf } from '../../shared/async.ts';
import { SEALED } from './sealing.ts';
import { versionOf } from './version.ts';

/** What a hub's database holds, so that a person can recognise it. */
export type Contents = {
  version: number;
  sites: number;
  accounts: number;
  /** Besides the first one, which the settings name. */
  agents: number;
  /** Whether it is of little use without the key of the hub: for enrolled agents, and for what is sealed. */
  needsKey: boolean;
};

/** The tables that tell a hub's database from any other. */
const TABLES = ['agents', 'changelog', 'hub', 'preamble', 'sessions', 'users', 'vhosts'].concat(
  SEALED.map(({ table }) => getTableName(table)),
);

/**
 * @param subject names the database at the beginning of an error message
 * @throws Error if it is damaged, or not a hub's database
 */
export function inspect(sqlite: Database, subject: string): Contents {
  let found: unknown[];
  try {
    found = sqlite.query('PRAGMA integrity_check(1)').values().flat();
  } catch (cause) {
    throw new Error(`${subject} is damaged: ${messageOf(cause)}`, { cause });
  }
  if (found.join() !== 'ok') throw new Error(`${subject} is damaged: ${found.join()}`);
  const names = new Set(
    sqlite.query("SELECT name FROM sqlite_master WHERE type = 'table'").values().flat(),
  );
  const version = versionOf(sqlite);
  if (version === 0 || !TABLES.every((table) => names.has(table))) {
    throw new Error(`${subject} is not a signalbox database`);
  }
  const agents = count(sqlite, 'agents WHERE fingerprint IS NOT NULL');
  const isSealed = SEALED.some(
    ({ table, column }) =>
      count(sqlite, `${getTableName(table)} WHERE ${column.name} IS NOT NULL`) > 0,
  );
  return {
    version,
    sites: count(sqlite, 'vhosts'),
    accounts: count(sqlite, 'users'),
    agents,
    needsKey: agents > 0 || isSealed,
  };
}

const count = (sqlite: Database, from: string): number =>
  (sqlite.query(`SELECT count(*) AS n FROM ${from}`).get() as { n: number }).n;

/** `2 sites, 1 account, schema version 3`, and the enrolled agents if there are any */
export function describeContents({ version, sites, accounts, agents }: Contents): string {
  const many = (n: number, word: string) => `${n} ${word}${n === 1 ? '' : 's'}`;
  const enrolled = agents === 0 ? '' : `${many(agents, 'enrolled agent')}, `;
  return `${many(sites, 'site')}, ${many(accounts, 'account')}, ${enrolled}schema version ${version}`;
}
