/** Migrates an older schema to today's, in one transaction. */
import type { Database } from 'bun:sqlite';
import { messageOf } from '../../shared/async.ts';
import { copyDatabase, removePartialCopies } from './copy.ts';
import first from './migrations/0001-first.sql' with { type: 'text' };
import { versionOf } from './version.ts';

/** In order. Never edit one that was released. */
export const MIGRATIONS: readonly string[] = [first];

/** The version that the first of them makes. */
const FIRST = 9;

/** The schema version after `scripts`, as `PRAGMA user_version` has it. */
export const versionAfter = (scripts = MIGRATIONS): number => FIRST - 1 + scripts.length;

/**
 * @param version that of `subject`; 0: it is empty
 * @throws Error if this program neither knows that version nor can migrate it
 */
export function assertKnown(version: number, subject = 'the database', scripts = MIGRATIONS): void {
  const latest = versionAfter(scripts);
  if (version > latest) {
    throw new Error(
      `${subject} has schema version ${version}, written by a newer version of signalbox; this version supports up to ${latest}`,
    );
  }
  if (version > 0 && version < FIRST) {
    throw new Error(
      `${subject} has schema version ${version}, which is too old for this version of signalbox: install the version before it, and start that once with this database`,
    );
  }
}

/**
 * Migrates the database in `file` to today's schema and keeps a copy of the old one beside it.
 * Replaces the copy of an earlier attempt: a hub that fails at each start must not fill the disk.
 * @throws Error, with the database unchanged
 */
export function migrate(sqlite: Database, file: string, scripts = MIGRATIONS): void {
  const from = versionOf(sqlite);
  const to = versionAfter(scripts);
  if (from >= to) return;
  const kept = from === 0 ? null : `${file}.before-v${to}`;
  const step = `cannot migrate the database from schema version ${from} to ${to}`;
  if (kept !== null)
    attempt(`${step}: cannot copy it first`, () => {
      removePartialCopies(kept);
      copyDatabase(sqlite, kept);
    });
  attempt(`${step} (unchanged${kept === null ? '' : `; copy in ${kept}`})`, () =>
    sqlite
      .transaction(() => {
        for (const [at, script] of scripts.entries()) if (at > from - FIRST) sqlite.run(script);
        sqlite.run(`PRAGMA user_version = ${to}`);
      })
      .immediate(),
  );
}

/** Runs `work`; if it throws, says what could not be done. */
function attempt(otherwise: string, work: () => void): void {
  try {
    work();
  } catch (cause) {
    throw new Error(`${otherwise}: ${messageOf(cause)}`, { cause });
  }
}
