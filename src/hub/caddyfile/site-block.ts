/** The block of one site, with its policies. Pure. */
import { maskPlaceholders } from '../../shared/caddyfile/placeholders.ts';
import { tokenize } from '../../shared/caddyfile/tokenizer.ts';
import { contentOf, type Guard, guardedBody, type Origin, type Row } from './guarded.ts';
import { indivisibleImport } from './parts.ts';
import { countLines, indent, siteForm, trimEnd } from './site.ts';
import type { Imports } from './snippets.ts';

/** A site's block, without the blank line before it or a final line end. */
export type SiteBlock = {
  text: string;
  /** How many lines come before the config's first line. */
  before: number;
  /** How many lines the config has, and how many the whole block. */
  lines: number;
  height: number;
  /** If it has policies: where each of these lines comes from. */
  origins?: readonly Origin[];
  /** Its addresses contain a `{$…}`: if the variable is not set, the block might have none. */
  variable: boolean;
};

/** @param config with the upstream filled in */
export function plainBlock(domain: string, config: string): SiteBlock {
  const form = siteForm(domain, config);
  if (form.form === 'block') {
    const text = trimEnd(config);
    const lines = countLines(text);
    return { text, before: 0, lines, height: lines, variable: isVariable(form.addresses) };
  }
  const body = withoutBlankEnd(config);
  const lines = countLines(body);
  const text = `${domain} {\n${indent(body, 1)}\n}`;
  return { text, before: 1, lines, height: lines + 2, variable: isVariable([domain]) };
}

/** @param config with the upstream filled in */
export function guardedBlock(
  domain: string,
  config: string,
  guards: readonly Guard[],
  imports: Imports,
): SiteBlock {
  const form = siteForm(domain, config);
  if (form.form === 'body') {
    const rows = guardedBody(withoutBlankEnd(config), 1, 0, guards, imports);
    const text = [`${domain} {`, ...rows.map((row) => row.text), '}'].join('\n');
    const variable = isVariable([domain]);
    return { ...linesOf(rows), text, before: 1, height: rows.length + 2, variable };
  }
  const rows = guardedRows(trimEnd(config), guards, imports);
  const text = rows.map((row) => row.text).join('\n');
  const variable = isVariable(form.addresses);
  return { ...linesOf(rows), text, before: 0, height: rows.length, variable };
}

/**
 * The first import that a site with policies cannot have, see `indivisibleImport`; `line` of the config.
 * @param config with the upstream filled in
 */
export function indivisibleIn(
  domain: string,
  config: string,
  imports: Imports,
): { name: string; line: number } | null {
  if (siteForm(domain, config).form === 'body') return indivisibleImport(config, imports);
  const inner = contentOf(config, bracesIn(config, imports));
  const found = indivisibleImport(inner.text, imports);
  return found && { ...found, line: found.line + countLines(config.slice(0, inner.from)) - 1 };
}

/** The lines of a whole block. */
function guardedRows(block: string, guards: readonly Guard[], imports: Imports): Row[] {
  const { from, to } = bracesIn(block, imports);
  const lineAt = (offset: number) => countLines(block.slice(0, offset));
  const own = (text: string, line: number): Row[] =>
    text.split('\n').map((row, index) => ({ text: row, origin: line + index }));
  const inner = contentOf(block, { from, to });
  return [
    ...own(block.slice(0, from), 1),
    ...guardedBody(inner.text, lineAt(inner.from), 1, guards, imports),
    ...own(block.slice(to), lineAt(to)),
  ];
}

/** The offsets between the braces of a whole block. */
function bracesIn(block: string, { dialect }: Imports): { from: number; to: number } {
  // After a line end, as in the proxyfile, where a byte order mark is part of its word.
  const tokens = tokenize(`\n${maskPlaceholders(block).masked}`, dialect);
  const [open, close] = [tokens.find(({ text }) => text === '{'), tokens.at(-1)];
  return open && close
    ? { from: open.end - 1, to: close.start - 1 }
    : { from: 0, to: block.length };
}

const linesOf = (rows: readonly Row[]): Pick<SiteBlock, 'lines' | 'origins'> => ({
  lines: rows.length,
  origins: rows.map(({ origin }) => origin),
});

const isVariable = (addresses: readonly string[]): boolean =>
  addresses.some((address) => address.includes('{$'));

/** A body without the blank lines at its end, unless a backslash before them makes them matter. */
function withoutBlankEnd(config: string): string {
  const text = trimEnd(config);
  return text.slice(text.lastIndexOf('\n') + 1).includes('\\') ? config : text;
}
