import { type Rendered, renderSite, type Site, type Span } from './render.ts';

/**
 * The rendered proxyfile with all sites but `sites` left empty, every line where it stands in the
 * whole: validating it costs the same however many sites there are. Sites that are not in the
 * whole (disabled ones) follow behind its end.
 * @param rendered the whole that `sites` are taken from
 */
export function renderProbe(rendered: Rendered, sites: readonly Site[]): Rendered {
  const places = new Map(rendered.spans.map((span) => [span.id, span.first]));
  const own = sites.map((site) => ({ site, ...renderSite(site), first: places.get(site.id) }));
  const spans: Span[] = [];
  let text = rendered.head;
  let line = rendered.headLines;
  const put = (target: number, part: (typeof own)[number]) => {
    text += '\n'.repeat(target - line) + part.text;
    line = target + part.height - 1;
    const { id, domain } = part.site;
    spans.push({ id, domain, first: target + part.line, lines: part.lines });
  };
  const placed = own.filter((part) => part.first !== undefined);
  for (const part of placed.toSorted((a, b) => (a.first ?? 0) - (b.first ?? 0))) {
    put((part.first ?? 0) - part.line, part);
  }
  const end = rendered.text.split('\n').length;
  for (const part of own) {
    if (part.first === undefined) put(Math.max(line, end) + 2, part);
  }
  return { ...rendered, text: `${text}\n`, spans };
}
