/**
 * Runs the tests, several files at a time: all of them with the installed Caddy, then those that start
 * a Caddy with the newer one in CADDY_NEXT, if it is set. With `--full`, of what takes long all of it;
 * other arguments are those of `bun test`. The last line has the counts of both passes together, after
 * the names of the tests that failed.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { bundleProgram } from '../test/harness/bundle.ts';
import { withoutCaddy } from '../test/harness/caddy-facing.ts';
import { NTFY } from '../test/harness/ntfy.ts';
import { CHASQUID } from '../test/harness/smtp.ts';

type Pass = {
  passed: number;
  failed: number;
  skipped: number;
  files: string[];
  failedTests: string[];
};

const TEST_TIMEOUT_MS = 30_000;
/** Two for each core: tests wait for other processes half of the time. */
const WORKERS = 2 * availableParallelism();

const isFull = process.argv.includes('--full');
const words = process.argv.slice(2).filter((word) => word !== '--full');
const path = process.env.PATH ?? '';
const next = process.env.CADDY_NEXT;
if (next && basename(next) !== 'caddy') throw new Error('CADDY_NEXT must be a path to `caddy`.');

/** Runs the tests with the first `caddy` on this PATH. */
function run(PATH: string, args: readonly string[]): Pass {
  const env = {
    ...process.env,
    ...{ PATH, PROGRAM_BUNDLE: bundle.folder },
    ...(isFull ? { FULL: '1' } : {}),
  };
  const started = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'tests-'));
  const report = join(folder, 'report.xml');
  const options = [`--timeout=${TEST_TIMEOUT_MS}`, `--parallel=${WORKERS}`, '--reporter=junit'];
  const command = [process.execPath, 'test', ...options, `--reporter-outfile=${report}`, ...args];
  const { exitCode } = Bun.spawnSync(command, { env, stdio: ['inherit', 'inherit', 'inherit'] });
  const xml = existsSync(report) ? readFileSync(report, 'utf8') : '';
  rmSync(folder, { recursive: true });

  const [root = ''] = /<testsuites [^>]*>/.exec(xml) ?? [];
  const count = (name: string) => Number(new RegExp(` ${name}="(\\d+)"`).exec(root)?.[1] ?? 0);
  const [total, failures, skipped] = [count('tests'), count('failures'), count('skipped')];
  // Without a failed test it crashed, could not start, or had nothing to do.
  const failed = exitCode === 0 ? failures : Math.max(failures, 1);
  const passed = total - failures - skipped;
  const [version] =
    /\S+/.exec(Bun.spawnSync(['caddy', 'version'], { env }).stdout.toString()) ?? [];
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(`\nwith Caddy ${version}: ${passed} passed, ${failed} failed, in ${seconds} s\n`);
  const files = xml.match(/(?<=<testsuite [^>]* file=")[^"]+/g) ?? [];
  const failedTests = (xml.match(/<testcase [^>]*>\s*<failure [^>]*>/g) ?? []).map((tags) => {
    const of = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(tags)?.[1] ?? '';
    return `${version}: ${of('file')}: ${of('classname')} > ${of('name')}: ${of('message')}`;
  });
  return { passed, failed, skipped, files, failedTests };
}

const bundle = await bundleProgram();
const passes = [run(path, words)];
const others = new Set(withoutCaddy());
const isCaddyTested = passes[0]?.files.some((file) => !others.has(file));
if (isCaddyTested && !next) {
  console.log('No newer Caddy (CADDY_NEXT): the second pass, on that one, is left out.');
} else if (isCaddyTested && next) {
  const ignored = [...others].map((file) => `--path-ignore-patterns=${file}`);
  passes.push(run(`${dirname(next)}:${path}`, ['--pass-with-no-tests', ...ignored, ...words]));
}

bundle.remove();
if (NTFY === null || CHASQUID === null) {
  console.log('No ntfy (NTFY) or mail server (CHASQUID): the tests that need it are left out.');
}

const sum = (of: (pass: Pass) => number) => passes.map(of).reduce((all, one) => all + one);
const skipped = sum((pass) => pass.skipped);
const failed = sum((pass) => pass.failed);
for (const name of passes.flatMap((pass) => pass.failedTests)) console.log(`failed: ${name}`);
if (skipped > 0) console.log(`${skipped} skipped`);
console.log(`${sum((pass) => pass.passed)} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
