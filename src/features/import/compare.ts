/** What an import is compared on, and whether two adapted configurations mean the same. Pure. */
import { edited } from '../../shared/caddyfile/globals.ts';
import type { TokenizeOptions } from '../../shared/caddyfile/tokenizer.ts';
import { optionsLeftOut } from './caddyfile/left-out.ts';

/**
 * The first difference of two JSON values as a path like `apps.http.servers.srv0.routes.2`; null if
 * there is none. Contains no values, because a configuration may hold secrets.
 */
export const firstDifference = (one: unknown, other: unknown): string | null => {
  const found = difference(one, other);
  return found === '' ? 'the top level' : found;
};

/** The same, but empty if the values themselves differ. The path is put together on the way back. */
function difference(one: unknown, other: unknown): string | null {
  if (one === other) return null;
  if (!isTree(one) || !isTree(other) || Array.isArray(one) !== Array.isArray(other)) return '';
  if (Array.isArray(one) && Array.isArray(other)) {
    for (let index = 0; index < Math.max(one.length, other.length); index++) {
      const found = difference(one[index], other[index]);
      if (found !== null) return below(String(index), found);
    }
    return null;
  }
  const names = Object.keys(one);
  for (const name of names) {
    const found = difference(one[name], other[name]);
    if (found !== null) return below(name, found);
  }
  const others = Object.keys(other);
  if (others.length === names.length) return null;
  return others.find((name) => !Object.hasOwn(one, name)) ?? null;
}

const below = (name: string, path: string): string => (path === '' ? name : `${name}.${path}`);

/**
 * A copy without what the agent sets itself and imports leave out: admin endpoint and storage, and
 * which hosts are not logged (a list that Caddy 2.6.2 writes in random order). Shares everything else
 * with the original.
 */
export function comparable(config: unknown): unknown {
  if (!isTree(config)) return config;
  const { admin: _, storage: __, ...rest } = config;
  return changedAt(rest, ['apps', 'http', 'servers'], (servers) =>
    Object.fromEntries(
      Object.entries(servers).map(([name, server]) => [
        name,
        changedAt(server, ['logs'], ({ skip_hosts: _, ...logs }) => logs),
      ]),
    ),
  );
}

type Tree = { [key: string]: unknown };

/** `value` with the object at the end of a path replaced; as it is if there is none. */
function changedAt(
  value: unknown,
  [name, ...rest]: readonly string[],
  change: (tree: Tree) => Tree,
): unknown {
  if (!isTree(value)) return value;
  if (name === undefined) return change(value);
  if (!isTree(value[name])) return value;
  return { ...value, [name]: changedAt(value[name], rest, change) };
}

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null;

/** The file with the options blanked out that the import leaves out; lines stay as they are. */
export function blankLeftOut(file: string, dialect: TokenizeOptions): string {
  const text = file.replace(/^\ufeff/, '');
  const blanked = optionsLeftOut(text, dialect).map(({ start, end }) => ({
    start,
    end,
    text: text.slice(start, end).replace(/[^\n]/g, ' '),
  }));
  return edited(text, blanked);
}
