/**
 * How many mistakes the quick tests notice: changes single lines of `src` and `agent`, one at a time in a
 * copy of the last commit, and runs first the tests beside the file and then all of the quick set.
 *   mutate.ts [COUNT [SEED [FIRST]]]
 */
import { chmodSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findTestFiles } from './files.ts';
import { applied, chooseMutants, type Mutant } from './mutants.ts';

const ROOT = join(import.meta.dir, '../..');
const [count = 40, seed = 20261127, first = 1] = process.argv.slice(2).map(Number);
/** A mutant may hang every test that meets it. */
const LONGEST_MS = 1_200_000;

const copy = mkdtempSync(join(tmpdir(), 'mutants-'));
// Tests also run programs as other users.
chmodSync(copy, 0o755);
let child: Bun.Subprocess | undefined;
process.on('exit', () => {
  child?.kill('SIGTERM');
  rmSync(copy, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
Bun.spawnSync(['git', 'clone', '-q', '--shared', ROOT, copy]);
symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
const paths = [...new Bun.Glob('{src,agent}/**/*.{ts,tsx}').scanSync(copy)];
const quick = (await findTestFiles(copy))
  .filter(({ part }) => part === null)
  .map(({ path }) => path);
const texts = new Map(
  await Promise.all(
    paths.map(async (path) => [path, await Bun.file(join(copy, path)).text()] as const),
  ),
);

/** The folders with the tests of a file, as texts of their paths: beside it, or beside the folder that it is in. */
function beside(file: string): string[] {
  const [, feature] = /^(?:src|agent)\/features\/([^/]+)\//.exec(file) ?? [];
  if (feature !== undefined) return [`test/features/${feature}/`];
  if (file.startsWith('src/web/')) return ['test/web/', 'test/browser/'];
  let folder = dirname(file).replace(/^src\/?/, '');
  const hasTests = () => quick.some((path) => path.startsWith(`test/${folder}/`));
  while (folder.includes('/') && !hasTests()) folder = dirname(folder);
  return [`test/${folder}/`, `test/caddy/${folder}/`];
}

/** @returns the first test that failed, or null */
async function run(words: readonly string[]): Promise<string | null> {
  const running = Bun.spawn(
    [process.execPath, 'scripts/tests/run.ts', 'quick', '--bail=1', ...words],
    {
      cwd: copy,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    },
  );
  child = running;
  const late = setTimeout(() => running.kill('SIGTERM'), LONGEST_MS);
  const [out, err, code] = await Promise.all([
    running.stdout.text(),
    running.stderr.text(),
    running.exited,
  ]);
  clearTimeout(late);
  if (code === 0 || /no test file has that in its path/.test(out)) return null;
  return /^\(fail\) .*$/m.exec(err)?.[0] ?? /^error: .*$/m.exec(err)?.[0] ?? `exit code ${code}`;
}

const wordsOf = ({ file, line, before, after }: Mutant) =>
  `${file}:${line}\n    ${before.trim()}\n    ${after.trim() || '(removed)'}`;

/** @returns those that the tests did not notice */
async function tryAll(
  mutants: readonly Mutant[],
  testsOf: (mutant: Mutant) => readonly string[],
): Promise<Mutant[]> {
  const left: Mutant[] = [];
  for (const mutant of mutants) {
    const begun = performance.now();
    const path = join(copy, mutant.file);
    await Bun.write(path, applied(texts.get(mutant.file) ?? '', mutant));
    const noticed = await run(testsOf(mutant));
    await Bun.write(path, texts.get(mutant.file) ?? '');
    if (noticed === null) left.push(mutant);
    const seconds = Math.round((performance.now() - begun) / 1000);
    console.log(`${wordsOf(mutant)}\n  ${noticed ?? 'not noticed'} (${seconds} s)`);
  }
  return left;
}

const mutants = chooseMutants(texts, count, seed).slice(first - 1);
console.log('By the tests beside the file:');
const unnoticed = await tryAll(mutants, ({ file }) => beside(file));
console.log(`\nBy all of the quick set, of the ${unnoticed.length} that are left:`);
const survivors = await tryAll(unnoticed, () => []);
console.log(`\n${mutants.length - survivors.length} of ${mutants.length} were noticed`);
