// proof: features
/** Which files a change of a plain site runs through: how much of the program one has to know for it. */
import { expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { limit } from '../harness/speed.ts';
import { temporaryFolder } from '../harness/stack.ts';

const ROOT = join(import.meta.dir, '../..');

/** How often each line of a file ran, by the file and the line's number. */
type Lines = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** How often each line ran of each file, with a hub that starts and stops, and with a change in between or not. */
async function linesRun(change: '' | '1'): Promise<Lines> {
  const folder = temporaryFolder();
  try {
    const report = ['--coverage', '--coverage-reporter=lcov', `--coverage-dir=${folder}`];
    const run = Bun.spawn(
      [
        process.execPath,
        'test',
        `--timeout=${limit(60_000)}`,
        ...report,
        './test/harness/one-change.ts',
      ],
      { cwd: ROOT, env: { ...process.env, CHANGE: change }, stdout: 'ignore', stderr: 'ignore' },
    );
    expect(await run.exited).toBe(0);
    const found: Map<string, ReadonlyMap<string, number>> = new Map();
    for (const part of (await Bun.file(join(folder, 'lcov.info')).text()).split('end_of_record')) {
      const [, file = ''] = /^SF:(.+)$/m.exec(part) ?? [];
      const lines = [...part.matchAll(/^DA:(\d+),(\d+)/gm)];
      found.set(file, new Map(lines.map(([, line = '', count]) => [line, Number(count)])));
    }
    return found;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * A timer may be due in one run and not in another, and other programs may come and go, while what a change needs
 * runs in each that has one.
 */
const ROUNDS = 3;

/** Enough for a plain change; a file that only some changes need asks first if this is one. */
const MOST_FILES = 108;

test(
  'a POST /vhosts',
  async () => {
    const without: Lines[] = [];
    const withChange: Lines[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const [one, other] = await Promise.all([linesRun(''), linesRun('1')]);
      without.push(one);
      withChange.push(other);
    }
    const counts = (all: readonly Lines[], file: string, line: string) =>
      all.map((lines) => lines.get(file)?.get(line) ?? 0);
    const isIn = (file: string) =>
      [...(withChange[0]?.get(file)?.keys() ?? [])].some(
        (line) =>
          Math.min(...counts(withChange, file, line)) > Math.max(...counts(without, file, line)),
      );
    const through = [...(withChange[0]?.keys() ?? [])].filter(
      (file) => /^(?:src|agent)\//.test(file) && isIn(file),
    );
    console.log(`files that a POST /vhosts runs through: ${through.length}`);
    expect(through.length).toBeGreaterThan(50);
    expect(through.length).toBeLessThanOrEqual(MOST_FILES);
  },
  limit(180_000),
);
