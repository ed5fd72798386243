/**
 * Runs the tests, several files at a time: all of them with the installed Caddy, then what is about Caddy
 * itself with the newer one in CADDY_NEXT, if it is set. With `--full`, of what takes long all of it; other
 * arguments are those of `bun test`. The files of tests that failed run once more, by themselves: what
 * passes then needs a quieter machine than it had, and is listed. In the end come the slowest tests, the
 * ones that failed, and in the last line the counts of both passes together.
 */
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { serveBrowser } from '../test/harness/browser.ts';
import { bundleProgram } from '../test/harness/bundle.ts';
import { NTFY } from '../test/harness/ntfy.ts';
import { findServer } from '../test/harness/server-process.ts';
import { CHASQUID } from '../test/harness/smtp.ts';

type Pass = {
  passed: number;
  failed: number;
  skipped: number;
  files: string[];
  failedFiles: string[];
  failedTests: string[];
  times: { test: string; seconds: number }[];
};

const TEST_TIMEOUT_MS = 30_000;
/** Two for each core: tests wait for other processes half of the time. */
const WORKERS = 2 * availableParallelism();
const SLOWEST = 10;
/** More files than this do not fail because the machine was busy. */
const MOST_AGAIN = 3;
/** Roughly how long files take, in milliseconds: the longest begin first. `--update-timings` measures. */
const TIMINGS = join(import.meta.dir, '../test/timings.json');
/** Files there are in memory, if it has room for those of all tests. */
const MEMORY = '/dev/shm';
const ROOM = 4 * 1024 ** 3;
/** What depends on what Caddy does. */
const ON_BOTH = ['test/caddy/'];
/** Where it could in the end, and takes long. */
const ON_BOTH_IN_FULL = [...ON_BOTH, 'test/chaos/'];

const isFull = process.argv.includes('--full');
const words = process.argv.slice(2).filter((word) => word !== '--full');
const path = process.env.PATH ?? '';
const next = process.env.CADDY_NEXT;
if (next && basename(next) !== 'caddy') throw new Error('CADDY_NEXT must be a path to `caddy`.');

const folder = makeFolder();
const bundle = await bundleProgram();
const browser = await serveBrowser();
const env = {
  ...process.env,
  // No test runs the same code long enough for what the last compiler costs: an eighth of the user time.
  BUN_JSC_useFTLJIT: '0',
  PROGRAM_BUNDLE: bundle.folder,
  TMPDIR: folder,
  ...(browser ? { BROWSER_SERVER: browser.url } : {}),
  ...(isFull ? { FULL: '1' } : {}),
};

/**
 * For the files of all tests: in memory if possible, as every change is synced to the disk several
 * times, which takes a tenth of the processor's time.
 */
function makeFolder(): string {
  const make = (parent: string) => {
    const made = mkdtempSync(join(parent, 'tests-'));
    // Like that of the machine: tests also run programs as other users.
    chmodSync(made, 0o1777);
    return made;
  };
  if (process.env.TMPDIR || !existsSync(MEMORY)) return make(tmpdir());
  const { bavail, bsize } = statfsSync(MEMORY);
  if (bavail * bsize < ROOM) return make(tmpdir());
  const made = make(MEMORY);
  const program = join(made, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  try {
    Bun.spawnSync([program]);
    return made;
  } catch {
    // Containers forbid to run programs there.
    rmSync(made, { recursive: true });
    return make(tmpdir());
  }
}

const unsteady: string[] = [];

/** Runs the tests, and the files of those that failed once more by themselves. */
async function runTwice(PATH: string, args: readonly string[]): Promise<Pass> {
  const first = await run(PATH, args);
  const files = new Set(first.failedFiles);
  if (files.size === 0 || files.size > MOST_AGAIN || words.length > 0) return first;
  console.log(`once more, by themselves: ${[...files].join(', ')}`);
  const again = await run(PATH, ['--parallel=1', ...files]);
  const { failed, failedTests } = again;
  unsteady.push(...first.failedTests.filter((name) => !failedTests.includes(name)));
  return { ...first, passed: first.passed + first.failed - failed, failed, failedTests };
}

/** Runs the tests with the first `caddy` on this PATH. */
async function run(PATH: string, args: readonly string[]): Promise<Pass> {
  const started = performance.now();
  const report = join(folder, 'report.xml');
  rmSync(report, { force: true });
  const options = [
    ...[`--timeout=${TEST_TIMEOUT_MS}`, `--parallel=${WORKERS}`, `--timings=${TIMINGS}`],
    // A worker reads and compiles the program once, and not for each of its files.
    '--no-isolate',
  ];
  const reporter = ['--reporter=junit', `--reporter-outfile=${report}`];
  const command = [process.execPath, 'test', ...options, ...reporter, ...args];
  // Not in one go: the browser is served meanwhile.
  const child = Bun.spawn(command, {
    env: { ...env, PATH },
    stdio: ['inherit', 'inherit', 'inherit'],
  });
  const exitCode = await child.exited;
  const xml = existsSync(report) ? readFileSync(report, 'utf8') : '';

  const [root = ''] = /<testsuites [^>]*>/.exec(xml) ?? [];
  const [total, failures, skipped] = ['tests', 'failures', 'skipped'].map((name) =>
    Number(attribute(root, name)),
  ) as [number, number, number];
  // Without a failed test it crashed, could not start, or had nothing to do.
  const failed = exitCode === 0 ? failures : Math.max(failures, 1);
  const passed = total - failures - skipped;
  const [version] =
    /\S+/.exec(Bun.spawnSync(['caddy', 'version'], { env: { PATH } }).stdout.toString()) ?? [];
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(`\nwith Caddy ${version}: ${passed} passed, ${failed} failed, in ${seconds} s\n`);
  const nameOf = (tag: string) =>
    `${version}: ${attribute(tag, 'file')}: ${[attribute(tag, 'classname'), attribute(tag, 'name')].filter((one) => one !== '').join(' > ')}`;
  const failedCases = xml.match(/<testcase [^>]*>\s*<failure [^>]*>/g) ?? [];
  return {
    ...{ passed, failed, skipped },
    files: xml.match(/(?<=<testsuite [^>]* file=")[^"]+/g) ?? [],
    failedFiles: failedCases.map((tags) => attribute(tags, 'file')),
    failedTests: failedCases.map((tags) => {
      const [test = '', failure = ''] = tags.split(/(?=<failure )/);
      return `${nameOf(test)}: ${attribute(failure, 'message')}`;
    }),
    times: (xml.match(/<testcase [^>]*>/g) ?? []).map((tag) => ({
      test: nameOf(tag),
      seconds: Number(attribute(tag, 'time')),
    })),
  };
}

/** Of a tag of the report. */
function attribute(tag: string, name: string): string {
  const value = new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '';
  const characters: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
  const line = value.replaceAll('&#10;', ' ').trim();
  return line.replace(/&(\w+);/g, (text, entity: string) => characters[entity] ?? text);
}

const passes = [await runTwice(path, words)];
const isOnBoth = (file: string) =>
  (isFull ? ON_BOTH_IN_FULL : ON_BOTH).some((folder) => file.startsWith(folder));
const files = passes[0]?.files ?? [];
if (files.some(isOnBoth) && !next) {
  console.log('No newer Caddy (CADDY_NEXT): the second pass, on that one, is left out.');
} else if (files.some(isOnBoth) && next) {
  const others = files.filter((file) => !isOnBoth(file));
  const ignored = others.map((file) => `--path-ignore-patterns=${file}`);
  passes.push(
    await runTwice(`${dirname(next)}:${path}`, ['--pass-with-no-tests', ...ignored, ...words]),
  );
}

await browser?.stop();
bundle.remove();
rmSync(folder, { recursive: true, force: true });
if (NTFY === null || CHASQUID === null) {
  console.log('No ntfy (NTFY) or mail server (CHASQUID): the tests that need it are left out.');
}

const absent = [
  'fail2ban-regex',
  'nft',
  'wg',
  'nginx',
  findServer('PROMTOOL', 'promtool') ?? 'promtool',
].filter((name) => Bun.which(name) === null);
if (absent.length > 0) {
  console.log(`No ${absent.join(', ')}: the tests of pages in docs/ that need it are left out.`);
}

const sum = (of: (pass: Pass) => number) => passes.map(of).reduce((all, one) => all + one);
const skipped = sum((pass) => pass.skipped);
const failed = sum((pass) => pass.failed);
const slowest = passes.flatMap(({ times }) => times).toSorted((a, b) => b.seconds - a.seconds);
for (const { test, seconds } of slowest.slice(0, SLOWEST)) {
  console.log(`${seconds.toFixed(1).padStart(6)} s  ${test}`);
}
for (const name of unsteady) console.log(`passed only by itself: ${name}`);
for (const name of passes.flatMap((pass) => pass.failedTests)) console.log(`failed: ${name}`);
if (skipped > 0) console.log(`${skipped} skipped`);
console.log(`${sum((pass) => pass.passed)} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
