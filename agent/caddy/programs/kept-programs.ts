/** The programs of Caddy that were put in place of PROXY_BIN, and which of them runs. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { getSchemaValidator, type Static, t } from 'elysia';
import { messageOf } from '../../../src/shared/async.ts';
import type { Log } from '../../../src/shared/log.ts';
import { readIfThere, syncPath, writeDurably } from '../../../src/shared/system/files.ts';

/** A program, null for that of PROXY_BIN, and when it began to run. */
const Run = t.Object({
  sum: t.Union([t.String({ pattern: '^[0-9a-f]{64}$' }), t.Null()]),
  since: t.Union([t.String(), t.Null()]),
});
export type Run = Static<typeof Run>;

const Chosen = { current: Run, previous: t.Array(Run) };
/**
 * What is on disk; `digest` is that of the Caddyfile that the program on probation was given, and `before` what comes
 * back if it fails.
 */
const Stored = t.Object({
  ...Chosen,
  probation: t.Union([
    t.Object({ until: t.String(), digest: t.String(), before: t.Object(Chosen) }),
    t.Null(),
  ]),
});
type Stored = Static<typeof Stored>;
const validator = getSchemaValidator(Stored);

export type KeptPrograms = {
  /** The program that Caddy is to be run from. */
  bin(): string;
  current(): Run;
  /** Those to go back to, the last first. */
  previous(): readonly Run[];
  probation(): Readonly<{ until: Date; digest: string }> | null;
  /** The file of a program. */
  fileOf(sum: string | null): string;
  /** Where a new one is put together. @throws file system errors */
  makeRoom(): string;
  /** Takes a file from there: from then on it is at `fileOf(sum)`. @throws file system errors */
  keep(file: string, sum: string): void;
  /**
   * Runs another program from now on, on probation, and safe from a power cut.
   * @param former the Caddyfile that comes back if it fails
   * @param digest of the Caddyfile that it is given
   * @throws file system errors, with nothing changed
   */
  use(sum: string | null, given: { former: string | null; digest: string; until: Date }): void;
  /** Ends the probation. @returns false if that cannot be written down now */
  confirm(): boolean;
  /**
   * Takes `use` back.
   * @returns the Caddyfile from before it; null if there was none
   * @throws file system errors
   */
  goBack(): string | null;
  /** Keeps a program from `prune` until it is used; null: none any more. */
  hold(sum: string | null): void;
  /**
   * Deletes the programs that are neither current, held, nor such as may come back. Never fails.
   * @param only no other than this one
   */
  prune(only?: string): void;
};

/** What the names of folders begin with in which a program is put together. */
const ROOM = 'new.';
/** As many as one may go back to. */
const MOST_PREVIOUS = 2;

/**
 * @param folder that of the managed Caddy
 * @param own the program that PROXY_BIN names
 * @throws file system errors
 */
export function createKeptPrograms(
  folder: string,
  own: string,
  now: () => Date,
  log: Log,
): KeptPrograms {
  const programs = join(folder, 'programs');
  const file = join(programs, 'programs.json');
  const formerFile = join(programs, 'former.Caddyfile');
  const fileOf = (sum: string | null) => (sum === null ? own : join(programs, sum, 'caddy'));
  let stored = read(file);
  let held: string | null = null;
  if (stored.current.sum !== null && !existsSync(fileOf(stored.current.sum))) {
    log('the program of Caddy is gone; PROXY_BIN runs', { sum: stored.current.sum }, 'warn');
    stored = FIRST;
  }

  /** Caddy's user runs what is in it, and may not write it. */
  function makeFolder(path: string): void {
    mkdirSync(path, { recursive: true });
    chmodSync(path, 0o755);
  }

  /** Deletes what is in the folder and gone. Never fails. */
  function tidy(isGone: (name: string) => boolean): void {
    try {
      for (const name of readdirSync(programs).filter(isGone)) {
        rmSync(join(programs, name), { recursive: true, force: true });
      }
    } catch {
      // There is none, or the next time succeeds.
    }
  }

  function write(next: Stored): void {
    makeFolder(programs);
    writeDurably(file, JSON.stringify(next), 0o600);
    stored = next;
  }

  function undo(before: Stored): void {
    try {
      write(before);
    } catch {
      // On a full disk, that one is still there.
    }
  }

  // What a killed agent was putting together.
  tidy((name) => name.startsWith(ROOM));

  return {
    bin: () => fileOf(stored.current.sum),
    current: () => stored.current,
    previous: () => stored.previous,
    probation() {
      const { probation } = stored;
      return probation && { until: new Date(probation.until), digest: probation.digest };
    },
    fileOf,

    makeRoom() {
      makeFolder(programs);
      const room = mkdtempSync(join(programs, ROOM));
      makeFolder(room);
      return join(room, 'caddy');
    },

    keep(part, sum) {
      const target = fileOf(sum);
      makeFolder(join(programs, sum));
      syncPath(part);
      renameSync(part, target);
      for (const path of [join(programs, sum), programs]) syncPath(path);
    },

    use(sum, { former, digest, until }) {
      if (former !== null) writeDurably(formerFile, former, 0o600);
      const { current, previous } = stored;
      const others = [current, ...previous].filter((one) => one.sum !== sum);
      try {
        write({
          current: { sum, since: now().toISOString() },
          previous: others.slice(0, MOST_PREVIOUS),
          probation: { until: until.toISOString(), digest, before: { current, previous } },
        });
      } catch (error) {
        // It may be there, and only not safe from a power cut.
        undo(stored);
        throw error;
      }
    },

    confirm() {
      try {
        write({ ...stored, probation: null });
        rmSync(formerFile, { force: true });
        return true;
      } catch (error) {
        // Until it can be written, a restart brings the previous program back.
        log('probation not ended', { reason: messageOf(error) }, 'warn');
        return false;
      }
    },

    goBack() {
      const former = readIfThere(formerFile);
      // Also if it cannot be written: then a restart does the same once more.
      stored = { ...(stored.probation?.before ?? stored), probation: null };
      write(stored);
      return former;
    },

    hold(sum) {
      held = sum;
    },

    prune(only) {
      const { probation } = stored;
      const runs = [stored, ...(probation ? [probation.before] : [])].flatMap(
        ({ current, previous }) => [current, ...previous],
      );
      const kept = new Set([held, ...runs.map(({ sum }) => sum)]);
      tidy((name) => !name.includes('.') && !kept.has(name) && name === (only ?? name));
    },
  };
}

const FIRST: Stored = { current: { sum: null, since: null }, previous: [], probation: null };

/** PROXY_BIN alone if there is no such file, or it is damaged. @throws other file system errors */
function read(file: string): Stored {
  const text = readIfThere(file);
  if (text === null) return FIRST;
  try {
    const found: unknown = JSON.parse(text);
    return validator.Check(found) ? (found as Stored) : FIRST;
  } catch {
    return FIRST;
  }
}
