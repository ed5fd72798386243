/** The program in one file, for tests that start it often: that takes half the time from the source. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '../..');
/** Below the packages, of which the native one is not bundled. */
const CACHE = join(ROOT, 'node_modules/.cache');

export type Bundle = {
  /** Where the entry points are, by their paths from the root. */
  folder: string;
  remove: () => void;
};

/** @throws AggregateError with the bundler's errors */
export async function bundleProgram(): Promise<Bundle> {
  mkdirSync(CACHE, { recursive: true });
  const outdir = mkdtempSync(join(CACHE, 'bundle-'));
  // Tests also start it as another user.
  chmodSync(outdir, 0o755);
  await Bun.build({
    entrypoints: ['src/main.ts', 'test/harness/quick-main.ts'].map((path) => join(ROOT, path)),
    root: ROOT,
    outdir,
    naming: {
      entry: '[dir]/[name].[ext]',
      chunk: '[name]-[hash].[ext]',
      asset: '[name]-[hash].[ext]',
    },
    target: 'bun',
    splitting: true,
    external: ['@node-rs/argon2'],
  });
  return { folder: outdir, remove: () => rmSync(outdir, { recursive: true }) };
}
