/** A Caddyfile for validating a few sites instead of the whole proxyfile. Pure. */
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
