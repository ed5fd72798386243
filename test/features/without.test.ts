// proof: features
/** The core needs no feature, and no feature another one but those that it names: each is left out in turn. */
import { expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, normalize } from 'node:path';
import { mayRunAgain, runFailedAgain } from '../../scripts/tests/again.ts';
import { findTestFiles } from '../../scripts/tests/files.ts';
import { startPass } from '../../scripts/tests/pass.ts';
import { FEATURES } from '../../src/features.ts';
import { limit } from '../harness/speed.ts';
import { temporaryFolder } from '../harness/stack.ts';
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

/** Runs tests with these features. @returns those that failed, with the message */
async function failedOf(paths: readonly string[], features: readonly string[]): Promise<string[]> {
  const folder = temporaryFolder();
  const env = { ...process.env, SIGNALBOX_FEATURES: features.join(',') };
  const runTests = (files: readonly string[], workers: number) =>
    startPass(
      [`--timeout=${limit(60_000)}`, `--parallel=${workers}`, '--no-isolate'],
      files.map((file) => `./${file}`),
      env,
      folder,
      () => {},
    ).exited;
  const first = await runTests(paths, WORKERS);
  const mayRun = (file: string) => mayRunAgain({ path: normalize(file), part: null });
  // What needs the feature fails alone as well.
  const result = await runFailedAgain(first, mayRun, (files) => runTests(files, 1));
  for (const name of result.passedAlone ?? []) console.log(`failed, and passed alone: ${name}`);
  rmSync(folder, { recursive: true });
  return result.failedTests;
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
