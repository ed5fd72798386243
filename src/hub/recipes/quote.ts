/** Puts texts into a Caddyfile as one word each. Pure. */

/**
 * Caddy takes away a backslash before a brace, 2.6.2 only if there is an opening one. Before a closing
 * brace it keeps `{host}` and the like from being written out.
 */
const withoutPlaceholders = (text: string): string =>
  text.includes('{') ? text.replace(/[{}]/g, '\\$&') : text;

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
 * which closes a block even in quotes; `\}` without an opening brace, which versions read differently;
 * or a backtick beside a backslash that would end a quotation.
 */
export function isQuotable(text: string): boolean {
  if (/(?![\t\n])\p{Cc}/u.test(text) || !text.isWellFormed()) return false;
  if (text.includes('{$') || text === '}') return false;
  if (text.includes('\\}') && !text.includes('{')) return false;
  return !(text.includes('`') && endsOddly.test(withoutPlaceholders(text)));
}

/** A text as a regular expression of RE2, Caddy's, that matches nothing else. */
export const literally = (text: string): string =>
  text
    .replace(/[\\.+*?()|[\]^$]/g, '\\$&')
    // Before an anchor, a brace would begin `{$`, which Caddy replaces anywhere.
    .replace(/[`{}]/g, (char) => `\\x${char.charCodeAt(0).toString(16)}`);
