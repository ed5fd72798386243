/** From any schema that was ever released to today's, in one step that either happens or does not. */
import type { Database } from 'bun:sqlite';
import { copyDatabase, forgetHalves } from './copy.ts';
import first from './migrations/0001-first.sql' with { type: 'text' };
import tokens from './migrations/0002-tokens.sql' with { type: 'text' };
import history from './migrations/0003-history.sql' with { type: 'text' };
import { versionOf } from './version.ts';

/** In order; the position is what `PRAGMA user_version` counts. Never edit one that was released. */
export const MIGRATIONS: readonly string[] = [first, tokens, history];

/** @throws Error where `version`, that of `subject`, is beyond what this program knows */
export function refuseNewer(version: number, subject = 'the database'): void {
  if (version <= MIGRATIONS.length) return;
  throw new Error(
    `${subject} has schema version ${version}, which a newer version of signalbox wrote; this one knows versions up to ${MIGRATIONS.length}`,
  );
}

/**
 * Brings the database in `file` up to date, after a copy of what was there is kept beside it. The
 * copy of an attempt before is replaced: a hub that fails at each start must not fill the disk.
 * @throws Error with the database as it was
 */
export function migrate(sqlite: Database, file: string, scripts = MIGRATIONS): void {
  const from = versionOf(sqlite);
  const to = scripts.length;
  if (from >= to) return;
  const kept = from === 0 ? null : `${file}.before-v${to}`;
  const step = `the database could not be brought from schema version ${from} to ${to}`;
  if (kept !== null)
    attempt(`${step}: no copy can be kept first`, () => {
      forgetHalves(kept);
      copyDatabase(sqlite, kept);
    });
  attempt(`${step} and is as it was${kept === null ? '' : `, with a copy in ${kept}`}`, () =>
    sqlite
      .transaction(() => {
        for (const [at, script] of scripts.entries()) if (at >= from) sqlite.run(script);
        sqlite.run(`PRAGMA user_version = ${to}`);
      })
      .immediate(),
  );
}

function attempt(otherwise: string, work: () => void): void {
  try {
    work();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${otherwise}: ${reason}`, { cause });
  }
}
