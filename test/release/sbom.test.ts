/** The list of what a release contains. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { type Package, shippedPackages } from '../../scripts/release/packages.ts';
import { sbomText } from '../../scripts/release/sbom.ts';
import { ROOT } from '../harness/build.ts';

const packages = shippedPackages(ROOT);
const text = sbomText('signalbox', packages, [], 1_800_000_000);
const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);

type Component = { name: string; group?: string; version: string; purl: string };
const { components, metadata, dependencies } = JSON.parse(text) as {
  components: Component[];
  metadata: { timestamp: string };
  dependencies: { ref: string; dependsOn: string[] }[];
};

test('is refused by the schema with a mistake in it, and valid without', async () => {
  const broken = text.replace('"type": "platform"', '"type": "engine"');
  expect(await validator.validate(broken)).not.toBeNull();
  expect(await validator.validate(text)).toBeNull();
});

test('names what runs, with licence and checksum, and no tool of development', () => {
  const names = components.map(({ group, name }) => (group ? `${group}/${name}` : name));
  expect(names).toContain('bun');
  expect(names).toContain('@node-rs/argon2-linux-arm64-gnu');
  expect(names).not.toContain('@node-rs/argon2-linux-arm64-musl');
  for (const name of ['typescript', 'playwright-core', '@biomejs/biome', 'bun-types']) {
    expect(names).not.toContain(name);
  }
  const lacking = packages.filter(
    (one: Package) => !one.licence || !/^[0-9a-f]{128}$/.test(one.sha512),
  );
  expect(lacking).toEqual([]);
});

test('refers only to what it lists, each once', () => {
  const listed = components.map(({ purl }) => purl);
  expect(new Set(listed).size).toBe(listed.length);
  for (const { dependsOn } of dependencies) {
    for (const purl of dependsOn) expect(listed).toContain(purl);
  }
  const { version } = packages.find(({ name }) => name === 'tdigest') as Package;
  const needy = dependencies.find(({ ref }) => ref.startsWith('pkg:npm/prom-client@'));
  expect(needy?.dependsOn).toContain(`pkg:npm/tdigest@${version}`);
});

test('has the time of the commit, and the same bytes each time', () => {
  expect(metadata.timestamp).toBe('2027-01-15T08:00:00.000Z');
  expect(sbomText('signalbox', shippedPackages(join(ROOT, '.')), [], 1_800_000_000)).toBe(text);
});

test('adds what is beside the binary', async () => {
  const caddy = {
    name: 'caddy',
    version: '2.11.4-1',
    licence: 'Apache-2.0',
    sha256: 'a'.repeat(64),
    purl: 'pkg:deb/debian/caddy@2.11.4-1?arch=amd64',
  };
  const more = sbomText('signalbox-image', packages, [caddy], 0);
  expect(await validator.validate(more)).toBeNull();
  expect(JSON.parse(more).components).toContainEqual(
    expect.objectContaining({ name: 'caddy', hashes: [{ alg: 'SHA-256', content: caddy.sha256 }] }),
  );
});
