// proof: features
/** The core needs no feature, and no feature another one but those that it names: each is left out in turn. */
import { expect, test } from 'bun:test';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { findTestFiles } from '../../scripts/tests/files.ts';
import { FEATURES } from '../../src/features.ts';
import { limit } from '../harness/speed.ts';
import { words } from '../harness/words.ts';

const ROOT = join(import.meta.dir, '../..');
/** As all tests run. */
const WORKERS = 2 * availableParallelism();
const quick = (await findTestFiles(ROOT))
  .filter(({ part }) => part === null)
  .map(({ path }) => path);

/** Changes and how they go live, accounts, kills and power cuts: what is promised, whatever else there is. */
const PROMISED = words(`
  test/hub/api/ test/hub/auth/ test/hub/model/ test/hub/publish/ test/chaos/chaos
  test/chaos/power-cut test/chaos/retries test/chaos/several
`);
/** They have to do with features as well. */
const OF_FEATURES = ['test/hub/auth/command-line.test.ts', 'test/hub/auth/security-log.test.ts'];

const isPromised = (path: string) =>
  PROMISED.some((start) => path.startsWith(start)) && !OF_FEATURES.includes(path);

/** Runs tests with these features. @returns those that failed */
async function failedOf(paths: readonly string[], features: readonly string[]): Promise<string[]> {
  const run = Bun.spawn(
    [
      process.execPath,
      'test',
      `--timeout=${limit(60_000)}`,
      `--parallel=${WORKERS}`,
      '--no-isolate',
      ...paths.map((path) => `./${path}`),
    ],
    {
      cwd: ROOT,
      env: { ...process.env, SIGNALBOX_FEATURES: features.join(',') },
      stdout: 'ignore',
      stderr: 'pipe',
    },
  );
  const text = await run.stderr.text();
  const failed = [...text.matchAll(/^\(fail\) .*$/gm)].map(([line]) => line);
  return (await run.exited) === 0 ? [] : failed.length > 0 ? failed : [text.slice(-2_000)];
}

test(
  'without any, changes, accounts, kills and power cuts are as promised',
  async () => {
    const paths = quick.filter(isPromised);
    expect(paths.length).toBeGreaterThan(40);
    expect(await failedOf(paths, [])).toEqual([]);
  },
  limit(900_000),
);

/** The names of a feature and of those that need it. */
function withDependents(name: string): Set<string> {
  const dependents = FEATURES.filter(({ needs = [] }) => needs.includes(name));
  return new Set([name, ...dependents.flatMap((one) => [...withDependents(one.name)])]);
}

test.each(FEATURES.map(({ name }) => name))(
  'without %s, the others are as they are',
  async (name) => {
    const out = withDependents(name);
    const others = FEATURES.map((one) => one.name).filter((one) => !out.has(one));
    const paths = quick.filter((path) => others.some((one) => path.includes(`/features/${one}/`)));
    expect(await failedOf(paths, others)).toEqual([]);
  },
  limit(600_000),
);
