/**
 * `bun run build [--target NAME …] [--outdir DIR] [--no-bytecode]`: the program as one file per
 * platform, and SHA256SUMS beside them. Same commit and same lockfile, same bytes, wherever the folder
 * lies.
 */
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import manifest from '../package.json';
import {
  BUN_VERSION,
  fetchParts,
  type Parts,
  PartsError,
  TARGETS,
  type Target,
} from './fetch-parts.ts';

const ROOT = join(import.meta.dir, '..');
const NAMES = TARGETS.map(({ name }) => name);

/** The commit, `-dirty` where files differ from it; null where this is no checkout. */
function readCommit(): string | null {
  const git = (...words: string[]): string | null => {
    try {
      const { success, stdout } = Bun.spawnSync(['git', '-C', ROOT, ...words], {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      return success ? stdout.toString().trim() : null;
    } catch {
      return null;
    }
  };
  // Unpacked somewhere inside another repository, that one's commit says nothing.
  if (git('rev-parse', '--show-prefix') !== '') return null;
  const hash = git('rev-parse', 'HEAD');
  if (hash === null) return null;
  return hash.slice(0, 7) + (git('status', '--porcelain') === '' ? '' : '-dirty');
}

type Making = { commit: string | null; bytecode: boolean; outfile: string };

/** One executable. @throws AggregateError with what the bundler found wrong */
async function compile(target: Target, parts: Parts, { commit, bytecode, outfile }: Making) {
  const native = `./argon2.${target.native}.node`;
  await Bun.build({
    entrypoints: [join(ROOT, 'src/main.ts')],
    root: ROOT,
    target: 'bun',
    format: 'esm',
    // Names stay for whoever reads a stack trace, where `keepNames` does not reach; its lines come
    // from the source map.
    minify: { whitespace: true, syntax: true, identifiers: false },
    sourcemap: 'linked',
    // What the start does not need is only read when it is.
    splitting: true,
    // 6 MB more, and half the time to start.
    bytecode,
    define: {
      'process.env.NODE_ENV': '"production"',
      SIGNALBOX_COMMIT: JSON.stringify(commit),
    },
    compile: {
      target: target.bun,
      outfile,
      executablePath: parts.runtime,
      // `.env` in the working folder and none of Bun's other ones (`.env.local`, `.env.production`).
      autoloadDotenv: true,
      execArgv: ['--env-file=.env'],
      // A stranger's `preload` there would run in the program.
      autoloadBunfig: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
    },
    plugins: [
      {
        name: 'argon2 of the target',
        setup(build) {
          // The package looks for its native half at run time, by the machine and by a variable.
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

/** Bun writes the embedded file to the temporary folder, for the system's loader takes only files. */
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

/** @throws Error for a target there is none of */
function findTargets(wanted: readonly string[]): readonly Target[] {
  const unknown = wanted.filter((name) => !NAMES.includes(name));
  if (unknown.length > 0) {
    throw new Error(`no such target: ${unknown.join(', ')}; there is ${NAMES.join(', ')}`);
  }
  return wanted.length === 0 ? TARGETS : TARGETS.filter(({ name }) => wanted.includes(name));
}

async function build(words: string[]): Promise<void> {
  const { values } = parseArgs({
    args: words,
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
      `a build needs Bun ${BUN_VERSION}, which the lockfile names; this is ${Bun.version}`,
    );
  }
  const outdir = resolve(values.outdir);
  mkdirSync(outdir, { recursive: true });
  const work = mkdtempSync(join(outdir, '.build-'));
  try {
    const commit = readCommit();
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

/** For `sha256sum -c SHA256SUMS`: all binaries that lie there. */
async function writeSums(outdir: string): Promise<void> {
  const lines: string[] = [];
  for (const name of readdirSync(outdir).toSorted()) {
    if (!name.startsWith('signalbox-')) continue;
    const hasher = new Bun.CryptoHasher('sha256');
    for await (const chunk of Bun.file(join(outdir, name)).stream()) hasher.update(chunk);
    lines.push(`${hasher.digest('hex')}  ${name}\n`);
  }
  await Bun.write(join(outdir, 'SHA256SUMS'), lines.join(''));
}

// Paths in the source maps are told from here.
process.chdir(ROOT);
try {
  await build(process.argv.slice(2));
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(`build: ${reason}\n`);
  if (error instanceof AggregateError) for (const fault of error.errors) console.error(fault);
  process.exitCode = error instanceof PartsError ? 3 : 1;
}
