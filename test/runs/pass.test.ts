/** A run of tests that is ended, or that leaves something behind. */
import { afterEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { mayRunAgain, runFailedAgain } from '../../scripts/tests/again.ts';
import { removeLeftovers } from '../../scripts/tests/leftovers.ts';
import { startPass } from '../../scripts/tests/pass.ts';
import { measureSlowness } from '../../scripts/tests/speed.ts';
import { mayMount, mountSmall } from '../harness/mount.ts';
import { until } from '../harness/stack.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) removeLeftovers(folder);
});
function makeFolder(): string {
  // Not below that of this run, whose name all that is in it has in common.
  const folder = mkdtempSync(join(tmpdir(), 'leaving-'));
  folders.push(folder);
  return folder;
}
const isAlive = (pid: number) => existsSync(`/proc/${pid}`);
async function sleeping(folder: string): Promise<Bun.Subprocess> {
  const child = Bun.spawn(['sleep', '600'], { cwd: folder, detached: true });
  const command = () => readFileSync(`/proc/${child.pid}/cmdline`, 'utf8');
  await until(() => command().startsWith('sleep'), 'its start');
  return child;
}

/** Starts files of tests as a run does. */
function start(folder: string, ...texts: string[]) {
  const files = texts.map((tests, at) => {
    const file = join(folder, `some${at}.test.ts`);
    writeFileSync(file, `import { expect, test } from 'bun:test';\n${tests}`);
    return file;
  });
  return startPass([], files, process.env, folder, () => {});
}

describe('what tests leave', () => {
  test('is ended and removed, and nothing else is', async () => {
    const [folder, other] = [makeFolder(), makeFolder()];
    const [left, stranger] = [await sleeping(folder), await sleeping(other)];
    expect(removeLeftovers(folder)).toEqual([`process ${left.pid}: sleep 600 `]);
    await left.exited;
    expect([existsSync(folder), existsSync(other), isAlive(stranger.pid)]).toEqual([
      false,
      true,
      true,
    ]);
    stranger.kill();
  });

  test.skipIf(!mayMount)('is unmounted, also if it is in use', async () => {
    const folder = makeFolder();
    const disk = join(folder, 'disk');
    expect(mountSmall(disk, 'size=1m')).toBe(true);
    const user = await sleeping(disk);
    expect(removeLeftovers(folder)).toEqual([`process ${user.pid}: sleep 600 `, `mount: ${disk}`]);
    expect(existsSync(folder)).toBe(false);
  });

  test('is nothing, usually', () => {
    const folder = makeFolder();
    expect(removeLeftovers(folder)).toEqual([]);
    expect(existsSync(folder)).toBe(false);
  });
});

describe('a run', () => {
  test('counts what passed and failed, with the message', async () => {
    const tests = `test('good', () => {});\ntest('bad', () => expect('a & b').toBe('c'));\ntest.skip('no', () => {});`;
    const result = await start(makeFolder(), tests).exited;
    expect(result).toMatchObject({ passed: 1, failed: 1, skipped: 1 });
    expect(result.failedTests).toEqual([expect.stringContaining('bad: expect(received).toBe')]);
    expect(result.times.map(({ test: name }) => name.split(' > ').at(-1))).toEqual([
      'good',
      'bad',
      'no',
    ]);
  });

  test('that crashes has failed', async () => {
    const result = await start(makeFolder(), `test('good', () => {});\nthrow new Error('no');`)
      .exited;
    expect(result.failed).toBeGreaterThan(0);
  });

  test('names a file of which an error left no test, beside what failed', async () => {
    const folder = makeFolder();
    const bad = `test('bad', () => expect(1).toBe(2));`;
    const result = await start(folder, bad, `throw new Error('no');\ntest('lost', () => {});`)
      .exited;
    expect(result).toMatchObject({ passed: 0, failed: 2 });
    expect(result.failedTests[0]).toContain('bad: expect(received).toBe');
    expect(result.failedTests.slice(1)).toEqual([
      `${join(folder, 'some1.test.ts')}: none of its tests ran`,
    ]);
  });

  test('that is ended has what it had until then, and starts nothing again', async () => {
    const folder = makeFolder();
    const began = join(folder, 'began');
    const pass = start(
      folder,
      `test('good', () => {});\ntest('hangs', () => { require('fs').appendFileSync('${began}', 'x'); return new Promise(() => {}); }, 600_000);`,
    );
    await until(() => existsSync(began), 'the second test');
    pass.end();
    const result = await pass.exited;
    expect(result).toMatchObject({ passed: 1, failed: 1 });
    expect(result.failedTests).toEqual([expect.stringContaining('wrote no report')]);
    expect(await Bun.file(began).text()).toBe('x');
    expect(removeLeftovers(folder)).toEqual([]);
  });
});

describe('files that failed', () => {
  const alone = (folder: string) => (files: readonly string[]) =>
    startPass([], files, process.env, folder, () => {}).exited;

  test('fail again', async () => {
    const folder = makeFolder();
    const first = await start(folder, `test('bad', () => expect(1).toBe(2));`).exited;
    const result = await runFailedAgain(first, () => true, alone(folder));
    expect(result).toMatchObject({ passed: 0, failed: 1 });
    expect(result.failedTests).toHaveLength(2);
    expect(result.passedAlone).toBeUndefined();
  });

  test('do not run again if there are many, or nobody knows which they are, or one may not', async () => {
    const never = () => Promise.reject(new Error('it ran'));
    const first = await start(makeFolder(), `test('bad', () => expect(1).toBe(2));`).exited;
    for (const failedFiles of [['a', 'b', 'c', 'd', 'e'], [], null]) {
      const failed = { ...first, failedFiles };
      expect(await runFailedAgain(failed, () => true, never)).toBe(failed);
    }
    const [file = ''] = first.failedFiles ?? [];
    const two = { ...first, failedFiles: [file, 'other'] };
    expect(await runFailedAgain(two, (one) => one === file, never)).toBe(two);
    const path = 'test/hub/some.test.ts';
    const parts = ['chaos', 'attack', 'hub'] as const;
    expect(parts.map((part) => mayRunAgain({ path, part }))).toEqual([false, false, true]);
    for (const part of [null, 'caddys'] as const) {
      expect(mayRunAgain({ path: 'test/chaos/some.test.ts', part })).toBe(false);
      expect(mayRunAgain({ path: 'test/caddy/attack/some.test.ts', part })).toBe(false);
    }
  });

  test('have passed if they pass alone, and are named', async () => {
    const folder = makeFolder();
    const been = join(folder, 'been');
    const busy = `const fs = require('fs');\ntest('busy', () => { const before = fs.existsSync('${been}'); fs.writeFileSync('${been}', ''); expect(before).toBe(true); });`;
    const lost = `if (!require('fs').existsSync('${been}')) throw new Error('no');\ntest('lost', () => {});`;
    const first = await start(folder, lost, busy, `test('good', () => {});`).exited;
    expect(first).toMatchObject({ passed: 1, failed: 2 });
    const files = [1, 0].map((at) => join(folder, `some${at}.test.ts`));
    expect(first.failedFiles?.map((file) => resolve(file))).toEqual(files);
    const result = await runFailedAgain(first, () => true, alone(folder));
    expect(result).toMatchObject({ passed: 3, failed: 0, failedTests: [] });
    expect(result.passedAlone).toEqual(first.failedTests);
  });
});

describe('limits of time', () => {
  test('grow with what the machine takes longer', async () => {
    const script = `const { limit } = require('${join(import.meta.dir, '../harness/speed.ts')}'); console.log(limit(100))`;
    const limitOf = async (SLOWNESS: string) => {
      const env = { ...process.env, SLOWNESS };
      const child = Bun.spawn([process.execPath, '-e', script], { env, stdout: 'pipe' });
      return Number(await child.stdout.text());
    };
    expect(await limitOf('0.1')).toBeGreaterThanOrEqual(100);
    expect(await limitOf('50')).toBeGreaterThanOrEqual(5_000);
  });

  test('are never shorter than on the reference, and longer if the cores are shared', async () => {
    const alone = await measureSlowness(1);
    const crowded = await measureSlowness(8 * navigator.hardwareConcurrency);
    expect(alone).toBeGreaterThanOrEqual(1);
    expect(crowded).toBeGreaterThan(alone);
  });
});
