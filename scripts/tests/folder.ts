/** Where the files of all tests are. */
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** What the tests of one run need there at most. */
const ROOM = 4 * 1024 ** 3;

/**
 * In memory if possible, unless TMPDIR is set: every change is synced to the disk several times, which takes
 * a tenth of the processor's time.
 */
export function makeTestsFolder(): string {
  if (process.env.TMPDIR || !existsSync(MEMORY)) return make(tmpdir());
  const { bavail, bsize } = statfsSync(MEMORY);
  if (bavail * bsize < ROOM) return make(tmpdir());
  const made = make(MEMORY);
  if (mayRunProgramsIn(made)) return made;
  rmSync(made, { recursive: true });
  return make(tmpdir());
}

function make(parent: string): string {
  const made = mkdtempSync(join(parent, 'tests-'));
  // Like that of the machine: tests also run programs as other users.
  chmodSync(made, 0o1777);
  return made;
}

/** Containers forbid it. */
function mayRunProgramsIn(folder: string): boolean {
  const program = join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  try {
    return Bun.spawnSync([program]).exitCode === 0;
  } catch {
    return false;
  }
}
