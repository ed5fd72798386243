/**
 * The program that Caddy is run from: that of PROXY_BIN. If that has become another one, it is a copy of the one
 * before, until the other one was tried. The copy is the file `programs/caddy-SHA256` in Caddy's folder.
 */
import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { syncLater, syncPath } from '../../../src/shared/system/files.ts';
import { fileOf, sumOfFile } from './program.ts';

/** A file with a program, and its SHA-256. */
export type Found = { file: string; sum: string };

export type KeptProgram = {
  /** The file that Caddy and its commands are run from. */
  bin(): string;
  /** All files from which a Caddy that outlived its agent may have been started. */
  files(): string[];
  /**
   * Chooses the program before Caddy is started. Never fails.
   * @param hasEnded whether Caddy ended by itself: one that is not kept yet has failed then
   */
  choose(hasEnded: boolean): Promise<void>;
  /** Caddy runs from that file, and answers. */
  started(file: string): void;
  /** Caddy could not be started: a copy may be unable to, such as in a folder that is mounted noexec. */
  notStarted(): void;
  /** The program that runs; null if it cannot be read. @param pid of Caddy */
  running(pid: number): Promise<Found | null>;
  /** The program of PROXY_BIN; null if there is none. */
  own(): Promise<Found | null>;
  /** What tells the file at PROXY_BIN from any other that was there; empty if there is none. */
  ownFile(): string;
  /** The SHA-256 of the one that comes back if another one fails; null: there is none. */
  kept(): string | null;
  /** Copies the program that runs, in place of the one that was kept. @throws file system errors */
  keep(running: Found): Promise<void>;
  /** Has that program of PROXY_BIN run from the next start on; null: the one that is kept. */
  want(sum: string | null): void;
  /** That it failed since it was wanted, once: its SHA-256. */
  takeFailed(): string | null;
};

const NAME = /^caddy-([0-9a-f]{64})$/;

/** @param folder that of the managed Caddy @param bin PROXY_BIN */
export function createKeptProgram(folder: string, bin: string): KeptProgram {
  const programs = join(folder, 'programs');
  const copyOf = (sum: string) => join(programs, `caddy-${sum}`);
  const sums = new Map<string, Promise<string | null>>();
  let kept = newestIn(programs);
  /** The one that Caddy is run from, and what its file was then. */
  let chosen = chosenAt(bin);
  /** The file from which Caddy could not be started the last time. */
  let unable: string | null = null;
  let wanted: string | null = null;
  let failed: string | null = null;

  /** Reads each file once. */
  async function found(file: string): Promise<Found | null> {
    const mark = fileOf(file);
    if (mark === '') return null;
    if (!sums.has(mark)) sums.set(mark, sumOfFile(file));
    const sum = (await sums.get(mark)) ?? null;
    if (sum === null) sums.delete(mark);
    return sum === null ? null : { file, sum };
  }
  const own = () => found(bin);

  return {
    bin: () => chosen.file,
    files: () => [bin, ...(kept === null ? [] : [copyOf(kept)])],

    async choose(hasEnded) {
      if (hasEnded && wanted !== null && wanted !== kept) [failed, wanted] = [wanted, null];
      const copy = kept === null ? null : copyOf(kept);
      const sum = copy === null ? null : ((await own())?.sum ?? '');
      const isWanted = sum === kept || sum === wanted;
      const isLeft = unable === copy && sum !== '';
      chosen = chosenAt(copy === null || isWanted || isLeft ? bin : copy);
    },

    started(file) {
      if (file !== chosen.file) chosen = chosenAt(file);
      unable = null;
    },

    notStarted() {
      unable = chosen.file;
    },

    running: (pid) => found(fileOf(chosen.file) === chosen.mark ? chosen.file : `/proc/${pid}/exe`),
    own,
    ownFile: () => fileOf(bin),
    kept: () => kept,

    async keep(running) {
      if (running.sum !== kept) {
        mkdirSync(programs, { recursive: true });
        // Caddy's user runs what is in it, and may not write it.
        chmodSync(programs, 0o755);
        const part = join(programs, 'part');
        await copyFile(running.file, part);
        chmodSync(part, 0o755);
        await syncLater(part);
        if ((await sumOfFile(part)) !== running.sum) throw new Error('the program has changed');
        renameSync(part, copyOf(running.sum));
        syncPath(programs);
        if (kept !== null) rmSync(copyOf(kept), { force: true });
        kept = running.sum;
      }
      if (fileOf(chosen.file) !== chosen.mark) chosen = chosenAt(copyOf(running.sum));
    },

    want(sum) {
      wanted = sum;
    },

    takeFailed() {
      const last = failed;
      failed = null;
      return last;
    },
  };
}

const chosenAt = (file: string) => ({ file, mark: fileOf(file) });

/** A power cut may have left the one before as well. */
function newestIn(programs: string): string | null {
  try {
    const named = readdirSync(programs).flatMap((name) => NAME.exec(name)?.[1] ?? []);
    const age = (sum: string) => statSync(join(programs, `caddy-${sum}`)).mtimeMs;
    return named.toSorted((a, b) => age(b) - age(a))[0] ?? null;
  } catch {
    return null;
  }
}
