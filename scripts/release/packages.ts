/** Which packages a release contains, by bun.lock. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../../package.json';
import { TARGETS } from '../fetch-parts.ts';

export type Package = Readonly<{
  name: string;
  version: string;
  /** An SPDX expression; null if the package does not say. */
  licence: string | null;
  /** SHA-512 of what the registry has, in hex. */
  sha512: string;
  /** The `name@version` of what it needs. */
  needs: readonly string[];
}>;

type Entry = [
  id: string,
  registry: string,
  about: { dependencies?: Record<string, string>; optionalDependencies?: Record<string, string> },
  integrity: string,
];

/** Of packages for one platform each, those of the platforms that are released. */
const NATIVE = new Set(TARGETS.map(({ native }) => `@node-rs/argon2-${native}`));

/**
 * What the program needs at run time, without peers, as `npm start` installs it: sorted by name, each
 * version once.
 * @param root the project's folder with its packages installed, absolute
 * @throws Error if bun.lock lacks one
 */
export function shippedPackages(root: string): Package[] {
  const text = readFileSync(join(root, 'bun.lock'), 'utf8');
  const { packages } = Bun.JSONC.parse(text) as { packages: Record<string, Entry> };
  const found = new Map<string, Package>();

  /** Node's rule: the nearest `node_modules` on the way up from `from`. */
  function find(name: string, from: string): string {
    for (let at = from; at !== ''; at = parentOf(at)) {
      if (`${at}/${name}` in packages) return `${at}/${name}`;
    }
    if (name in packages) return name;
    throw new Error(`bun.lock has no ${name}, which ${from || manifest.name} needs`);
  }

  function add(path: string): string {
    const [id, , { dependencies, optionalDependencies }, integrity] = packages[path] as Entry;
    if (found.has(id)) return id;
    const at = id.lastIndexOf('@');
    const name = id.slice(0, at);
    const needs: string[] = [];
    found.set(id, {
      name,
      version: id.slice(at + 1),
      licence:
        licenceOf(root, path) ?? (NATIVE.has(name) ? licenceOf(root, '@node-rs/argon2') : null),
      sha512: Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex'),
      needs,
    });
    const natives = Object.keys(optionalDependencies ?? {}).filter((one) => NATIVE.has(one));
    for (const one of [...Object.keys(dependencies ?? {}), ...natives]) {
      needs.push(add(find(one, path)));
    }
    return id;
  }

  for (const name of Object.keys(manifest.dependencies)) add(find(name, ''));
  return [...found.values()].toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
}

export const idOf = ({ name, version }: { name: string; version: string }): string =>
  `${name}@${version}`;

/** `a/@b/c/d` is `d` within `@b/c` within `a`. */
const parentOf = (path: string): string => path.replace(/(^|\/)(@[^/]+\/)?[^/]+$/, '');

/** The lockfile's `a/b` is `node_modules/a/node_modules/b`; null if it is not installed or does not say. */
function licenceOf(root: string, path: string): string | null {
  const folders = path.match(/(@[^/]+\/)?[^/]+/g) ?? [];
  const file = join(root, ...folders.flatMap((one) => ['node_modules', one]), 'package.json');
  if (!existsSync(file)) return null;
  const { license } = JSON.parse(readFileSync(file, 'utf8')) as { license?: unknown };
  return typeof license === 'string' ? license : null;
}
