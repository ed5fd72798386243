/**
 * Reads a tree by a JSON Schema: where it says text, a text is as it is written (`no`, `08`, `1e3`), and numbers,
 * `true`, `false` and `null` are only where it has them. Pure.
 */
import { getSchemaValidator, type TSchema, t } from 'elysia';
import { faultOf } from '../../../hub/recipes/formats.ts';
import { memoize } from '../../../shared/memoize.ts';
import { nearest } from '../../../shared/nearest.ts';
import { Check } from '../../../shared/wire/checks.ts';
import { type Mistake, NO_SPACE } from './slips.ts';
import type { Dict, Text, Tree } from './yaml-tree.ts';

/** What may become of a file by its aliases: characters, each list, map and text counting as one more. */
const MAX_EXPANDED = 4 * 1024 * 1024;

/** Mistakes after which nothing more is read: to find the word that was meant takes a while for each. */
export const MOST_MISTAKES = 1_000;

/** The value, and the first mistakes that are found, by their lines; it is right only if there are none. */
export function readBySchema(root: Tree, schema: TSchema): { value: unknown; mistakes: Mistake[] } {
  const mistakes: Mistake[] = [];
  let expanded = 0;

  function note(mistake: Mistake): void {
    mistakes.push(mistake);
    if (mistakes.length === MOST_MISTAKES) throw new TooMany();
  }

  function read(tree: Tree, schema: TSchema, path: readonly string[]): unknown {
    if (tree.kind === 'broken') return undefined;
    const wrong = (words: string) => note({ line: tree.line, path, words });
    expanded += 1 + (tree.kind === 'text' ? tree.text.length : 0);
    if (expanded > MAX_EXPANDED) throw new TooLarge();
    const chosen = choose(tree, schema);
    if (typeof chosen === 'string') return wrong(chosen);
    const value =
      tree.kind === 'map'
        ? readMap(tree, chosen, path)
        : tree.kind === 'list'
          ? tree.items.map((item, at) => read(item, chosen.items ?? ANY, [...path, String(at)]))
          : readText(tree, chosen);
    const fault = tree.kind === 'map' ? null : faultIn(chosen, value);
    if (fault !== null) wrong(fault);
    return value;
  }

  function readMap(tree: Dict, schema: TSchema, path: readonly string[]): object {
    const value: Record<string, unknown> = {};
    for (const [name, entry] of tree.entries) {
      const within = [...path, name];
      const field = fieldOf(schema, name);
      if (field) value[name] = read(entry.value, field, within);
      else {
        const near = nearest(name, Object.keys(schema.properties ?? {}));
        const hint = near === undefined ? '' : `; did you mean ${near}?`;
        const words = `unknown field${lacksSpace(name, schema) ? `; ${NO_SPACE}` : hint}`;
        note({ line: entry.line, path: within, words });
      }
    }
    for (const name of (schema.required ?? []) as string[]) {
      if (tree.entries.has(name)) continue;
      note({ line: tree.line, path, words: `${name} is missing` });
    }
    return value;
  }

  let value: unknown = null;
  try {
    value = read(root, schema, []);
  } catch (error) {
    if (error instanceof TooLarge) {
      const words = 'its aliases stand for more than 4 MiB';
      return { value, mistakes: [{ line: root.line, path: [], words }] };
    }
    if (!(error instanceof TooMany)) throw error;
  }
  return { value, mistakes: mistakes.toSorted((one, other) => one.line - other.line) };
}

class TooLarge extends Error {}
class TooMany extends Error {}

/** Undefined if a map has no such field. */
function fieldOf(schema: TSchema, name: string): TSchema | undefined {
  const { properties = {}, patternProperties = {}, additionalProperties = true } = schema;
  if (Object.hasOwn(properties, name)) return properties[name];
  const patterns = Object.entries<TSchema>(patternProperties);
  const matching = patterns.find(([pattern]) => new RegExp(pattern).test(name));
  if (matching) return matching[1];
  if (additionalProperties === false || patterns.length > 0) return undefined;
  return additionalProperties === true ? ANY : additionalProperties;
}

const ANY = t.Unknown();

/** The variant of a schema that a tree means, or what is wrong with the tree. */
function choose(tree: Tree, schema: TSchema): TSchema | string {
  const variants = variantsOf(schema);
  const fitting = variants.filter((variant) => fits(tree, variant));
  const [first] = fitting;
  if (first && (fitting.length === 1 || tree.kind !== 'map')) return first;
  if (tree.kind === 'map' && first) return byName(tree, fitting);
  const words = variants.flatMap((variant) =>
    'const' in variant ? [] : [`${NEEDS[kindOf(variant)]}`],
  );
  const names = variants.flatMap((variant) => ('const' in variant ? [String(variant.const)] : []));
  const near = tree.kind === 'text' && names.length > 0 ? nearest(tree.text, names) : undefined;
  const needed = [...new Set([...names, ...words])].join(' or ');
  return `must be ${needed}${near === undefined ? hintFor(tree, variants) : `; did you mean ${near}?`}`;
}

const variantsOf = (schema: TSchema): TSchema[] =>
  ((schema.anyOf ?? [schema]) as TSchema[]).flatMap((one) => (one.anyOf ? variantsOf(one) : [one]));

/** Of several kinds of map: the one whose fixed texts it has. */
function byName(tree: Dict, variants: readonly TSchema[]): TSchema | string {
  const [first] = variants;
  const key = Object.keys(first?.properties ?? {}).find((name) =>
    variants.every(({ properties }) => 'const' in (properties[name] ?? {})),
  );
  const given = key === undefined ? undefined : tree.entries.get(key)?.value;
  if (key === undefined || given === undefined) return `${key} is missing`;
  const names = variants.map(({ properties }) => String(properties[key].const));
  const said = given.kind === 'text' ? given.text : '';
  const found = variants[names.indexOf(said)];
  if (found) return found;
  const near = nearest(said, names);
  return `there is no such ${key}${near === undefined ? `: it is one of ${names.join(', ')}` : `; did you mean ${near}?`}`;
}

type Kind = 'any' | 'map' | 'list' | 'null' | 'boolean' | 'number' | 'text';

const NEEDS: Record<Kind, string> = {
  any: 'anything',
  map: 'a map',
  list: 'a list',
  null: 'null',
  boolean: 'true or false',
  number: 'a number',
  text: 'a text',
};

const KINDS: Record<string, Kind> = {
  object: 'map',
  array: 'list',
  null: 'null',
  boolean: 'boolean',
  number: 'number',
  integer: 'number',
  string: 'text',
};

const kindOf = ({ type }: TSchema): Kind => KINDS[type] ?? 'any';

const isNull = ({ isPlain, text }: Text): boolean => isPlain && /^(?:~|null|)$/i.test(text);
const isNumber = ({ isPlain, text }: Text): boolean =>
  isPlain && /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,14})?$/.test(text);

function fits(tree: Tree, variant: TSchema): boolean {
  const kind = kindOf(variant);
  if (tree.kind !== 'text') return kind === 'any' || kind === tree.kind;
  if ('const' in variant) {
    const isQuoted = typeof variant.const !== 'string' && !tree.isPlain;
    return String(variant.const) === tree.text && !isQuoted;
  }
  if (kind === 'text') return !isNull(tree);
  if (kind === 'null') return isNull(tree);
  if (kind === 'number') return isNumber(tree);
  if (kind === 'boolean') return tree.isPlain && /^(?:true|false)$/.test(tree.text);
  return kind === 'any';
}

/** Whether a text is a field and its value. */
const lacksSpace = (text: string, { properties = {} }: TSchema): boolean =>
  Object.hasOwn(properties, /^(\w+):\S/.exec(text)?.[1] ?? '');

/** How to write what was probably meant. */
function hintFor(tree: Tree, variants: readonly TSchema[]): string {
  if (tree.kind !== 'text') return '';
  const kinds = variants.map(kindOf);
  if (kinds.includes('text') && isNull(tree)) return '; leave the field out, or use quotes';
  if (kinds.includes('boolean')) {
    if (/^(?:y|yes|on|true)$/i.test(tree.text)) return '; write true';
    if (/^(?:n|no|off|false)$/i.test(tree.text)) return '; write false';
  }
  if (kinds.includes('number') && isNumber({ ...tree, isPlain: true })) return ', without quotes';
  if (kinds.includes('list') && /^[\w.-]+$/.test(tree.text)) return `; write [${tree.text}]`;
  if (variants.some((variant) => lacksSpace(tree.text, variant))) return `; ${NO_SPACE}`;
  const isPath = variants.some(({ properties }) => properties?.path) && /^\/\S*$/.test(tree.text);
  if (isPath) return `; write {path: ${tree.text}}`;
  if (!kinds.includes('map') || !isNull(tree)) return '';
  return '; write {} for an empty one, or indent the lines below it';
}

function readText(tree: Text, variant: TSchema): unknown {
  if ('const' in variant) return variant.const;
  const kind = kindOf(variant);
  if (kind === 'null') return null;
  if (kind === 'boolean') return tree.text === 'true';
  return kind === 'number' ? Number(tree.text) : tree.text;
}

const validatorOf = memoize((schema: TSchema) => getSchemaValidator(schema));

/** What else a schema says of a list as a whole, or of a text or number. */
const alone = memoize((schema: TSchema) =>
  schema.type === 'array' ? { ...schema, items: ANY } : schema,
);

function faultIn(schema: TSchema, value: unknown): string | null {
  for (const { schema: broken, message } of validatorOf(alone(schema)).Errors(value)) {
    if (broken.pattern === Check.properties.path.pattern) return 'begins with / and has no spaces';
    // The validator calls the formats of recipes unknown.
    if (!message.startsWith('Unknown format')) return message.replace(/^Expected /, 'must be ');
    const fault = faultOf(String(value), broken.format);
    if (fault !== null) return `must be ${fault}`;
  }
  return null;
}
