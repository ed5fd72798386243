/** Opens the hub's database: locks the folder, sets pragmas, migrates the schema. */
import { Database } from 'bun:sqlite';
import { chmodSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type BunSQLiteDatabase, drizzle } from 'drizzle-orm/bun-sqlite';
import { Failure } from '../../shared/failure.ts';
import { makePrivate } from '../../shared/system/files.ts';
import { lockFolder } from '../../shared/system/lock.ts';
import * as accountTables from './accounts-schema.ts';
import { asUnusable, damaged } from './fault.ts';
import { assertKnown, MIGRATIONS, migrate, versionAfter } from './migrate.ts';
import * as otherTables from './schema.ts';
import { storedVersion, versionOf } from './version.ts';

const schema = { ...accountTables, ...otherTables };

/** The path of the database in a data folder. */
export const databaseIn = (folder: string): string => join(folder, 'signalbox.db');

export type Db = BunSQLiteDatabase<typeof schema> & { $client: Database };

type Transaction = Parameters<Parameters<Db['transaction']>[0]>[0];

/** Runs `work` in a transaction that takes the write lock at once; what it throws rolls all back. */
export const inTransaction = <T>(db: Db, work: (tx: Transaction) => T): T =>
  db.transaction(work, { behavior: 'immediate' });

export type OpenDatabase = {
  /** Its path. */
  file: string;
  db: Db;
  /** @throws Failure STORAGE_UNAVAILABLE if the file was replaced or removed since it was opened */
  assertInPlace(): void;
  /** Whether another program has it open: then this process cannot replace the file. */
  isShared(): boolean;
  /** Refuses writes from now on, and has `close` also end the write-ahead log: this process will replace the file. */
  willBeReplaced(): void;
  /** Closes the database and releases the folder. */
  close(): void;
};

/** How long nothing has to be written before the log is moved into the file. */
const IDLE_MS = 60_000;

const BUSY_TIMEOUT = 'PRAGMA busy_timeout = 5000';
/** A hub that serves waits for nothing in SQLite, as nothing else of it runs meanwhile; see `whileBusy`. */
const SERVING_TIMEOUT = 'PRAGMA busy_timeout = 200';

/**
 * @param idle milliseconds without a write after which the log is moved into the file
 * @param scripts the migrations, for a test of another version's
 * @throws DatabaseUnusable if it is damaged, or the file system refuses; Error if another hub uses the
 * folder; as `assertKnown`, with nothing written; or if the migration fails, with the database unchanged
 */
export function openDatabase(folder: string, idle = IDLE_MS, scripts = MIGRATIONS): OpenDatabase {
  const file = databaseIn(folder);
  // Without the folder there is nothing to wait for.
  makePrivate(folder);
  let release = () => {};
  let sqlite: Database | undefined;
  try {
    release = lockFolder(folder, 'hub');
    assertKnown(storedVersion(file), undefined, scripts);
    sqlite = new Database(file, { create: true, strict: true });
    // It holds password hashes. SQLite gives its other files the same mode.
    chmodSync(file, 0o600);
    // First, because a backup that is just being made locks the database for a moment.
    sqlite.run(BUSY_TIMEOUT);
    sqlite.run('PRAGMA journal_mode = WAL');
    const found = sqlite.query('PRAGMA quick_check(1)').values().flat().join();
    if (found !== 'ok') throw damaged(file, found);
    prepare(sqlite);
    migrate(sqlite, file, scripts);
    checkpoint(sqlite);
    sqlite.run(SERVING_TIMEOUT);
    const opened = sqlite;
    let isReplaced = false;
    const stopCheckpoints = checkpointWhenIdle(opened, file, idle);
    return {
      file,
      db: drizzle(opened, { schema }),
      assertInPlace: createPlaceCheck(file),
      isShared() {
        const isAlone = endLog(opened);
        opened.run(SERVING_TIMEOUT);
        opened.run('PRAGMA journal_mode = WAL');
        return !isAlone;
      },
      willBeReplaced() {
        isReplaced = true;
        // What would be stored from now on would be gone.
        opened.run('PRAGMA query_only = 1');
      },
      close() {
        stopCheckpoints();
        if (isReplaced) opened.run('PRAGMA query_only = 0');
        checkpoint(opened);
        if (isReplaced) endLog(opened);
        opened.close();
        release();
      },
    };
  } catch (error) {
    sqlite?.close();
    release();
    throw asUnusable(error, file);
  }
}

/**
 * Opens the database of a hub that may be running: without locking the folder or migrating.
 * @throws Error if there is no database, or it has another schema version
 */
export function openBeside(folder: string): Pick<OpenDatabase, 'db' | 'close'> {
  const sqlite = openUnmigrated(folder);
  prepare(sqlite);
  if (versionOf(sqlite) !== versionAfter()) {
    sqlite.close();
    throw new Error(
      'the database has an older schema version; start this version of the hub once to migrate it',
    );
  }
  return { db: drizzle(sqlite, { schema }), close: () => sqlite.close() };
}

/**
 * The same for any known schema version, to read only what all of them have.
 * @throws Error if there is no database; as `assertKnown`
 */
export function openUnmigrated(folder: string): Database {
  const file = databaseIn(folder);
  if (!existsSync(file)) throw new Error(`there is no database in ${folder}`);
  assertKnown(storedVersion(file));
  return new Database(file, { readwrite: true, strict: true });
}

function prepare(sqlite: Database): void {
  // FULL syncs at each commit: a power cut must not undo a change that was confirmed.
  sqlite.run('PRAGMA synchronous = FULL');
  sqlite.run('PRAGMA foreign_keys = ON');
  sqlite.run(BUSY_TIMEOUT);
}

/**
 * Moves the write-ahead log into the file, which a lost log would otherwise leave empty. Never fails.
 * The log stays while another program uses the database, which is not waited for, and if
 * the disk is full or broken, which the next commit reports.
 */
function checkpoint(sqlite: Database): void {
  try {
    const { timeout } = sqlite.query('PRAGMA busy_timeout').get() as { timeout: number };
    sqlite.run('PRAGMA busy_timeout = 0');
    try {
      sqlite.run('PRAGMA wal_checkpoint(TRUNCATE)');
    } finally {
      sqlite.run(`PRAGMA busy_timeout = ${timeout}`);
    }
  } catch {
    // As above.
  }
}

/**
 * SQLite does so when the last connection is closed; here that would be when the statements of this one have been
 * collected as garbage. Never fails.
 * @returns false if the log stays, because another program uses the database
 */
function endLog(sqlite: Database): boolean {
  try {
    sqlite.run('PRAGMA busy_timeout = 0');
    sqlite.run('PRAGMA journal_mode = DELETE');
    return true;
  } catch {
    return false;
  }
}

/**
 * Does so whenever nothing was written for a while.
 * @param idle milliseconds
 * @returns ends it
 */
function checkpointWhenIdle(sqlite: Database, file: string, idle: number): () => void {
  let last = 0n;
  const timer = setInterval(() => {
    const log = statSync(`${file}-wal`, { bigint: true, throwIfNoEntry: false });
    if (!log || log.size === 0n) return;
    if (log.mtimeNs === last) checkpoint(sqlite);
    last = log.mtimeNs;
  }, idle);
  timer.unref();
  return () => clearInterval(timer);
}

/**
 * Notices that the file was replaced or removed: what is written then is lost.
 * @param file the database, just opened
 * @returns throws Failure STORAGE_UNAVAILABLE if another file is there by now, or none
 */
function createPlaceCheck(file: string): () => void {
  const identity = () => {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false });
    return found && `${found.dev} ${found.ino}`;
  };
  const opened = identity();
  return () => {
    if (identity() === opened) return;
    throw new Failure('STORAGE_UNAVAILABLE', 'The database file was replaced; restart the hub.');
  };
}
