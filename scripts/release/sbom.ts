/** The list of all that a release contains, in CycloneDX 1.6 (cyclonedx.org/docs/1.6/json). */
import manifest from '../../package.json';
import { BUN_VERSION } from '../fetch-parts.ts';
import { idOf, type Package } from './packages.ts';

/** Something in it that is no package of npm's, such as Caddy in an image. */
export type Other = Readonly<{
  name: string;
  version: string;
  /** An SPDX expression; null if that is not known. */
  licence: string | null;
  /** As CycloneDX has it; without, an application. */
  type?: 'platform' | 'file';
  /** A package URL (github.com/package-url/purl-spec). */
  purl: string;
  sha256?: string;
}>;

/** The runtime in every binary; its licence is that of JavaScriptCore as well. */
const BUN: Other = {
  name: 'bun',
  version: BUN_VERSION,
  licence: 'MIT AND LGPL-2.0-or-later',
  purl: `pkg:npm/bun@${BUN_VERSION}`,
  type: 'platform',
};

/** The typeface of the dashboard, which `scripts/subset-font` makes. */
const INTER: Other = {
  name: 'inter',
  version: '4.0-beta7',
  licence: 'OFL-1.1',
  purl: 'pkg:github/rsms/inter@v4.0-beta7',
  type: 'file',
};

/**
 * @param name what it is the list of, such as `signalbox`
 * @param packages those in the binary
 * @param others what is beside the binary
 * @param date seconds since 1970
 * @returns JSON text
 */
export function sbomText(
  name: string,
  packages: readonly Package[],
  others: readonly Other[],
  date: number,
): string {
  const { version, license, description } = manifest;
  const self = `pkg:generic/${name}@${version}`;
  const beside = [BUN, INTER, ...others];
  const refOf = new Map(packages.map((one) => [idOf(one), purlOf(one)]));
  const direct = Object.keys(manifest.dependencies);
  const document = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      timestamp: new Date(date * 1000).toISOString(),
      component: {
        type: 'application',
        'bom-ref': self,
        name,
        version,
        description,
        licenses: [{ expression: license }],
        purl: self,
      },
    },
    components: [
      ...beside.map((one) => ({
        type: one.type ?? 'application',
        'bom-ref': one.purl,
        name: one.name,
        version: one.version,
        ...(one.sha256 ? { hashes: [{ alg: 'SHA-256', content: one.sha256 }] } : {}),
        ...(one.licence === null ? {} : { licenses: [{ expression: one.licence }] }),
        purl: one.purl,
      })),
      ...packages.map((one) => ({
        type: 'library',
        'bom-ref': purlOf(one),
        ...nameOf(one.name),
        version: one.version,
        hashes: [{ alg: 'SHA-512', content: one.sha512 }],
        ...(one.licence === null ? {} : { licenses: [{ expression: one.licence }] }),
        purl: purlOf(one),
      })),
    ],
    dependencies: [
      {
        ref: self,
        dependsOn: [
          ...beside.map(({ purl }) => purl),
          ...packages.filter((one) => direct.includes(one.name)).map(purlOf),
        ],
      },
      ...packages.map((one) => ({
        ref: purlOf(one),
        dependsOn: [...new Set(one.needs)].flatMap((id) => refOf.get(id) ?? []),
      })),
    ],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** `%40` for the `@` of a scope. */
const purlOf = (one: Package): string => `pkg:npm/${idOf(one).replace(/^@/, '%40')}`;

function nameOf(full: string): { group?: string; name: string } {
  const [, group, name] = /^(@[^/]+)\/(.+)$/.exec(full) ?? [];
  return group === undefined || name === undefined ? { name: full } : { group, name };
}
