// proof: features
/** Which files a change of a plain site runs through: how much of the program one has to know for it. */
import { expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { limit } from '../harness/speed.ts';
import { temporaryFolder } from '../harness/stack.ts';

const ROOT = join(import.meta.dir, '../..');

/** How often each line ran of each file, with a hub that starts and stops, and with a change in between or not. */
async function linesRun(change: '' | '1'): Promise<Map<string, Map<string, number>>> {
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
    const found = new Map<string, Map<string, number>>();
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

test('a POST /vhosts', async () => {
  const [without, withChange] = await Promise.all([linesRun(''), linesRun('1')]);
  const isIn = (file: string) =>
    [...(withChange.get(file) ?? [])].some(
      ([line, count]) => count > (without.get(file)?.get(line) ?? 0),
    );
  const through = [...withChange.keys()].filter(
    (file) => /^(?:src|agent)\//.test(file) && isIn(file),
  );
  // The agent asks Caddy meanwhile, which counts as well.
  console.log(`files that a POST /vhosts runs through: ${through.length}`);
  expect(through.length).toBeGreaterThan(50);
});
