/**
 * `bun run release [PART …] [--out DIR] [--tag TAG]`: everything that is offered for download, in one
 * folder, with SHA256SUMS. The same commit gives the same bytes. Parts: binaries, sbom, deb; without one, all.
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import manifest from '../../package.json';
import { messageOf } from '../../src/shared/async.ts';
import { sourceDate } from '../checkout.ts';
import { TARGETS } from '../fetch-parts.ts';
import { writeSums } from '../sums.ts';
import { assertFresh } from './advisories.ts';
import { makeDeb } from './deb.ts';
import type { Making } from './making.ts';
import { shippedPackages } from './packages.ts';
import { sbomText } from './sbom.ts';

const ROOT = join(import.meta.dir, '../..');

const PARTS: Readonly<Record<string, (making: Making) => Promise<unknown>>> = {
  binaries: async () => {},
  sbom: ({ root, out, version, date }) =>
    Bun.write(
      join(out, `signalbox-${version}.cdx.json`),
      sbomText(manifest.name, shippedPackages(root), [], date),
    ),
  deb: async (making) => {
    for (const { name, cpu, libc } of TARGETS) {
      if (libc === 'glibc') makeDeb(join(making.out, `signalbox-${name}`), cpu, making);
    }
  },
};

/** @throws Error if one of them cannot be built */
async function buildBinaries({ root, out, date }: Making): Promise<void> {
  const words = TARGETS.flatMap(({ name }) => ['--target', name]);
  const child = Bun.spawn([process.execPath, 'scripts/build.ts', '--outdir', out, ...words], {
    cwd: root,
    env: { ...process.env, SOURCE_DATE_EPOCH: String(date) },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if ((await child.exited) !== 0) throw new Error('the binaries could not be built');
}

async function release(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { out: { type: 'string', default: join(ROOT, 'dist') }, tag: { type: 'string' } },
  });
  const unknown = positionals.filter((part) => !(part in PARTS));
  if (unknown.length > 0) {
    throw new Error(`unknown part: ${unknown.join(', ')}; use ${Object.keys(PARTS).join(', ')}`);
  }
  assertFresh(new Date());
  const { version } = manifest;
  if (values.tag !== undefined && values.tag !== `v${version}`) {
    throw new Error(`the tag is ${values.tag}, but package.json says v${version}`);
  }
  const out = resolve(values.out);
  const making = { root: ROOT, out, version, date: sourceDate(ROOT, process.env) };
  mkdirSync(out, { recursive: true });
  // SHA256SUMS covers the folder, where an older release may be.
  for (const name of readdirSync(out)) {
    if (name.startsWith('signalbox')) rmSync(join(out, name), { recursive: true });
  }
  const parts = positionals.length === 0 ? Object.keys(PARTS) : positionals;
  if (parts.some((part) => part !== 'sbom')) await buildBinaries(making);
  for (const part of parts) await PARTS[part]?.(making);
  await writeSums(out);
}

try {
  await release(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`release: ${messageOf(error)}\n`);
  process.exitCode = 1;
}
