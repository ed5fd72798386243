/** What the whole need not be asked for: a Caddyfile of a few sites, and the line of a mistake that Caddy names. Pure. */
import { countLines } from './lines.ts';
import { type Rendered, renderSite, type Site, type Span, spanOf } from './render.ts';

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
