/** An SQLite file that somebody sent: opened without computing what it says to compute. */
import { Database } from 'bun:sqlite';
import { Failure } from '../../../shared/failure.ts';
import { isSqlite } from '../../../shared/sqlite.ts';

/** Where the header of an SQLite file says how it is written, and what says: without a log beside it. */
const JOURNAL_BYTES = [18, 19];
const ROLLBACK_JOURNAL = 1;

export type Row = Readonly<Record<string, unknown>>;

export type Tables = {
  /** The names of the columns of a plain table; none if there is no such table: a view might take for ever. */
  columns(table: string): string[];
  /** All of its rows. @param rest SQL that follows the name of the table */
  rows(table: string, rest?: string): Row[];
};

/**
 * @param file its bytes; one that has a write-ahead log beside it lacks what is in that
 * @throws Failure INVALID_REQUEST at `file` if it is no such file, or damaged, and as `work`
 */
export function inDatabase<T>(file: Uint8Array, work: (tables: Tables) => T): T {
  if (file.length === 0) throw wrong('The file is empty.');
  if (!isSqlite(file)) throw notSqlite();
  const bytes = file.slice();
  for (const at of JOURNAL_BYTES) bytes[at] = ROLLBACK_JOURNAL;
  let database: Database | undefined;
  try {
    database = Database.deserialize(bytes, true);
    database.run('PRAGMA trusted_schema = OFF');
    // Whoever wrote the file may have expressions in it that take for ever, and the check would compute them.
    database.run('PRAGMA ignore_check_constraints = ON');
    if (database.query(COMPUTED).get()) throw notNpm('It has columns that are computed.');
    const found = database.query('PRAGMA quick_check(1)').values().flat().join();
    if (found !== 'ok') throw damaged();
    return work(tablesOf(database));
  } catch (error) {
    throw error instanceof Failure ? error : damaged();
  } finally {
    database?.close();
  }
}

const COMPUTED = `SELECT 1 FROM sqlite_master AS item, pragma_table_xinfo(item.name) AS part
  WHERE item.type = 'table' AND item.sql NOT LIKE 'CREATE VIRTUAL%' AND part.hidden > 1`;

function tablesOf(database: Database): Tables {
  const columns = (table: string) => {
    if (!database.query(IS_TABLE).get(table)) return [];
    const found = database.query(`PRAGMA table_info("${table}")`).all() as Row[];
    return found.map(({ name }) => String(name));
  };
  return {
    columns,
    rows(table, rest = '') {
      const names = columns(table).map((name) => `"${name.replaceAll('"', '""')}"`);
      if (names.length === 0) return [];
      return database.query(`SELECT ${names.join(', ')} FROM "${table}" ${rest}`).all() as Row[];
    },
  };
}

const IS_TABLE =
  "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ? AND sql NOT LIKE '%VIRTUAL%'";

const wrong = (message: string, hint?: string) =>
  new Failure('INVALID_REQUEST', message, { hint, at: { field: 'file' } });

const notSqlite = () =>
  wrong(
    'This is not an SQLite database.',
    'NPM keeps its hosts in database.sqlite, in its data folder. If it uses MySQL or PostgreSQL, there is no such file, and its hosts cannot be imported.',
  );

export const notNpm = (hint: string) =>
  wrong('This is an SQLite database, but not one of Nginx Proxy Manager.', hint);

const damaged = () =>
  wrong(
    'This database is damaged, or only a part of the file.',
    'Copy database.sqlite again while NPM is stopped.',
  );
