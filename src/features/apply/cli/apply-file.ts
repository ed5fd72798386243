/** The file of `signalbox apply`: its sites and policies, its mistakes, and the line that a refusal is about. */
import type { TSchema } from 'elysia';
import { MOST_MISTAKES, readBySchema } from './by-schema.ts';
import type { Mistake } from './slips.ts';
import { type Entry, MAX_FILE, readTree, type Tree } from './yaml-tree.ts';

/** By name. */
type Named = Record<string, object>;

/** What a refusal says about the request: the field, the line in its text, or the policy that made the text. */
type Fault = { field?: string; line?: number; policy?: { name: string; field?: string } };

export type ApplyFile = {
  sites: Named;
  policies: Named;
  /** Where in the file the fault is; null if it is about no part of it. */
  placeOf: (fault: Fault) => Place | null;
};

type Place = { line: number; path: readonly string[] };

/** Of what is wrong with a file; there may be more unless these are `all`. */
export class Mistakes extends Error {
  constructor(
    readonly mistakes: readonly Mistake[],
    readonly all = true,
  ) {
    super(`${mistakes.length} mistakes`);
  }
}

/**
 * @param bytes YAML or JSON
 * @param schema of the file, as the hub has it
 * @throws Mistakes
 */
export function readApplyFile(bytes: Uint8Array, schema: object): ApplyFile {
  const { tree, mistakes } = readTree(textOf(bytes));
  if (tree === null) throw new Mistakes(mistakes);
  const read = readBySchema(tree, schema as TSchema);
  const all = [...mistakes, ...read.mistakes, ...foldedConfigs(tree)].toSorted(
    (one, other) => one.line - other.line,
  );
  if (all.length > 0) throw new Mistakes(all, read.mistakes.length < MOST_MISTAKES);
  const { sites = {}, policies = {} } = read.value as Partial<Record<'sites' | 'policies', Named>>;
  return { sites, policies, placeOf: (fault) => placeIn(tree, fault) };
}

/** Caddy would read such a config as a single line. */
function foldedConfigs(root: Tree): Mistake[] {
  const entriesOf = (tree?: Tree) =>
    tree?.kind === 'map' ? tree.entries : new Map<string, Entry>();
  const sites = [...entriesOf(entriesOf(root).get('sites')?.value)];
  return sites.flatMap(([name, { value: site }]) => {
    const config = entriesOf(site).get('config')?.value;
    if (config?.kind !== 'text' || !config.isFolded) return [];
    const words = 'write config: |, so that each line stays a line';
    return [{ line: config.line, path: ['sites', name, 'config'], words }];
  });
}

/** @throws Mistakes */
export function textOf(bytes: Uint8Array): string {
  const wrong = (words: string) => new Mistakes([{ line: 1, path: [], words }]);
  if (bytes.length > MAX_FILE) throw wrong('the file is larger than 1 MiB');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw wrong('the file is not UTF-8');
  }
}

/** A key, in braces or not; an empty map; a list, which is a mistake. */
const YAML_START = /^(?:\{\s*)?(?:[\w.-]+\s*:(?:\s|$)|(["']).*?\1\s*:)|^\{\s*\}|^-\s|^\[/;

/**
 * Whether a text is a Caddyfile, and no YAML or JSON.
 * @param name of the file
 */
export function isCaddyfile(name: string, text: string): boolean {
  if (/(?:^|[/.])caddyfile$/i.test(name)) return true;
  if (/\.(?:ya?ml|json)$/i.test(name)) return false;
  const start = text.replace(/^\ufeff?(?:\s*(?:#.*|---.*)?\n)*\s*/, '');
  return start !== '' && !YAML_START.test(start);
}

/** `sites["app.example"].tags.0`, as the hub names a field. */
const FIELD = /^(sites|policies)\[("(?:[^"\\]|\\.)*")\](?:\.(.+))?$/;

function placeIn(root: Tree, { field = '', policy, line = 1 }: Fault): Place | null {
  const [, kind = '', name = '""', rest] = FIELD.exec(field) ?? [];
  const path = policy
    ? ['policies', policy.name, 'values', ...(policy.field?.split('.') ?? [])]
    : [kind, JSON.parse(name) as string, ...(rest?.split('.') ?? [])];
  const { tree, ...found } = deepest(root, path);
  if (found.path.length < 2) return null;
  const isText = tree.kind === 'text' && found.path.length === path.length;
  const first = isText ? tree.firstLine : null;
  return first === null ? found : { ...found, line: first + line - 1 };
}

/** As far down a path as the file has it. */
function deepest(root: Tree, path: readonly string[]): Place & { tree: Tree } {
  let found: Place & { tree: Tree } = { tree: root, line: root.line, path: [] };
  for (const step of path) {
    const { tree } = found;
    const entry = tree.kind === 'map' ? tree.entries.get(step) : undefined;
    const item = tree.kind === 'list' ? tree.items[Number(step)] : undefined;
    const next = entry?.value ?? item;
    if (!next) return found;
    found = { tree: next, line: entry?.line ?? next.line, path: [...found.path, step] };
  }
  return found;
}
