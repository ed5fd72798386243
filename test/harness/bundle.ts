/** The program in one file, for tests that start it often: that takes half the time from the source. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '../..');
/** Below the packages, of which the native one is not bundled. */
const CACHE = join(ROOT, 'node_modules/.cache');

export type Bundle = {
  /** The path of the entry point. */
  main: string;
  remove: () => void;
};

/** @throws AggregateError with the bundler's errors */
export async function bundleProgram(): Promise<Bundle> {
  mkdirSync(CACHE, { recursive: true });
  const outdir = mkdtempSync(join(CACHE, 'bundle-'));
  // Tests also start it as another user.
  chmodSync(outdir, 0o755);
  await Bun.build({
    entrypoints: [join(ROOT, 'src/main.ts')],
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
  return { main: join(outdir, 'src/main.js'), remove: () => rmSync(outdir, { recursive: true }) };
}
