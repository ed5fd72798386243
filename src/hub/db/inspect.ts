/** Checks that a file is a hub's database, and intact. */
import { constants, Database } from 'bun:sqlite';
import { pathToFileURL } from 'node:url';
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

/** In the text of a table or index: a literal, and names in parentheses. */
const LITERAL = /x?'[\w[\]]*'/g;
const NAMES = /\(\s*[\w"]+(?:\s*,\s*[\w"]+)*\s*\)/g;
/** What is left of one that computes nothing. */
const PLAIN =
  /^CREATE (?:TABLE [\w"]+\s*(?:\([\w",\s]*\))?(?: WITHOUT ROWID)?|(?:UNIQUE )?INDEX \w+ ON \w+\s*(?:WHERE \w+ IS NULL)?)$/;
const LONGEST = 10_000;

/**
 * A file may come from anywhere. A hub's database has no triggers or views; one could restore deleted sessions or
 * accounts, or run forever. So could an expression in a table or index, already while `inspect` checks the file.
 * @throws Error if it has any, or is damaged
 */
export function refuseCode(sqlite: Database, subject: string): void {
  let found: unknown[][];
  try {
    found = sqlite.query('SELECT type, name, sql FROM sqlite_master').values();
  } catch (cause) {
    throw new Error(`${subject} is damaged: ${messageOf(cause)}`, { cause });
  }
  for (const [type, name, sql] of found) {
    const isStored = type === 'table' || type === 'index';
    if (isStored && (sql === null || isPlain(String(sql)))) continue;
    throw new Error(
      `${subject} is not a plain signalbox database: it has a ${isStored ? `computed ${type} ${name}` : type}`,
    );
  }
}

/**
 * What `read` finds in a database that may come from anywhere. Writes nothing beside it, as SQLite would in WAL mode.
 * @throws Error as `refuseCode`, and what `read` throws
 */
export function readForeign<T>(file: string, read: (sqlite: Database) => T): T {
  const address = `${pathToFileURL(file).href}?immutable=1`;
  const sqlite = new Database(address, constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI);
  try {
    refuseCode(sqlite, file);
    return read(sqlite);
  } finally {
    sqlite.close();
  }
}

const isPlain = (sql: string): boolean =>
  sql.length <= LONGEST && PLAIN.test(sql.replace(LITERAL, '').replace(NAMES, ''));

const count = (sqlite: Database, from: string): number =>
  (sqlite.query(`SELECT count(*) AS n FROM ${from}`).get() as { n: number }).n;

/** `2 sites, 1 account, schema version 3`, and the enrolled agents if there are any */
export function describeContents({ version, sites, accounts, agents }: Contents): string {
  const many = (n: number, word: string) => `${n} ${word}${n === 1 ? '' : 's'}`;
  const enrolled = agents === 0 ? '' : `${many(agents, 'enrolled agent')}, `;
  return `${many(sites, 'site')}, ${many(accounts, 'account')}, ${enrolled}schema version ${version}`;
}
