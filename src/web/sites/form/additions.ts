/** What can be added to a site, and the Caddyfile text that this puts into its config. Pure. */
import { type JsonSchema, type Recipe, rendered, type Values } from '../../recipes/schema.ts';

export type Addition = {
  description: string;
  fields: JsonSchema;
  /** Why this Caddy cannot do it; null if it can. */
  lacking: string | null;
  /** The Caddyfile text. @throws ApiError if a value is refused */
  write: (values: Values, signal?: AbortSignal) => Promise<string>;
};

/** By id, with what the button says; known before the recipes are, so that nothing moves. */
export const ADDITIONS = {
  compress: 'Compression',
  upload: 'Upload limit',
  'https-upstream': 'Self-signed upstream',
  balance: 'Several upstreams',
  paths: 'Upstreams by path',
  redirect: 'Redirect',
  static: 'Static files',
  'error-page': 'Error page',
  'unknown-hosts': 'Unknown hosts',
} as const;
export type AdditionId = keyof typeof ADDITIONS;

const OWN: Partial<Record<AdditionId, Addition>> = {
  compress: {
    description: 'Compresses responses for browsers that support it.',
    fields: {},
    lacking: null,
    write: async () => 'encode zstd gzip',
  },
  upload: {
    description: 'Refuses requests with a larger body (413).',
    fields: {
      properties: { size: { type: 'string', title: 'Largest upload', examples: ['100MB'] } },
      required: ['size'],
    },
    lacking: null,
    write: async ({ size }) => `request_body {\n\tmax_size ${String(size).replace(/\s/g, '')}\n}`,
  },
};

/** @param recipes of the hub. @returns undefined if it has no such recipe */
export function additionOf(id: AdditionId, recipes: readonly Recipe[]): Addition | undefined {
  const recipe = recipes.find((one) => one.id === id);
  return OWN[id] ?? (recipe && fromRecipe(recipe));
}

const fromRecipe = ({ id, description, fields, available, reason }: Recipe): Addition => ({
  description,
  fields,
  lacking: available ? null : (reason ?? 'Your Caddy does not support this.'),
  write: (values, signal) => rendered(id, values, signal),
});

/** With the upstream of the site in it as `{upstream}`, so that the field of the form stays in use. */
export const withField = (text: string, upstream: string): string =>
  text.replace(`reverse_proxy ${upstream} {`, () => 'reverse_proxy {upstream} {');

/** A directive with its block, and the comments above it. */
type Part = { name: string; hasMatcher: boolean; text: string };

/** What answers requests: of these a site needs one, unless they have matchers. */
const ANSWERS: ReadonlySet<string> = new Set([
  'file_server',
  'handle',
  'handle_path',
  'redir',
  'respond',
  'reverse_proxy',
  'root',
  'php_fastcgi',
  'try_files',
]);

/** The directives of a text, in order. */
export function partsOf(text: string): Part[] {
  const parts: Part[] = [];
  let lines: string[] = [];
  let depth = 0;
  let words: string[] = [];
  for (const line of text.split('\n')) {
    lines.push(line);
    const bare = line.trim();
    const isComment = bare === '' || bare.startsWith('#');
    if (depth === 0 && !isComment) words = bare.split(/\s+/);
    if (!isComment && depth > 0 && bare.startsWith('}')) depth--;
    if (!isComment && /(^|\s)\{$/.test(bare)) depth++;
    if (depth > 0 || words.length === 0) continue;
    const [name = '', next = ''] = words;
    parts.push({ name, hasMatcher: /^[@/]/.test(next), text: lines.join('\n') });
    lines = [];
    words = [];
  }
  if (lines.some((line) => line.trim() !== '')) {
    parts.push({ name: '', hasMatcher: true, text: lines.join('\n') });
  }
  return parts;
}

type Insertion = { config: string; removed: string };

/**
 * Text that answers requests takes the place of what did; other directives that of those of the same name.
 * What is new comes first, unless it answers. Directives with matchers stay. A whole block takes the place of
 * everything.
 */
export function insert(config: string, text: string): Insertion {
  if (wholeBlock(text)) return { config: text, removed: config };
  const block = wholeBlock(config);
  if (block) {
    const inner = insert(block.body, indented(text, block.indent));
    return { ...inner, config: `${block.head}\n${inner.config}\n${block.tail}` };
  }
  const fresh = partsOf(text);
  const answers = fresh.some(({ name, hasMatcher }) => !hasMatcher && ANSWERS.has(name));
  const names = new Set(fresh.map(({ name }) => name));
  const isReplaced = ({ name, hasMatcher }: Part) =>
    !hasMatcher && (names.has(name) || (answers && ANSWERS.has(name)));
  const old = partsOf(config);
  const at = old.findIndex(isReplaced);
  const kept = old.filter((part) => !isReplaced(part));
  const place = at >= 0 ? at : answers ? kept.length : 0;
  const whole = [...kept.slice(0, place), { text }, ...kept.slice(place)];
  return {
    config: joined(whole),
    removed: joined(old.filter(isReplaced)),
  };
}

type WholeBlock = { head: string; body: string; tail: string; indent: string };

/** A config that is a whole site block, with its addresses; null for the usual one, which is a body. */
function wholeBlock(config: string): WholeBlock | null {
  const [part, ...others] = partsOf(config.trimEnd());
  // An address has a dot or a colon, which no directive has.
  if (!part || others.length > 0 || !/[.:]/.test(part.name)) return null;
  const lines = part.text.split('\n');
  const at = lines.findIndex((line) => line.trim().endsWith('{'));
  if (at < 0) return null;
  const body = lines.slice(at + 1, -1);
  return {
    head: lines.slice(0, at + 1).join('\n'),
    body: body.join('\n'),
    tail: lines.at(-1) ?? '',
    indent: /^\s*/.exec(body[0] ?? '')?.[0] || '\t',
  };
}

const indented = (text: string, indent: string): string => text.replace(/^(?=.)/gm, indent);

const joined = (parts: readonly { text: string }[]): string =>
  parts.map(({ text }) => text.replace(/^\n+|\s+$/g, '')).join('\n');
