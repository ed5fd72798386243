/**
 * The program for tests that start it often: in one file, which takes half the time from the source, and
 * at the pace of tests as a binary with bytecode, which takes half of that.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fetchParts } from '../../scripts/fetch-parts.ts';
import { host, ROOT } from './build.ts';

/** Below the packages, of which the native one is not bundled. */
const CACHE = join(ROOT, 'node_modules/.cache');
/** Loads the native part, which it looks for by platform. */
const INDEX = /@node-rs\/argon2\/index\.js$/;

type Bundle = {
  /** Where `src/main.js` is, and the binary `quick-main`. */
  folder: string;
  remove: () => void;
};

/** @throws AggregateError with the bundler's errors */
export async function bundleProgram(): Promise<Bundle> {
  mkdirSync(CACHE, { recursive: true });
  const outdir = mkdtempSync(join(CACHE, 'bundle-'));
  // Tests also start it as another user.
  chmodSync(outdir, 0o755);
  const common = { root: ROOT, target: 'bun', format: 'esm', splitting: true } as const;
  await Bun.build({
    ...common,
    entrypoints: [join(ROOT, 'src/main.ts')],
    outdir,
    naming: {
      entry: '[dir]/[name].[ext]',
      chunk: '[name]-[hash].[ext]',
      asset: '[name]-[hash].[ext]',
    },
    external: ['@node-rs/argon2'],
  });
  const { native } = await fetchParts(ROOT, host);
  await Bun.build({
    ...common,
    entrypoints: [join(ROOT, 'test/harness/quick-main.ts')],
    bytecode: true,
    compile: {
      outfile: join(outdir, 'quick-main'),
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
    },
    plugins: [
      {
        name: 'argon2 where it is',
        setup(build) {
          const contents = `Object.assign(exports, require('${native}'));`;
          build.onLoad({ filter: INDEX }, () => ({ loader: 'js', contents }));
          build.onResolve({ filter: /\.node$/ }, () => ({ path: native, external: true }));
        },
      },
    ],
  });
  return { folder: outdir, remove: () => rmSync(outdir, { recursive: true }) };
}
