/** What `return` answers, and what `rewrite` makes of a path. Pure. */
import { expanded, wordOf } from './words.ts';

const REDIRECTS = new Set(['301', '302', '303', '307', '308']);

/** What nginx puts before a `Location` that is only a path. */
const SAME_SITE = '{scheme}://{hostport}';

/** Whether its characters mean nothing in the replacement of a regular expression, or in a Caddyfile. */
export const isPlainPath = (path: string): boolean => /^\/[\w.~/@:,;=!-]*$/.test(path);

export const tabbed = (lines: readonly string[]): string[] => lines.map((line) => `\t${line}`);

/** The word of a Caddyfile for a regular expression. */
export const regexWord = (pattern: string): string =>
  /^[\w^/\\(][\w^$./\\()|*+?:[\]-]*$/.test(pattern) && !pattern.endsWith('\\')
    ? pattern
    : `\`${pattern}\``;

/** A line that answers all requests as `return` does; null if there is none. */
export function returned(args: readonly string[]): string | null {
  const [first = '', second, ...more] = args;
  const isCode = /^\d{3}$/.test(first);
  const code = isCode ? first : '302';
  const text = isCode ? second : first;
  const isTarget = /^(?:https?:\/\/|\$scheme)/.test(first);
  if (
    more.length > 0 ||
    code < '200' ||
    code > '599' ||
    (!isCode && (second !== undefined || !isTarget))
  ) {
    return null;
  }
  if (code === '444') return 'abort';
  const parts = expanded(text ?? '');
  if (parts === null) return null;
  const start = parts[0]?.text ?? '';
  if (start === '' || code === '204' || code === '304') return `respond ${code}`;
  if (!REDIRECTS.has(code)) {
    const word = wordOf(parts);
    // Caddy would take a text that begins with a slash for a matcher.
    return word === null ? null : `respond * ${word} ${code}`;
  }
  const isPath = start.startsWith('/') || start === '{uri}' || start === '{path}';
  const site = isPath ? [{ text: SAME_SITE, isPlaceholder: true }] : [];
  const word = wordOf([...site, ...parts]);
  if (word === null || parts.some((part) => /\p{Cc}/u.test(part.text))) return null;
  return `redir ${/^(?:\{|https?:)/.test(word) ? '' : '* '}${word} ${code}`;
}

/** The line that puts one beginning of a path for another, as `rewrite ^/a/(.*)$ /b/$1 break` does; null if it says more. */
export function rewritten([source = '', path = '', ...flags]: readonly string[]): string | null {
  const [, start] = /^\^(\/[\w~/@:,;=!-]*)\(\.\*\)\$?$/.exec(source) ?? [];
  if (start === undefined || flags.join(' ') !== 'break') return null;
  if (!path.endsWith('$1') || !isPlainPath(path.slice(0, -2))) return null;
  return `uri path_regexp ${regexWord(`^${start}(.*)$`)} ${path}`;
}
