/** Puts policies in front of the body of a site block, so that nothing in it answers before them. Pure. */
import type { Line } from '../recipes/recipe.ts';
import { type Part, partsOf } from './parts.ts';
import { countLines, indent } from './site.ts';
import type { Imports } from './snippets.ts';

/** Where a line comes from: a line of the config, from 1, or a policy, and the field that made it. */
export type Origin = number | { name: string; field?: string | undefined };

/** A policy as text; `site`: what of it comes before everything else of the site. */
export type Guard = { name: string; lines: readonly Line[]; site?: readonly Line[] };

/** A line of a site block. */
export type Row = { text: string; origin: Origin };

/** What the lines that are nobody's own count as. */
const ADDED: Origin = 1;

/**
 * The lines between the braces of a site block: what must stay at the level of the site, and then the
 * rest in a `route` after the policies, because Caddy would sort it before them.
 * @param text with everything between the braces, or the config
 * @param line the number, from 1, of its first line in the config
 * @param depth how many tabs it is indented by already
 */
export function guardedBody(
  text: string,
  line: number,
  depth: 0 | 1,
  guards: readonly Guard[],
  imports: Imports,
): Row[] {
  const first: First = (tabs) => guards.flatMap((one) => guardRows(one, tabs));
  const settings: Row[] = guards.flatMap(({ name, site: lines = [] }) =>
    lines.length > 0 ? guardRows({ name, lines }, 1) : [],
  );
  const handlers: Row[] = [];
  let afterImport = false;
  for (const part of partsOf(text, imports)) {
    const own = { ...part, line: part.line + line - 1 };
    // A snippet is indented by one tab.
    const by = part.imported ? 1 : depth;
    if (own.kind === 'handlers') {
      if (afterImport && own.isImport) handlers.push(...gap(handlers.length, imports));
      handlers.push(...rowsOf(own, 3 - by));
      afterImport = own.isImport;
    } else if (own.kind === 'errors') settings.push(...errorRows(own, by, first));
    else settings.push(...rowsOf(own, 1 - by));
  }
  const before = withoutBlankStart(settings);
  const blank = before.length > 0 ? [added('')] : [];
  return [...before, ...blank, ...route(1, first, withoutBlankStart(handlers))];
}

/** The lines of all policies, indented by `tabs`. */
type First = (tabs: number) => Row[];

const added = (text: string): Row => ({ text, origin: ADDED });

/**
 * What keeps two imports apart: in a block, Caddy 2.6 takes one line that is imported twice for one
 * directive. A matcher that nothing uses does nothing.
 * @param number another one for each gap
 */
const gap = (number: number, { dialect }: Imports): Row[] =>
  dialect.heredocs ? [] : [added(`\t\t\t@policies-gap-${number} path /`)];

function route(tabs: number, first: First, handlers: readonly Row[]): Row[] {
  const by = '\t'.repeat(tabs);
  const handle = [added(`${by}\thandle {`), ...handlers, added(`${by}\t}`)];
  return [
    added(`${by}route {`),
    ...first(tabs + 1),
    ...(handlers.length > 0 ? handle : []),
    added(`${by}}`),
  ];
}

function guardRows({ name, lines }: Guard, tabs: number): Row[] {
  const by = '\t'.repeat(tabs);
  const rows = lines.flatMap((line) => {
    const { text, field } = typeof line === 'string' ? { text: line, field: undefined } : line;
    // Where a text goes on in the next line, that is inside a word.
    return `${by}${text}`.split('\n').map((row) => ({ text: row, origin: { name, field } }));
  });
  return [{ text: `${by}# policy ${name}`, origin: { name } }, ...rows];
}

type Source = Pick<Part, 'text' | 'line' | 'imported'>;

function rowsOf({ text, line, imported }: Source, tabs: number): Row[] {
  return indent(text.replace(/\n$/, ''), tabs)
    .split('\n')
    .map((row, index) => ({ text: row, origin: imported ? line : line + index }));
}

/** `handle_errors` with its content after the policies: what they refuse ends here as well. */
function errorRows(part: Part, by: number, first: First): Row[] {
  const { text, block, line, imported } = part;
  if (!block) return rowsOf(part, 1 - by);
  const at = (offset: number) => (imported ? line : line + countLines(text.slice(0, offset)) - 1);
  const head = { imported, line, text: text.slice(0, block.from) };
  const inner = contentOf(text, block);
  const tail = { imported, line: at(block.to), text: text.slice(block.to) };
  const content = rowsOf({ imported, text: inner.text, line: at(inner.from) }, 3 - by);
  return [
    ...rowsOf(head, 1 - by),
    ...route(2, first, withoutBlankStart(content)),
    ...rowsOf({ ...tail, text: `${'\t'.repeat(by)}${tail.text}` }, 1 - by),
  ];
}

/** What is in a block, without the line ends after and before its braces, and where that begins. */
export function contentOf(text: string, { from, to }: { from: number; to: number }) {
  const first = /^[ \t\r]*\n?/.exec(text.slice(from, to))?.[0].length ?? 0;
  return { from: from + first, text: text.slice(from + first, to).replace(/(?:^|\n)[ \t]*$/, '') };
}

/** Without the blank lines at the start; not all that JavaScript trims is blank for Caddy. */
function withoutBlankStart(rows: readonly Row[]): readonly Row[] {
  const first = rows.findIndex(({ text }) => !/^[ \t\r]*$/.test(text));
  return first < 0 ? [] : rows.slice(first);
}
