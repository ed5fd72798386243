/** Renders preamble and sites to one Caddyfile, or a few of the sites to a probe, and finds their lines again. Pure. */

import { hasGlobalOptions } from '../../shared/caddyfile/globals.ts';
import { UPSTREAM } from '../../shared/caddyfile/placeholders.ts';
import { memoize } from '../../shared/memoize.ts';
import type { Policy } from '../recipes/policy.ts';
import { type Context, contextOf, guardOf } from './context.ts';
import type { Origin } from './guarded.ts';
import { countLines, trimEnd } from './site.ts';
import { guardedBlock, plainBlock, type SiteBlock } from './site-block.ts';
import { withNetworks } from './trusted-proxies.ts';

/** What the proxyfile needs of a vhost; immutable, see `renderSite`. */
export type Site = {
  id: number;
  domain: string;
  config: string;
  upstream: string;
  enabled: boolean;
  /** What every request must pass first, in order. */
  guards: readonly Policy[];
};

/**
 * Where a vhost's config is: `first` is the number, from 1, of its first line in the proxyfile. With
 * policies, `origins` says of each line where it comes from; without, they are those of the config.
 */
export type Span = {
  id: number;
  domain: string;
  first: number;
  lines: number;
  origins?: readonly Origin[] | undefined;
};

export type Rendered = {
  text: string;
  /** In the order of the proxyfile. */
  spans: Span[];
  /** Everything before the first site, and how many lines that is. */
  head: string;
  headLines: number;
  /** The number, from 1, of the preamble's first line. */
  preambleLine: number;
  /** What its sites were rendered for. */
  context: () => Context;
};

const HEADER = '# Written by signalbox; changes made here are replaced at the next publish.';

/**
 * Global options that change nothing: without them the grace period has no limit either. If there
 * were none, and the first site's addresses turned out to be empty, Caddy would take that site for
 * the global options, and would not say so.
 */
const GUARD = '{\n\tgrace_period 0s\n}';

/**
 * The proxyfile: the preamble, then every enabled site in the order given.
 * @param version the proxy's, such as `2.6.2`; null if it is not known
 * @param certificates the comments that name those that travel beside it
 */
export function render(
  preamble: string,
  sites: readonly Site[],
  version: string | null = null,
  certificates: readonly string[] = [],
): Rendered {
  const context = () => contextOf(preamble, version);
  const parts: string[] = [];
  const spans: Span[] = [];
  let line = 1;
  const add = (text: string, height: number) => {
    parts.push(text);
    line += height + 1;
  };

  const blocks = sites
    .filter(({ enabled }) => enabled)
    .map((site) => ({ site, ...renderSite(site, context) }));
  add([HEADER, ...certificates].join('\n'), 1 + certificates.length);
  if (blocks.some(({ variable }) => variable) && !hasGlobalOptions(preamble)) add(GUARD, 3);
  const options = trimEnd(preamble.includes('cloudflare') ? withNetworks(preamble) : preamble);
  const preambleLine = line;
  if (options.trim() !== '') add(options, countLines(options));
  const [head, headLines] = [parts.join('\n\n'), line - 2];
  for (const { site, ...block } of blocks) {
    spans.push(spanOf(site, block, line));
    add(block.text, block.height);
  }
  return { text: `${parts.join('\n\n')}\n`, spans, head, headLines, preambleLine, context };
}

/** Where the config of a site is whose block begins on line `start`. */
const spanOf = (
  { id, domain }: Site,
  { before, lines, origins }: SiteBlock,
  start: number,
): Span => ({ id, domain, first: start + before, lines, ...(origins && { origins }) });

/** A line of a vhost: its number in the config, or the policy that it is from. */
export type Place = {
  id: number;
  domain: string;
  line?: number;
  policy?: Exclude<Origin, number>;
};

/** The vhost whose config a line of the proxyfile is in, and where in it; null if in none. */
export function locate(rendered: Rendered, line: number): Place | null {
  let low = 0;
  let high = rendered.spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rendered.spans[middle]?.first ?? 0) <= line) low = middle + 1;
    else high = middle;
  }
  const span = rendered.spans[low - 1];
  if (!span || line >= span.first + span.lines) return null;
  const { id, domain, first, origins } = span;
  const origin = origins ? (origins[line - first] ?? 1) : line - first + 1;
  return { id, domain, ...(typeof origin === 'number' ? { line: origin } : { policy: origin }) };
}

/** A config with the upstream filled in, as Caddy will read it. */
export const fillUpstream = (config: string, upstream: string): string =>
  upstream === '' ? config : config.replaceAll(UPSTREAM, () => upstream);

/**
 * The site's block; rendered once per object, so a changed vhost must be a new object.
 * @param context only asked for if the site has policies, and then rendered again if it is another
 */
export function renderSite(site: Site, context: () => Context = unknown): SiteBlock {
  if (site.guards.length === 0) return plainSite(site);
  const [now, known] = [context(), guarded.get(site)];
  if (known?.context === now) return known.block;
  const guards = site.guards.map((policy) => guardOf(policy, now));
  const block = guardedBlock(site.domain, filled(site), guards, now);
  guarded.set(site, { context: now, block });
  return block;
}

const unknown = () => contextOf('', null);

const guarded = new WeakMap<Site, { context: Context; block: SiteBlock }>();

/** The site's block as it would be without policies. */
export const plainSite = memoize(
  (site: Omit<Site, 'guards'>): SiteBlock => plainBlock(site.domain, filled(site)),
);

const filled = ({ config, upstream }: Pick<Site, 'config' | 'upstream'>): string =>
  fillUpstream(config, upstream);

/**
 * The rendered proxyfile with only these sites in it: validating it takes the same time however many
 * sites there are. Every line has the number it has in the whole. Sites that are not in the whole,
 * because they are disabled, follow after its end.
 * @param rendered the whole that `sites` are taken from
 */
export function renderProbe(rendered: Rendered, sites: readonly Site[]): Rendered {
  const spans: Span[] = [];
  let text = rendered.head;
  let line = rendered.headLines;
  /** Adds a site so that its block begins on a line. */
  const add = (site: Site, start: number) => {
    const block = renderSite(site, rendered.context);
    text += '\n'.repeat(start - line) + block.text;
    line = start + block.height - 1;
    spans.push(spanOf(site, block, start));
  };

  const firsts = new Map(rendered.spans.map(({ id, first }) => [id, first]));
  const starts = sites.flatMap((site) => {
    const first = firsts.get(site.id);
    return first === undefined
      ? []
      : [{ site, start: first - renderSite(site, rendered.context).before }];
  });
  for (const { site, start } of starts.toSorted((a, b) => a.start - b.start)) add(site, start);
  const end = countLines(rendered.text);
  for (const site of sites) if (!firsts.has(site.id)) add(site, Math.max(line, end) + 2);
  return { ...rendered, text: `${text}\n`, spans };
}

/** Caddy says this of a nested directive, with the line where the block around it ends. */
const NESTED = /^unrecognized directive: (\S+) - /;

/** The line of `text`, from 1, that a mistake is on; `named` is the one in Caddy's words. */
export function mistakeLine(text: string, named: number, words = ''): number {
  const directive = NESTED.exec(words)?.[1];
  if (directive === undefined) return named;
  const lines = text.split('\n').slice(0, named);
  const found = lines.findLastIndex((line) => line.trim().split(/\s/)[0] === directive);
  return found < 0 ? named : found + 1;
}
