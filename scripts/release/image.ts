/**
 * The container images: what docs/container/Containerfile makes, but of Debian's packages and without a
 * container engine. The same commit and packages give the same bytes.
 */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../src/shared/async.ts';
import { sha256Of } from '../../src/shared/system/files.ts';
import { readCommit } from '../checkout.ts';
import { PartsError, type Target } from '../fetch-parts.ts';
import { ARCHITECTURES } from './deb.ts';
import { type Making, place, run } from './making.ts';
import { addToTar, type ImageConfig, writeArchive } from './oci.ts';
import type { Other } from './sbom.ts';

const LICENCES = './usr/share/doc/*/copyright';

/** Debian's packages, and what an image has of each, as tar's patterns. */
const CONTENT: Readonly<Record<string, readonly string[]>> = {
  'base-files': ['./bin', './lib*', '*/os-release', './usr/share/common-licenses', LICENCES],
  libc6: ['./usr/lib*', LICENCES],
  'libgcc-s1': ['./usr/lib', './usr/share/doc/libgcc-s1'],
  'gcc-14-base': [LICENCES],
  'ca-certificates': ['./usr/share/ca-certificates', LICENCES],
  tzdata: ['./usr/share/zoneinfo', LICENCES],
  // By these, Caddy's file server knows the type of a file.
  'media-types': ['./etc/mime.types', LICENCES],
  caddy: ['./usr/bin/caddy', LICENCES],
  lego: ['./usr/bin/lego', LICENCES],
};

/** Converts between character sets; nothing here does. */
const LEFT_OUT = './usr/lib/*/gconv';

/** Those that are newer than the current release of Debian. */
const FROM_NEXT: readonly string[] = ['caddy', 'lego'];

/** Programs that this needs on the machine. */
export const IMAGE_NEEDS = ['apt-get', 'dpkg', 'dpkg-deb', 'tar', 'gzip'] as const;

/** Not root; distroless images call it `nonroot`. */
const USER = 65532;

export const imageName = (version: string, cpu: Target['cpu']): string =>
  `signalbox-${version}-image-${ARCHITECTURES[cpu]}.tar`;

/** With a host that nothing is fetched from: no engine takes another image for it. */
export const imageTag = (version: string): string => `localhost/signalbox:${version}`;

/**
 * Downloads the packages for an image, with apt's checks of signatures, unless they are there.
 * @param folder with a folder per architecture
 * @throws PartsError if they cannot be downloaded
 */
export function fetchPackages(root: string, folder: string, cpu: Target['cpu']): void {
  const own = join(folder, ARCHITECTURES[cpu]);
  if (Object.keys(CONTENT).every((name) => archivesOf(own, name).length > 0)) return;
  const wanted = Object.keys(CONTENT).map(
    (name) => name + (FROM_NEXT.includes(name) ? '/forky' : ''),
  );
  const script = join(root, 'scripts/fetch-debian');
  try {
    run(['sh', script, '--packages', own, ARCHITECTURES[cpu], ...wanted]);
  } catch (error) {
    throw new PartsError(`cannot download Debian's packages: ${messageOf(error)}`);
  }
}

/**
 * @param binary the program for that processor, with glibc
 * @param folder where the packages are
 * @returns the packages in the image
 * @throws Error if one is missing, or lacks what an image has of it
 */
export async function makeImage(
  binary: string,
  cpu: Target['cpu'],
  folder: string,
  making: Making,
): Promise<Other[]> {
  const { root, out, version, date } = making;
  const work = mkdtempSync(join(out, '.image-'));
  try {
    const tree = join(work, 'tree');
    const packages: Other[] = [];
    for (const name of Object.keys(CONTENT)) {
      packages.push(await unpack(name, join(folder, ARCHITECTURES[cpu]), tree));
    }
    fill(tree, binary, root);
    const layer = join(work, 'layer.tar');
    const others = readdirSync(tree).filter((name) => !['data', 'tmp'].includes(name));
    addToTar(layer, tree, others, date);
    addToTar(layer, tree, ['tmp'], date, '--mode=1777');
    addToTar(layer, tree, ['data'], date, `--owner=${USER}`, `--group=${USER}`);
    const archive = join(out, imageName(version, cpu));
    const config = configOf(version, readCommit(root));
    await writeArchive(archive, layer, imageTag(version), ARCHITECTURES[cpu], config, date);
    return packages;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** A package's files in a folder, of which there should be one. */
const archivesOf = (folder: string, name: string): string[] =>
  existsSync(folder)
    ? [...new Bun.Glob(`${name}_*.deb`).scanSync({ cwd: folder, absolute: true })]
    : [];

/** Puts into `tree` what an image has of a package. */
async function unpack(name: string, folder: string, tree: string): Promise<Other> {
  const [archive, ...more] = archivesOf(folder, name);
  if (archive === undefined || more.length > 0) {
    throw new Error(
      `${folder} needs one package ${name}, and has ${more.length + (archive ? 1 : 0)}`,
    );
  }
  mkdirSync(tree, { recursive: true });
  const what = ['--wildcards', '--exclude', LEFT_OUT, ...(CONTENT[name] ?? [])];
  run(['tar', '-x', '-C', tree, ...what], {
    stdin: run(['dpkg-deb', '--fsys-tarfile', archive]),
  });
  // Where those who look for known faults in an image expect it.
  const status = run(['dpkg-deb', '--field', archive]);
  place(tree, `var/lib/dpkg/status.d/${name}`, status);
  const fieldOf = (field: string) => run(['dpkg-deb', '--field', archive, field]).toString().trim();
  const version = fieldOf('Version');
  const release = FROM_NEXT.includes(name) ? 'forky' : 'trixie';
  return {
    name,
    version,
    licence: null,
    sha256: await sha256Of(Bun.file(archive)),
    purl: `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${fieldOf('Architecture')}&distro=${release}`,
  };
}

/** Adds what is in no package, or elsewhere in an image. */
function fill(tree: string, binary: string, root: string): void {
  const authorities = join(tree, 'usr/share/ca-certificates');
  const certificates = [...new Bun.Glob('**/*.crt').scanSync(authorities)].toSorted();
  const bundle = certificates.map((file) => readFileSync(join(authorities, file), 'utf8')).join('');
  place(tree, 'etc/ssl/certs/ca-certificates.crt', bundle);
  rmSync(authorities, { recursive: true });
  place(tree, 'etc/passwd', `root:x:0:0::/:\nnonroot:x:${USER}:${USER}::/data:\n`);
  place(tree, 'etc/group', `root:x:0:\nnonroot:x:${USER}:\n`);
  place(tree, 'etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n');
  place(tree, 'usr/share/doc/signalbox/copyright', readFileSync(join(root, 'LICENSE')));
  for (const folder of ['data', 'tmp', 'usr/local/bin']) {
    mkdirSync(join(tree, folder), { recursive: true });
  }
  copyFileSync(binary, join(tree, 'usr/local/bin/signalbox'));
  chmodSync(join(tree, 'usr/local/bin/signalbox'), 0o755);
  for (const program of FROM_NEXT) {
    renameSync(join(tree, 'usr/bin', program), join(tree, 'usr/local/bin', program));
  }
}

const SECOND_NS = 1_000_000_000;

/** As the instructions of the Containerfile say. The check is Docker's: OCI has none, and ignores it. */
const configOf = (version: string, commit: string | null): ImageConfig => ({
  User: `${USER}:${USER}`,
  ExposedPorts: { '80/tcp': {}, '443/tcp': {}, '443/udp': {}, '3000/tcp': {} },
  Env: [
    'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    'DATA_DIR=/data',
    'HUB_HOST=0.0.0.0',
    'BACKUP_DIR=/data/backups',
  ],
  Entrypoint: ['signalbox'],
  Volumes: { '/data': {} },
  WorkingDir: '/',
  Labels: {
    'org.opencontainers.image.title': 'signalbox',
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.licenses': 'MIT',
    ...(commit !== null && { 'org.opencontainers.image.revision': commit }),
  },
  Healthcheck: {
    Test: ['CMD', 'signalbox', 'health'],
    Interval: 30 * SECOND_NS,
    Timeout: 10 * SECOND_NS,
    StartPeriod: 30 * SECOND_NS,
  },
});
