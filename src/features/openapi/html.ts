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

type Value = string | number | Html | readonly Html[];

const textOf = (value: Value): string => {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return value.replace(/[&<>"']/g, (one) => UNSAFE[one] ?? '');
  return 'html' in value ? value.html : value.map(({ html }) => html).join('');
};

/** Escapes interpolated values, unless they are `Html`. */
export const html = (words: TemplateStringsArray, ...values: Value[]): Html => ({
  html: words
    .map((word, at) => word + (at < values.length ? textOf(values[at] ?? '') : ''))
    .join(''),
});

export const NOTHING: Html = { html: '' };
