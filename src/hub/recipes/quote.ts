/** Puts texts into a Caddyfile as one word each. Pure. */

/** Caddy's replacer takes a backslash before a brace away, if the word has an opening brace at all. */
const withoutPlaceholders = (text: string): string =>
  text.includes('{') ? text.replace(/\{|\\\}/g, '\\$&') : text;

/** Inside `"…"` a backslash escapes the next character, and is dropped only before a quote. */
const endsOddly = /(?<!\\)(?:\\\\)*\\(?:"|$)/;

/**
 * A text as one word in which no placeholder expands. The text must be `isQuotable`.
 * A backslash before a quote cannot be written inside quotes, but between backticks.
 */
export function quoted(text: string): string {
  const word = withoutPlaceholders(text);
  return endsOddly.test(word) ? `\`${word}\`` : `"${word.replaceAll('"', '\\"')}"`;
}

/**
 * Whether `quoted` can write a text. It cannot if there is a control character other than tab and
 * line feed, or half a surrogate pair; `{$`, which Caddy expands even in quotes; nothing but `}`,
 * which closes a block even in quotes; or a backtick beside a backslash that ends a quotation.
 */
export function isQuotable(text: string): boolean {
  // biome wants no control characters in a pattern, so they are found by their category.
  if (/(?![\t\n])\p{Cc}/u.test(text) || !text.isWellFormed()) return false;
  if (text.includes('{$') || text === '}') return false;
  return !(text.includes('`') && endsOddly.test(withoutPlaceholders(text)));
}
