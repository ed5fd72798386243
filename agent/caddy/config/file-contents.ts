/**
 * Which files Caddy 2.8 and later put in place of `{file.PATH}`, which may stand in any text. A path ends where
 * Caddy's replacer ends it, so what the replacer and its callers read differently counts as both. Pure.
 */

/** Members that take a whole text for one placeholder strip the braces from both of its ends, however many. */
const PLACEHOLDER = /\{[{}]*file\.([^}]*)/g;
const WHOLE = /^\{[^{]*\}$/;
const BRACES = /^[{}]+|[{}]+$/g;
const PREFIX = 'file.';

/**
 * The paths in a text. Behind a backslash a brace ends no placeholder, and some texts lose their backslashes
 * before they are read again: what contains one is no path that can be judged.
 */
export function contentPaths(text: string): string[] {
  // Of the many texts of a large configuration, hardly any has one.
  if (!text.includes(PREFIX)) return [];
  const found = [...text.matchAll(PLACEHOLDER)].map(([, path = '']) => path);
  const key = WHOLE.test(text) ? text.replaceAll(BRACES, '') : '';
  return key.startsWith(PREFIX) ? [...found, key.slice(PREFIX.length)] : found;
}
