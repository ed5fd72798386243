/** An HTML template tag that escapes whatever is interpolated. Pure. */

const UNSAFE: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Markup that needs no escaping. */
export type Html = { readonly html: string };

type Part = string | number | Html | readonly Html[];

const textOf = (part: Part): string => {
  if (typeof part === 'number') return String(part);
  if (typeof part === 'string') return part.replace(/[&<>"']/g, (one) => UNSAFE[one] ?? '');
  return 'html' in part ? part.html : part.map(({ html }) => html).join('');
};

/** Escapes interpolated values, unless they are `Html`. */
export const html = (words: TemplateStringsArray, ...parts: Part[]): Html => ({
  html: words.map((word, at) => word + (at < parts.length ? textOf(parts[at] ?? '') : '')).join(''),
});

export const NOTHING: Html = { html: '' };
