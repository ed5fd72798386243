/**
 * `bun run release [PART …]`: everything that is offered for download, in one folder, with SHA256SUMS. The
 * same commit and packages of Debian give the same bytes. `--help` lists parts and options.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import manifest from '../../package.json';
import { messageOf } from '../../src/shared/async.ts';
import { sourceDate } from '../checkout.ts';
import { TARGETS, type Target } from '../fetch-parts.ts';
import { writeSums } from '../sums.ts';
import { assertFresh } from './advisories.ts';
import { makeDeb } from './deb.ts';
import { fetchPackages, IMAGE_NEEDS, imageName, makeImage } from './image.ts';
import type { Making } from './making.ts';
import { shippedPackages } from './packages.ts';
import { type Other, sbomText } from './sbom.ts';

const ROOT = join(import.meta.dir, '../..');

type Part = Readonly<{
  about: string;
  /** Programs that it runs. */
  needs: readonly string[];
  make: (making: Making, packages: string) => Promise<unknown>;
}>;

const binaryOf = ({ out }: Making, { name }: Target): string => join(out, `signalbox-${name}`);

function writeSbom(making: Making, name: string, file: string, others: Other[]): Promise<unknown> {
  const { root, out, date } = making;
  return Bun.write(join(out, file), sbomText(name, shippedPackages(root), others, date));
}

const PARTS: Readonly<Record<string, Part>> = {
  binaries: { about: 'the program for each platform', needs: [], make: async () => {} },
  sbom: {
    about: 'the list of what the binaries contain',
    needs: [],
    make: (making) => writeSbom(making, manifest.name, `signalbox-${making.version}.cdx.json`, []),
  },
  deb: {
    about: 'packages for Debian and its relatives',
    needs: ['dpkg-deb'],
    make: async (making) => {
      for (const target of TARGETS) makeDeb(binaryOf(making, target), target.cpu, making);
    },
  },
  images: {
    about: 'container images, each with the list of what it contains',
    needs: IMAGE_NEEDS,
    make: async (making, packages) => {
      for (const target of TARGETS) {
        const { cpu } = target;
        const others = await makeImage(binaryOf(making, target), cpu, packages, making);
        const list = imageName(making.version, cpu).replace(/tar$/, 'cdx.json');
        await writeSbom(making, `${manifest.name}-image`, list, others);
      }
    },
  },
};

const USAGE = `usage: bun run release [PART …] [OPTION …]

Parts, all of them if none is named:
${Object.entries(PARTS)
  .map(([name, { about }]) => `  ${name.padEnd(16)}${about}\n`)
  .join('')}
Options:
  --out DIR       where the files go (dist); files there from an older release are removed
  --packages DIR  where Debian's packages for the images are, and are kept; what is missing is downloaded
  --tag TAG       fails unless this is the tag of the version in package.json
`;

/** What earlier runs leave in the folder; other folders are not theirs. */
const isOurs = (name: string, isFile: boolean): boolean =>
  isFile ? /^(signalbox[-_]|SHA256SUMS$)/.test(name) : /^\.(build|deb|image|packages)-/.test(name);

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

/** @throws Error if a part is unknown, or lacks a program on this machine */
function assertPossible(parts: readonly string[]): void {
  const unknown = parts.filter((name) => !Object.hasOwn(PARTS, name));
  if (unknown.length > 0) {
    throw new Error(`unknown part: ${unknown.join(', ')}; use ${Object.keys(PARTS).join(', ')}`);
  }
  const lacks = parts.flatMap((name) => {
    const missing = PARTS[name]?.needs.filter((program) => Bun.which(program) === null) ?? [];
    return missing.length > 0 ? [`the part ${name} needs ${missing.join(', ')}`] : [];
  });
  if (lacks.length === 0) return;
  throw new Error(`${lacks.join('; ')}: use a machine with Debian, or name only other parts`);
}

async function release(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      out: { type: 'string', default: join(ROOT, 'dist') },
      packages: { type: 'string' },
      tag: { type: 'string' },
    },
  });
  if (values.help) return void process.stdout.write(USAGE);
  const parts = positionals.length === 0 ? Object.keys(PARTS) : positionals;
  assertPossible(parts);
  assertFresh(new Date());
  const { version } = manifest;
  if (values.tag !== undefined && values.tag !== `v${version}`) {
    throw new Error(`the tag is ${values.tag}, but package.json says v${version}`);
  }
  const out = resolve(values.out);
  const making = { root: ROOT, out, version, date: sourceDate(ROOT, process.env) };
  mkdirSync(out, { recursive: true });
  for (const entry of readdirSync(out, { withFileTypes: true })) {
    if (isOurs(entry.name, entry.isFile())) rmSync(join(out, entry.name), { recursive: true });
  }
  const fetched = mkdtempSync(join(out, '.packages-'));
  try {
    const packages = values.packages ? resolve(values.packages) : fetched;
    // What may fail for want of a network comes before what takes minutes.
    if (parts.includes('images')) {
      for (const { cpu } of TARGETS) fetchPackages(ROOT, packages, cpu);
    }
    if (parts.some((part) => part !== 'sbom')) await buildBinaries(making);
    for (const part of parts) await PARTS[part]?.make(making, packages);
  } finally {
    rmSync(fetched, { recursive: true });
  }
  await writeSums(out);
}

try {
  await release(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`release: ${messageOf(error)}\n`);
  process.exitCode = 1;
}
