/** Finds where a page says that its icon is. Pure. */

/** A tag in HTML, of a length that no page exceeds. */
const LINK = /<link\s[^>]{0,2000}>/gi;

/**
 * The path of the first icon on the same site that is no SVG; null: the page names none.
 * @param url of the page @param body in any encoding that begins as ASCII
 */
export function linkIn({ url, body }: { url: URL; body: Buffer }): string | null {
  for (const [tag] of body.toString('latin1').matchAll(LINK)) {
    if (!/(?:^|\s)icon(?:\s|$)/i.test(attribute(tag, 'rel'))) continue;
    if (/svg/i.test(attribute(tag, 'type'))) continue;
    const to = URL.parse(attribute(tag, 'href').replaceAll('&amp;', '&'), url.href);
    if (!to || to.origin !== url.origin || to.pathname.endsWith('.svg')) continue;
    return `${to.pathname}${to.search}`;
  }
  return null;
}

/** Empty if the tag has none of that name. */
function attribute(tag: string, name: string): string {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s>]+))`, 'i').exec(tag);
  return (found?.[1] ?? found?.[2] ?? found?.[3] ?? '').trim();
}
