/**
 * `bun run build [--target NAME …] [--outdir DIR] [--no-bytecode]`: one binary per platform, and
 * SHA256SUMS. The same commit and lockfile give the same bytes, in any folder.
 */
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import manifest from '../package.json';
import { messageOf } from '../src/shared/async.ts';
import { readCommit } from './checkout.ts';
import {
  BUN_VERSION,
  fetchParts,
  type Parts,
  PartsError,
  TARGETS,
  type Target,
} from './fetch-parts.ts';
import { writeSums } from './sums.ts';

const ROOT = join(import.meta.dir, '..');
const NAMES = TARGETS.map(({ name }) => name);

type Making = { commit: string | null; bytecode: boolean; outfile: string };

/** Builds one binary. @throws AggregateError with the bundler's errors */
async function compile(target: Target, parts: Parts, { commit, bytecode, outfile }: Making) {
  const native = `./argon2.${target.native}.node`;
  await Bun.build({
    entrypoints: [join(ROOT, 'src/main.ts')],
    root: ROOT,
    target: 'bun',
    format: 'esm',
    // Identifiers stay for stack traces, since `keepNames` does not cover all of them. The lines in
    // those come from the source map.
    minify: { whitespace: true, syntax: true, identifiers: false },
    sourcemap: 'linked',
    // What the start does not need is loaded on demand.
    splitting: true,
    // 6 MB larger, and starts in half the time.
    bytecode,
    define: {
      'process.env.NODE_ENV': '"production"',
      SIGNALBOX_COMMIT: JSON.stringify(commit),
    },
    compile: {
      target: target.bun,
      outfile,
      executablePath: parts.runtime,
      // The program reads `.env` itself, unless it is in the data folder.
      autoloadDotenv: false,
      // A `preload` in a bunfig.toml there would run in the program.
      autoloadBunfig: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
    },
    plugins: [
      {
        name: 'argon2 of the target',
        setup(build) {
          // The package looks for its native part at run time, by platform and by a variable.
          build.onLoad({ filter: /@node-rs\/argon2\/index\.js$/ }, () => ({
            loader: 'js',
            contents: loadNative(native),
          }));
          build.onResolve({ filter: /^\.\/argon2\.[\w-]+\.node$/ }, () => ({ path: parts.native }));
        },
      },
    ],
  });
}

/** Bun unpacks the embedded file to the temporary folder: the system only loads real files. */
const loadNative = (file: string): string => `
  try {
    Object.assign(exports, require('${file}'));
  } catch (cause) {
    throw new Error(
      'the temporary folder (TMPDIR, else /tmp) must be writable and not mounted noexec, for argon2: ' +
        cause.message,
      { cause },
    );
  }`;

/** All targets if none is wanted. @throws Error for an unknown target */
function findTargets(wanted: readonly string[]): readonly Target[] {
  const unknown = wanted.filter((name) => !NAMES.includes(name));
  if (unknown.length > 0) {
    throw new Error(`unknown target: ${unknown.join(', ')}; use one of ${NAMES.join(', ')}`);
  }
  return wanted.length === 0 ? TARGETS : TARGETS.filter(({ name }) => wanted.includes(name));
}

async function build(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    allowNegative: true,
    options: {
      target: { type: 'string', multiple: true, default: [] },
      outdir: { type: 'string', default: join(ROOT, 'dist') },
      bytecode: { type: 'boolean', default: true },
    },
  });
  const targets = findTargets(values.target);
  if (Bun.version !== BUN_VERSION) {
    throw new Error(
      `the build needs Bun ${BUN_VERSION}, as package.json says; this is ${Bun.version}`,
    );
  }
  const outdir = resolve(values.outdir);
  mkdirSync(outdir, { recursive: true });
  const work = mkdtempSync(join(outdir, '.build-'));
  try {
    const commit = readCommit(ROOT);
    console.log(`signalbox ${manifest.version}${commit === null ? '' : ` (${commit})`}`);
    for (const target of targets) {
      const from = performance.now();
      const name = `signalbox-${target.name}`;
      const making = { commit, bytecode: values.bytecode, outfile: join(work, name) };
      await compile(target, await fetchParts(ROOT, target), making);
      renameSync(join(work, name), join(outdir, name));
      const { size } = Bun.file(join(outdir, name));
      const seconds = ((performance.now() - from) / 1000).toFixed(1);
      console.log(`  ${name}  ${(size / 1e6).toFixed(1)} MB  ${seconds} s`);
    }
    await writeSums(outdir);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

// Paths in the source maps are relative to the working folder.
process.chdir(ROOT);
try {
  await build(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`build: ${messageOf(error)}\n`);
  if (error instanceof AggregateError) for (const fault of error.errors) console.error(fault);
  process.exitCode = error instanceof PartsError ? 3 : 1;
}
