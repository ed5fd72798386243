/**
 * Runs the tests: `run.ts quick` what a change can break, `run.ts prove` the proofs, part by part.
 *   run.ts quick|prove [--full] [PART …] [TEXT …] [OPTION …]
 * A TEXT selects the files with it in their path, an OPTION is one of `bun test`, and `--full` tries all of
 * what otherwise is a sample. In the end come the slowest tests, those that failed, the processor's
 * seconds, and in the last line the counts.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, dirname, join, normalize } from 'node:path';
import { serveBrowser } from '../../test/harness/browser.ts';
import { bundleProgram } from '../../test/harness/bundle.ts';
import { mayRunAgain, runFailedAgain } from './again.ts';
import { findTestFiles, type TestFile } from './files.ts';
import { makeTestsFolder } from './folder.ts';
import { removeLeftovers } from './leftovers.ts';
import { isPartName, PART_NAMES, type PartName, partOf } from './parts.ts';
import { NO_REPORT, type Pass, type Result, startPass } from './pass.ts';
import { download, install, installBrowser } from './programs.ts';
import { measureSlowness } from './speed.ts';

const ROOT = join(import.meta.dir, '../..');
/** Two for each core: tests wait for other processes half of the time. */
const WORKERS = 2 * availableParallelism();
/** A test that takes longer hangs; on a slower machine that is later (test/harness/speed.ts). */
const TEST_TIMEOUT_MS = 120_000;
const SLOWEST = 10;
const INTERRUPTED = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

const [set = '', ...words] = process.argv.slice(2);
if (set !== 'quick' && set !== 'prove') throw new Error('run.ts quick|prove [PART …] [TEXT …]');
const { parts, texts, options, isFull } = readWords(words);

type Words = { parts: string[]; texts: string[]; options: string[]; isFull: boolean };

function readWords(given: readonly string[]): Words {
  const read: Words = { parts: [], texts: [], options: [], isFull: false };
  for (let at = 0; at < given.length; at++) {
    const word = given[at] ?? '';
    if (word === '--full') read.isFull = true;
    else if (word === '-t') read.options.push(word, given[++at] ?? '');
    else if (word.startsWith('-')) read.options.push(word);
    else if (set === 'prove' && isPartName(word)) read.parts.push(word);
    else read.texts.push(word.replace(/^\.\//, ''));
  }
  return read;
}

/** Files that run together, with one Caddy. */
type Batch = { title: string; files: string[]; env?: Environment };
type Environment = Record<string, string | undefined>;

const all = await findTestFiles(ROOT);
const isWanted = ({ path }: TestFile) =>
  texts.length === 0 || texts.some((text) => path.includes(text));
const quick = all.filter(({ part }) => part === null);
const folder = makeTestsFolder();
// Browsers keep their profiles there.
process.env.TMPDIR = folder;

const results: { title: string; result: Result }[] = [];
let pass: Pass | undefined;
let interrupted: number | null = null;
for (const [signal, code] of Object.entries(INTERRUPTED)) {
  process.on(signal, () => {
    interrupted ??= code;
    pass?.end();
  });
}

const started = performance.now();
const processorBefore = processorSeconds();
const slowness = await measureSlowness(availableParallelism());
console.log(`This machine takes ${slowness.toFixed(1)} times as long as the reference.`);

let bundle: Awaited<ReturnType<typeof bundleProgram>> | undefined;
let browser: Awaited<ReturnType<typeof serveBrowser>> = null;
try {
  installBrowser(ROOT);
  bundle = await bundleProgram();
  browser = await serveBrowser();
  if (set === 'quick') await run({ title: 'quick set', files: pathsOf(quick) });
  else for (const name of PART_NAMES) await prove(name);
  if (results.length === 0 && interrupted === null) await run({ title: 'proofs', files: [] });
} catch (error) {
  console.error(error);
  fail('the run', 'it could not go on');
} finally {
  await browser?.stop();
  bundle?.remove();
}
for (const left of removeLeftovers(folder)) console.log(`left behind and removed: ${left}`);
report();

function fail(title: string, why: string): void {
  results.push({ title, result: { ...NO_REPORT, failed: 1, failedTests: [why] } });
}

function pathsOf(files: readonly TestFile[]): string[] {
  return files.filter(isWanted).map(({ path }) => path);
}

/** Runs a part of the proofs, if it is wanted. */
async function prove(name: PartName): Promise<void> {
  if (parts.length > 0 && !parts.includes(name)) return;
  const part = partOf(name);
  const { repeats } = part;
  const files = pathsOf(all.filter((file) => file.part === name));
  const again = pathsOf(
    all.filter(({ path, part: of }) => {
      if (!repeats || !path.startsWith(repeats.folder)) return false;
      // With another Caddy, its own as well.
      return repeats.how === 'newer Caddy' || of === null;
    }),
  );
  if (files.length + again.length === 0 || interrupted !== null) return;
  console.log(`\n── ${name}: ${part.proves}`);
  install(part.installs ?? [], ROOT);
  const env: Environment = { ...process.env, ...download(part, ROOT) };
  if (files.length > 0) await run({ title: name, files, env });
  if (!repeats || again.length === 0) return;
  const title = `${name}, ${repeats.how}`;
  if (repeats.how === 'in full') return run({ title, files: again, env: { ...env, FULL: '1' } });
  const next = env.CADDY_NEXT;
  if (!next)
    return console.log('No newer Caddy (CADDY_NEXT): what is about Caddy ran with one only.');
  if (basename(next) !== 'caddy') throw new Error('CADDY_NEXT must be a path to `caddy`.');
  await run({ title, files: again, env: { ...env, PATH: `${dirname(next)}:${env.PATH}` } });
}

async function run(batch: Batch): Promise<void> {
  if (interrupted !== null) return;
  const { title, files, env = process.env } = batch;
  if (files.length === 0) {
    const others = all.filter(isWanted).flatMap(({ part }) => part ?? []);
    const hint = set === 'quick' && others.length > 0 ? `; try: bun run prove ${others[0]}` : '';
    return fail(title, `no test file has that in its path${hint}`);
  }
  const begun = performance.now();
  const first = await runTests(batch, WORKERS);
  const mayRun = (file: string) =>
    set === 'prove' &&
    interrupted === null &&
    all.some((one) => one.path === normalize(file) && mayRunAgain(one));
  const result = await runFailedAgain(first, mayRun, (again) =>
    runTests({ ...batch, files: [...again] }, 1),
  );
  results.push({ title, result });
  const version = Bun.spawnSync(['caddy', 'version'], {
    env: { PATH: env.PATH },
  }).stdout.toString();
  const [name] = /\S+/.exec(version) ?? ['?'];
  const seconds = Math.round((performance.now() - begun) / 1000);
  console.log(
    `\n${title} (Caddy ${name}): ${result.passed} passed, ${result.failed} failed, in ${seconds} s`,
  );
}

/** Runs its files, so many at a time. */
function runTests({ files, env = process.env }: Batch, workers: number): Promise<Result> {
  const variables = {
    ...env,
    // No test runs the same code long enough for what the last compiler costs: an eighth of the user time.
    BUN_JSC_useFTLJIT: '0',
    PROGRAM_BUNDLE: bundle?.folder,
    TMPDIR: folder,
    SLOWNESS: String(slowness),
    BROWSER_SERVER: browser?.url,
    ...(isFull && { FULL: '1' }),
  };
  pass = startPass(
    [
      `--timeout=${Math.round(TEST_TIMEOUT_MS * slowness)}`,
      `--parallel=${workers}`,
      // A worker reads and compiles the program once, and not for each of its files.
      '--no-isolate',
      `--timings=${join(ROOT, 'test/timings.json')}`,
      ...options,
    ],
    files.map((file) => `./${file}`),
    variables,
    folder,
  );
  return pass.exited;
}

/** Of this process and all that it has waited for, as proc(5) counts them: in ticks, a hundred a second. */
function processorSeconds(): number {
  const [, fields = ''] = readFileSync('/proc/self/stat', 'utf8').split(') ');
  const ticks = fields.split(' ').slice(11, 15).map(Number);
  return ticks.reduce((sum, one) => sum + one) / 100;
}

function report(): void {
  const sum = (of: (result: Result) => number) =>
    results.reduce((total, { result }) => total + of(result), 0);
  const slowest = results
    .flatMap(({ result }) => result.times)
    .toSorted((a, b) => b.seconds - a.seconds);
  console.log('');
  for (const { test, seconds } of slowest.slice(0, SLOWEST)) {
    console.log(`${seconds.toFixed(1).padStart(6)} s  ${test}`);
  }
  for (const { title, result } of results) {
    for (const name of result.passedAlone ?? []) {
      console.log(`failed, and passed alone: ${title}: ${name}`);
    }
    for (const name of result.failedTests) console.log(`failed: ${title}: ${name}`);
  }
  const skipped = sum((result) => result.skipped);
  if (skipped > 0) console.log(`${skipped} skipped`);
  const seconds = (performance.now() - started) / 1000;
  const processor = processorSeconds() - processorBefore;
  console.log(`${Math.round(seconds)} s, ${Math.round(processor)} s of the processor`);
  if (interrupted !== null) console.log('interrupted');
  const failed = sum((result) => result.failed);
  console.log(`${sum((result) => result.passed)} passed, ${failed} failed`);
  process.exit(interrupted ?? (failed === 0 ? 0 : 1));
}
