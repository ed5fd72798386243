/** Renders preamble and sites to one Caddyfile, and finds its lines again. Pure. */
import { maskPlaceholders, UPSTREAM } from '../../shared/caddyfile/placeholders.ts';
import { hasGlobalOptions } from '../../shared/caddyfile/preamble.ts';
import { tokenize } from '../../shared/caddyfile/tokenizer.ts';
import { memoize } from '../../shared/memoize.ts';
import { siteForm } from './site.ts';

/** What the proxyfile needs of a vhost; immutable, see `renderSite`. */
export type Site = {
  id: number;
  domain: string;
  config: string;
  upstream: string;
  enabled: boolean;
};

/** Where a vhost's config is: `first` is the number, from 1, of its first line in the proxyfile. */
export type Span = { id: number; domain: string; first: number; lines: number };

export type Rendered = {
  text: string;
  /** In the order of the proxyfile. */
  spans: Span[];
  /** Everything before the first site, and how many lines that is. */
  head: string;
  headLines: number;
  /** The number, from 1, of the preamble's first line. */
  preambleLine: number;
};

/** A site's block, without the blank line before it or a final line end. */
type SiteBlock = {
  text: string;
  /** How many lines come before the config's first line. */
  before: number;
  /** How many lines the config has, and how many the whole block. */
  lines: number;
  height: number;
  /** Its addresses contain a `{$…}`: if the variable is not set, the block might have none. */
  variable: boolean;
};

const HEADER = '# Written by signalbox; changes made here are replaced at the next publish.';

/**
 * Global options that change nothing: without them the grace period has no limit either. If there
 * were none, and the first site's addresses turned out to be empty, Caddy would take that site for
 * the global options, and would not say so.
 */
const GUARD = '{\n\tgrace_period 0s\n}';

/** The proxyfile: the preamble, then every enabled site in the order given. */
export function render(preamble: string, sites: readonly Site[]): Rendered {
  const parts: string[] = [];
  const spans: Span[] = [];
  let line = 1;
  const add = (text: string, height: number) => {
    parts.push(text);
    line += height + 1;
  };

  const blocks = sites
    .filter(({ enabled }) => enabled)
    .map((site) => ({ site, ...renderSite(site) }));
  add(HEADER, 1);
  if (blocks.some(({ variable }) => variable) && !hasGlobalOptions(preamble)) add(GUARD, 3);
  const options = trimEnd(preamble);
  const preambleLine = line;
  if (options.trim() !== '') add(options, countLines(options));
  const [head, headLines] = [parts.join('\n\n'), line - 2];
  for (const { site, text, before, lines, height } of blocks) {
    spans.push({ id: site.id, domain: site.domain, first: line + before, lines });
    add(text, height);
  }
  return { text: `${parts.join('\n\n')}\n`, spans, head, headLines, preambleLine };
}

/** The vhost whose config a line of the proxyfile is in, and its line there; null if in none. */
export function locate(
  rendered: Rendered,
  line: number,
): { id: number; domain: string; line: number } | null {
  let low = 0;
  let high = rendered.spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rendered.spans[middle]?.first ?? 0) <= line) low = middle + 1;
    else high = middle;
  }
  const span = rendered.spans[low - 1];
  if (!span || line >= span.first + span.lines) return null;
  return { id: span.id, domain: span.domain, line: line - span.first + 1 };
}

/** A config with the upstream filled in, as Caddy will read it. */
export const fillUpstream = (config: string, upstream: string): string =>
  upstream === '' ? config : config.replaceAll(UPSTREAM, () => upstream);

/** The site's block; rendered once per object, so a changed vhost must be a new object. */
export const renderSite = memoize((site: Site): SiteBlock => {
  const { domain } = site;
  const config = fillUpstream(site.config, site.upstream);
  const form = siteForm(domain, config);
  if (form.form === 'block') {
    const text = trimEnd(config);
    const lines = countLines(text);
    const variable = form.addresses.some((address) => address.includes('{$'));
    return { text, before: 0, lines, height: lines, variable };
  }
  const body = withoutBlankEnd(config);
  const lines = countLines(body);
  const text = `${domain} {\n${indent(body)}\n}`;
  return { text, before: 1, lines, height: lines + 2, variable: domain.includes('{$') };
});

/** `config` with a tab before each line, except for lines that begin inside a token. */
function indent(config: string): string {
  const inside = insideTokens(config);
  let start = 0;
  return config
    .split('\n')
    .map((line) => {
      const offset = start;
      start += line.length + 1;
      return line.trim() === '' || inside(offset) ? line : `\t${line}`;
    })
    .join('\n');
}

/**
 * Whether an offset is inside a token; offsets must be passed in ascending order. Caddy has heredocs
 * from 2.7 on: an offset counts as inside if it is so with or without them.
 */
function insideTokens(config: string): (offset: number) => boolean {
  if (!/["`]|<<|\{\$/.test(config)) return () => false;
  const { masked } = maskPlaceholders(config);
  const views = [false, true].map((heredocs) => {
    // After a line end, as in the block, so that a byte order mark is part of its word.
    const tokens = tokenize(`\n${masked}`, { heredocs });
    let index = 0;
    return (offset: number) => {
      while ((tokens[index]?.end ?? Number.POSITIVE_INFINITY) <= offset + 1) index++;
      return (tokens[index]?.start ?? Number.POSITIVE_INFINITY) < offset + 1;
    };
  });
  return (offset) => views.map((view) => view(offset)).includes(true);
}

/** A body without the blank lines at its end, unless a backslash before them makes them matter. */
function withoutBlankEnd(config: string): string {
  const text = trimEnd(config);
  return text.slice(text.lastIndexOf('\n') + 1).includes('\\') ? config : text;
}

function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && ' \t\r\n'.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

function countLines(text: string): number {
  let lines = 1;
  for (let lf = text.indexOf('\n'); lf >= 0; lf = text.indexOf('\n', lf + 1)) lines++;
  return lines;
}
