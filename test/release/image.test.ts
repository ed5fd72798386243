// proof: images
/** The container images: what is in the archives, that the same input gives the same bytes. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PartsError, type Target } from '../../scripts/fetch-parts.ts';
import { ARCHITECTURES } from '../../scripts/release/deb.ts';
import {
  fetchPackages,
  IMAGE_NEEDS,
  imageName,
  imageTag,
  makeImage,
} from '../../scripts/release/image.ts';
import type { Other } from '../../scripts/release/sbom.ts';
import { sha256Of } from '../../src/shared/system/files.ts';
import { BUILD_TIMEOUT_MS, ELF_MACHINE, foreign, host, machineOf, ROOT } from '../harness/build.ts';
import { temporaryFolder } from '../harness/stack.ts';

const DATE = 1_700_000_000;
const folder = temporaryFolder();
const standIn = join(folder, 'program');
/** Debian's packages stay for the next run. */
const packages = join(ROOT, 'node_modules/.cache/debian');
const making = (out: string) => ({
  root: ROOT,
  out: join(folder, out),
  version: '1.2.3',
  date: DATE,
});

function whyNot(): string | null {
  const missing = IMAGE_NEEDS.filter((program) => Bun.which(program) === null);
  if (missing.length > 0) return `there is no ${missing.join(', ')}`;
  try {
    for (const cpu of ['x64', 'arm64'] as const) fetchPackages(ROOT, packages, cpu);
    return null;
  } catch (error) {
    if (error instanceof PartsError) return error.message;
    throw error;
  }
}
const missing = whyNot();
if (missing !== null) console.warn(`NOT TESTED, container images: ${missing}`);

/** Runs a command that must succeed. @returns what it printed */
function read(...command: string[]): Buffer {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, {
    env: { ...process.env, TZ: 'UTC' },
  });
  expect([command[0], exitCode, stderr.toString()]).toEqual([command[0], 0, '']);
  return stdout;
}

type Blob = { mediaType: string; digest: string; size: number };
type Config = {
  architecture: string;
  created: string;
  config: Record<string, unknown>;
  rootfs: { diff_ids: string[] };
};

/** An image, unpacked. */
function open(out: string, cpu: Target['cpu']) {
  const at = join(folder, out, `unpacked-${cpu}`);
  mkdirSync(at);
  read('tar', '-xf', join(folder, out, imageName('1.2.3', cpu)), '-C', at);
  const json = <T>(path: string) => JSON.parse(readFileSync(join(at, path), 'utf8')) as T;
  const pathOf = ({ digest }: Blob) => `blobs/${digest.replace(':', '/')}`;
  const index = json<{ manifests: (Blob & { platform: object; annotations: object })[] }>(
    'index.json',
  );
  const [first] = index.manifests;
  if (!first) throw new Error('the index is empty');
  const manifest = json<{ config: Blob; layers: Blob[] }>(pathOf(first));
  const [layer] = manifest.layers;
  if (!layer) throw new Error('there is no layer');
  const root = join(at, 'root');
  mkdirSync(root);
  read('tar', '-xzf', join(at, pathOf(layer)), '-C', root);
  return {
    at,
    index,
    manifest,
    json,
    pathOf,
    config: json<Config>(pathOf(manifest.config)),
    layer: join(at, pathOf(layer)),
    contentOf: (path: string) => readFileSync(join(root, path)),
  };
}

let listed: Other[] = [];
/** For this machine, and for another one. */
let own: ReturnType<typeof open>;
let other: ReturnType<typeof open>;

beforeAll(async () => {
  writeFileSync(standIn, 'stands for the program', { mode: 0o600 });
  for (const out of ['one', 'two', 'wrong']) mkdirSync(join(folder, out));
  if (missing !== null) return;
  await makeImage(standIn, host.cpu, packages, making('one'));
  listed = await makeImage(standIn, foreign.cpu, packages, making('one'));
  own = open('one', host.cpu);
  other = open('one', foreign.cpu);
}, BUILD_TIMEOUT_MS);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.skipIf(missing !== null)('fails without each package once, and leaves nothing', async () => {
  const few = join(folder, 'packages');
  mkdirSync(join(few, 'amd64'), { recursive: true });
  const make = () => makeImage(standIn, 'x64', few, making('wrong'));
  await expect(make()).rejects.toThrow('needs one package base-files, and has 0');
  for (const version of ['1', '2']) writeFileSync(join(few, `amd64/base-files_${version}.deb`), '');
  await expect(make()).rejects.toThrow('needs one package base-files, and has 2');
  rmSync(join(few, 'amd64/base-files_2.deb'));
  await expect(make()).rejects.toThrow('dpkg-deb failed');
  expect(readdirSync(join(folder, 'wrong'))).toEqual([]);
});

describe.skipIf(missing !== null)('an archive', () => {
  test('is the same to the byte, whenever and wherever it is made', async () => {
    const umask = process.umask(0o077);
    try {
      expect(await makeImage(standIn, foreign.cpu, packages, making('two'))).toEqual(listed);
    } finally {
      process.umask(umask);
    }
    const name = imageName('1.2.3', foreign.cpu);
    const sums = await Promise.all(
      ['one', 'two'].map((out) => sha256Of(Bun.file(join(folder, out, name)))),
    );
    expect(sums[0]).toBe(sums[1]);
    expect(readdirSync(join(folder, 'two'))).toEqual([name]);
  });

  test('is an OCI layout with true digests and sizes, and nothing else', async () => {
    for (const one of [own, other]) {
      expect(one.json<object>('oci-layout')).toEqual({ imageLayoutVersion: '1.0.0' });
      const { architecture } = one.config;
      expect(one.index.manifests[0]?.platform).toEqual({ architecture, os: 'linux' });
      const blobs = [...one.index.manifests, one.manifest.config, ...one.manifest.layers];
      for (const blob of blobs) {
        const file = join(one.at, one.pathOf(blob));
        expect([`sha256:${await sha256Of(Bun.file(file))}`, Bun.file(file).size]).toEqual([
          blob.digest,
          blob.size,
        ]);
      }
      const unpacked = read('gzip', '-dc', one.layer);
      const sum = new Bun.CryptoHasher('sha256').update(unpacked).digest('hex');
      expect(one.config.rootfs.diff_ids).toEqual([`sha256:${sum}`]);
      const names = readdirSync(join(one.at, 'blobs/sha256'));
      expect(names.toSorted()).toEqual(blobs.map(({ digest }) => digest.slice(7)).toSorted());
    }
  });

  test('says the same to Docker', () => {
    const docker = {
      Config: own.pathOf(own.manifest.config),
      RepoTags: [imageTag('1.2.3')],
      Layers: own.manifest.layers.map(own.pathOf),
    };
    expect(own.json<object[]>('manifest.json')).toEqual([docker]);
    expect(own.index.manifests[0]?.annotations).toEqual({
      'io.containerd.image.name': 'localhost/signalbox:1.2.3',
      'org.opencontainers.image.ref.name': '1.2.3',
    });
  });

  test('is started as the Containerfile says', async () => {
    const text = await Bun.file(join(ROOT, 'docs/container/Containerfile')).text();
    const last = (word: string) => text.split('\n').findLast((line) => line.startsWith(word)) ?? '';
    const { config } = own.config;
    expect(last('USER')).toBe(`USER ${config.User}`);
    expect(last('ENV')).toBe(`ENV ${(config.Env as string[]).slice(1).join(' ')}`);
    expect(last('WORKDIR')).toBe(`WORKDIR ${config.WorkingDir}`);
    expect(last('VOLUME')).toBe(`VOLUME ${JSON.stringify(Object.keys(config.Volumes as object))}`);
    expect(last('ENTRYPOINT')).toBe(`ENTRYPOINT ${JSON.stringify(config.Entrypoint)}`);
    const ports = last('EXPOSE').split(' ').slice(1);
    expect(Object.keys(config.ExposedPorts as object)).toEqual(
      ports.map((port) => (port.includes('/') ? port : `${port}/tcp`)),
    );
    const { Test, ...times } = config.Healthcheck as Record<string, number> & { Test: string[] };
    const [interval, timeout, start] = Object.values(times).map((time) => `${time / 1e9}s`);
    expect(last('HEALTHCHECK')).toBe(
      `HEALTHCHECK --interval=${interval} --timeout=${timeout} --start-period=${start} CMD ${JSON.stringify(Test.slice(1)).replaceAll(',', ', ')}`,
    );
    expect(own.config.created).toBe('2023-11-14T22:13:20.000Z');
  });

  test('has three programs and no shell; only the data is not root’s, and nobody’s rights are special', () => {
    const entries = read('tar', '--numeric-owner', '-tvzf', other.layer)
      .toString()
      .trim()
      .split('\n');
    const rows = entries.map((entry) => {
      const [mode = '', owner = '', , date, , path = ''] = entry.split(/\s+/);
      expect(date).toBe('2023-11-14');
      return { mode, owner, path };
    });
    const pathsOf = (wanted: (row: (typeof rows)[number]) => boolean) =>
      rows.filter(wanted).map(({ path }) => path);
    expect(pathsOf(({ owner }) => owner !== '0/0')).toEqual(['data/']);
    expect(pathsOf(({ owner }) => !['0/0', '65532/65532'].includes(owner))).toEqual([]);
    expect(pathsOf(({ mode }) => /[sStT]/.test(mode))).toEqual(['tmp/']);
    expect(pathsOf(({ mode }) => mode[8] === 'w' && !mode.startsWith('l'))).toEqual(['tmp/']);
    expect(pathsOf(({ path }) => /bin\/./.test(path))).toEqual([
      'usr/local/bin/caddy',
      'usr/local/bin/lego',
      'usr/local/bin/signalbox',
    ]);
    const programs = rows.filter(({ path }) => path.startsWith('usr/local/bin/'));
    expect(programs.map(({ mode }) => mode)).toEqual([
      'drwxr-xr-x',
      ...Array(3).fill('-rwxr-xr-x'),
    ]);
  });

  test('lists its packages, and has the licence of each and what scanners look for', () => {
    const names = listed.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['caddy', 'lego']));
    for (const { name, version, purl, sha256 } of listed) {
      expect(purl).toStartWith(`pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=a`);
      expect(sha256).toMatch(/^[0-9a-f]{64}$/);
      const status = other.contentOf(`var/lib/dpkg/status.d/${name}`).toString();
      expect(status).toContain(`Version: ${version}\n`);
      const of = name === 'libgcc-s1' ? 'gcc-14-base' : name;
      expect(other.contentOf(`usr/share/doc/${of}/copyright`).length).toBeGreaterThan(100);
    }
    expect(other.contentOf('usr/share/doc/signalbox/copyright').toString()).toContain('MIT');
  });

  test('has libraries and Caddy of its processor, authorities and time zones', () => {
    for (const [one, cpu] of [
      [own, host.cpu],
      [other, foreign.cpu],
    ] as const) {
      expect(one.config.architecture).toBe(ARCHITECTURES[cpu]);
      const triplet = cpu === 'x64' ? 'x86_64-linux-gnu' : 'aarch64-linux-gnu';
      const files = ['libc.so.6', 'libgcc_s.so.1'].map((name) => `usr/lib/${triplet}/${name}`);
      for (const file of [...files, 'usr/local/bin/caddy', 'usr/local/bin/lego']) {
        expect([file, machineOf(one.contentOf(file))]).toEqual([file, ELF_MACHINE[cpu]]);
      }
      const caddy = one.contentOf('usr/local/bin/caddy').toString('latin1');
      const needed = caddy.match(/lib[\w+-]+\.so\.\d+/g) ?? [];
      expect(needed).toContain('libc.so.6');
      for (const name of needed) one.contentOf(`usr/lib/${triplet}/${name}`);
      const authorities = one.contentOf('etc/ssl/certs/ca-certificates.crt').toString();
      expect(authorities.split('BEGIN CERTIFICATE').length).toBeGreaterThan(100);
      expect(one.contentOf('usr/share/zoneinfo/Europe/Berlin').toString()).toStartWith('TZif');
    }
    expect(other.contentOf('usr/local/bin/signalbox')).toEqual(readFileSync(standIn));
  });
});
