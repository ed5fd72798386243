/** Migrates any released schema to today's, in one transaction. */
import type { Database } from 'bun:sqlite';
import { messageOf } from '../../shared/async.ts';
import { copyDatabase, removePartialCopies } from './copy.ts';
import first from './migrations/0001-first.sql' with { type: 'text' };
import changelogGroups from './migrations/0002-changelog-groups.sql' with { type: 'text' };
import answers from './migrations/0003-answers.sql' with { type: 'text' };
import everywhere from './migrations/0004-everywhere.sql' with { type: 'text' };
import knownProblems from './migrations/0005-known-problems.sql' with { type: 'text' };
import uptime from './migrations/0006-uptime.sql' with { type: 'text' };
import identity from './migrations/0007-identity.sql' with { type: 'text' };
import certificates from './migrations/0008-certificates.sql' with { type: 'text' };
import sources from './migrations/0009-sources.sql' with { type: 'text' };
import { versionOf } from './version.ts';

/** In order; `PRAGMA user_version` counts them. Never edit one that was released. */
export const MIGRATIONS: readonly string[] = [
  first,
  changelogGroups,
  answers,
  everywhere,
  knownProblems,
  uptime,
  identity,
  certificates,
  sources,
];

/** @throws Error if `version`, that of `subject`, is newer than this program supports */
export function refuseNewer(
  version: number,
  subject = 'the database',
  { length } = MIGRATIONS,
): void {
  if (version <= length) return;
  throw new Error(
    `${subject} has schema version ${version}, written by a newer version of signalbox; this version supports up to ${length}`,
  );
}

/**
 * Migrates the database in `file` to today's schema and keeps a copy of the old one beside it.
 * Replaces the copy of an earlier attempt: a hub that fails at each start must not fill the disk.
 * @throws Error, with the database unchanged
 */
export function migrate(sqlite: Database, file: string, scripts = MIGRATIONS): void {
  const from = versionOf(sqlite);
  const to = scripts.length;
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
        for (const [at, script] of scripts.entries()) if (at >= from) sqlite.run(script);
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
