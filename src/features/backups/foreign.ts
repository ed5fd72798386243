/** Reads a database that may come from anywhere. */
import { constants, Database } from 'bun:sqlite';
import { pathToFileURL } from 'node:url';
import { messageOf } from '../../shared/async.ts';

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
