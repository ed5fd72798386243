import { maskPlaceholders, UPSTREAM } from '../../shared/caddyfile/placeholders.ts';
import { hasGlobalOptions } from '../../shared/caddyfile/preamble.ts';
import { tokenize } from '../../shared/caddyfile/tokenizer.ts';
import { siteForm } from './site.ts';

/** A vhost as far as the proxyfile is concerned; taken as immutable, see `renderSite`. */
export type Site = {
  id: number;
  domain: string;
  config: string;
  upstream: string;
  enabled: boolean;
};

/** Where a vhost's config stands: `first` is the proxyfile's line (1-based) of its line 1. */
export type Span = { id: number; domain: string; first: number; lines: number };

/**
 * `head` is what stands before the first site, in `headLines` lines; the preamble's line 1 is its
 * line `preambleLine` (1-based).
 */
export type Rendered = {
  text: string;
  spans: Span[];
  head: string;
  headLines: number;
  preambleLine: number;
};

/** One vhost's part of the proxyfile, without the blank line before it and a final line end. */
export type SiteText = {
  text: string;
  /** Lines of `text` that precede line 1 of the config. */
  line: number;
  /** Lines of the config, and of all of `text`. */
  lines: number;
  height: number;
  /** Its addresses hold a `{$…}`: with an unset variable the block might have none. */
  variable: boolean;
};

const HEADER = '# Written by signalbox; changes made here are replaced at the next publish.';

/**
 * Global options that change nothing: the grace period has no limit anyway. Where there are none,
 * Caddy takes a first block whose addresses turn out to be empty for them, and would not say so.
 */
const GUARD = '{\n\tgrace_period 0s\n}';

/** The proxyfile: `preamble`, then every enabled site in the order given. */
export function render(preamble: string, sites: readonly Site[]): Rendered {
  const parts: string[] = [];
  const spans: Span[] = [];
  let line = 1;
  const add = (text: string, height: number) => {
    parts.push(text);
    line += height + 1;
  };

  const texts = sites
    .filter(({ enabled }) => enabled)
    .map((site) => ({ site, ...renderSite(site) }));
  add(HEADER, 1);
  if (texts.some(({ variable }) => variable) && !hasGlobalOptions(preamble)) add(GUARD, 3);
  const options = trimEnd(preamble);
  const preambleLine = line;
  if (options.trim() !== '') add(options, countLines(options));
  const [head, headLines] = [parts.join('\n\n'), line - 2];
  for (const { site, text, line: before, lines, height } of texts) {
    spans.push({ id: site.id, domain: site.domain, first: line + before, lines });
    add(text, height);
  }
  return { text: `${parts.join('\n\n')}\n`, spans, head, headLines, preambleLine };
}

/** Which vhost a line of the proxyfile belongs to, and the line within its config; else null. */
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

const cache = new WeakMap<Site, SiteText>();

/** The site's block; read once per object, so a changed vhost has to be a new one. */
export function renderSite(site: Site): SiteText {
  const known = cache.get(site);
  if (known) return known;
  const rendered = siteText(site);
  cache.set(site, rendered);
  return rendered;
}

/** A site's config with its upstream put in: what Caddy gets to read. */
export const fillUpstream = (config: string, upstream: string): string =>
  upstream === '' ? config : config.replaceAll(UPSTREAM, () => upstream);

function siteText(site: Site): SiteText {
  const { domain } = site;
  const config = fillUpstream(site.config, site.upstream);
  const form = siteForm(domain, config);
  if (form.form === 'block') {
    const text = trimEnd(config);
    const lines = countLines(text);
    const variable = form.addresses.some((address) => address.includes('{$'));
    return { text, line: 0, lines, height: lines, variable };
  }
  const body = withoutBlankEnd(config);
  const lines = countLines(body);
  const text = `${domain} {\n${indent(body)}\n}`;
  return { text, line: 1, lines, height: lines + 2, variable: domain.includes('{$') };
}

/** `config` with a tab before each line, except where it would come to stand inside a token. */
function indent(config: string): string {
  const inside = insideTokens(config);
  let start = 0;
  return config
    .split('\n')
    .map((line) => {
      const at = start;
      start += line.length + 1;
      return line.trim() === '' || inside(at) ? line : `\t${line}`;
    })
    .join('\n');
}

/**
 * Whether an offset, asked for in ascending order, lies inside a token. Caddy 2.6 knows no
 * heredocs and later versions do: what either takes for the inside of a token is left alone.
 */
function insideTokens(config: string): (at: number) => boolean {
  if (!/["`]|<<|\{\$/.test(config)) return () => false;
  const { masked } = maskPlaceholders(config);
  const views = [false, true].map((heredocs) => {
    // Behind a line end, as in the block, so that a byte order mark is part of its word.
    const tokens = tokenize(`\n${masked}`, { heredocs });
    let index = 0;
    return (at: number) => {
      while ((tokens[index]?.end ?? Number.POSITIVE_INFINITY) <= at + 1) index++;
      return (tokens[index]?.start ?? Number.POSITIVE_INFINITY) < at + 1;
    };
  });
  return (at) => views.map((view) => view(at)).includes(true);
}

/** A body without the blank lines at its end, unless a backslash could make one of them matter. */
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
