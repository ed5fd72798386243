/** What `return` and `rewrite` answer, and what `rewrite` and `proxy_pass` make of a path. Pure. */
import { regexWord, whole } from './regex.ts';
import { expanded, type Scope, wordOf } from './words.ts';

const REDIRECTS = new Set(['301', '302', '303', '307', '308']);

/** What nginx puts before a `Location` that is only a path. */
const SAME_SITE = '{scheme}://{hostport}';

/** What a redirect leads to: a host, and then a path. */
const ORIGIN = /^((?:https?|\$scheme):\/\/(?:[\w.:-]|\$(?:host|http_host)\b)+)?(.*)$/s;

const joined = (...words: readonly string[]): string =>
  words.filter((word) => word !== '').join(' ');

/** A path whose characters mean nothing in a regular expression, its replacement, or a Caddyfile. */
export const isPlainPath = (path: string): boolean => /^\/[\w.~/@:,;=!-]*$/.test(path);

export const tabbed = (lines: readonly string[]): string[] => lines.map((line) => `\t${line}`);

/**
 * A line that answers as `return` does; null if there is none.
 * @param matcher of the requests that it answers, `''` for all
 */
export function returned(args: readonly string[], matcher: string, scope: Scope): string | null {
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
  if (code === '444') return joined('abort', matcher);
  const parts = expanded(text ?? '', scope);
  if (parts === null) return null;
  const start = parts[0]?.text ?? '';
  if (start === '' || code === '204' || code === '304') return joined('respond', matcher, code);
  if (!REDIRECTS.has(code)) {
    const word = wordOf(parts);
    // Caddy would take a text that begins with a slash for a matcher.
    return word === null ? null : joined('respond', matcher || '*', word, code);
  }
  const isPath = start.startsWith('/') || start === '{uri}' || start === '{path}';
  const site = isPath ? [{ text: SAME_SITE, isPlaceholder: true }] : [];
  const word = wordOf([...site, ...parts]);
  if (word === null || parts.some((part) => /\p{Cc}/u.test(part.text))) return null;
  return joined('redir', matcher || (/^(?:\{|https?:)/.test(word) ? '' : '*'), word, code);
}

/** Whether a `rewrite` answers instead of changing what is asked for. */
export const isRedirect = ([, replacement = '', flag = '']: readonly string[]): boolean =>
  flag === 'redirect' || flag === 'permanent' || /^(?:https?:\/\/|\$scheme)/.test(replacement);

/**
 * The lines that answer a `rewrite` that is a redirect; null if there are none.
 * @param pattern its regular expression for Caddy
 */
export function moved(
  pattern: string,
  [, replacement = '', flag]: readonly string[],
  scope: Scope,
): string[] | null {
  const [, origin, rest = ''] = ORIGIN.exec(replacement) ?? [];
  const parts = expanded(origin ?? '', scope);
  const start = parts === null ? null : origin ? wordOf(parts) : SAME_SITE;
  if (start === null) return null;
  const answer = `redir * ${start}{uri} ${flag === 'permanent' ? 301 : 302}`;
  if (/^\$request_uri\??$/.test(rest)) return [answer];
  const [path = '', query = null, ...more] = rest.split('?');
  const changed = replaced(pattern, path || '/');
  if (changed === null || more.length > 0 || !/^[\w=&.-]*$/.test(query ?? '')) return null;
  return [changed, ...(query === null ? [] : [withQuery(query)]), answer];
}

/** The line that puts a query before the one that was asked for; an empty one takes that away. */
const withQuery = (query: string): string =>
  query === '' ? 'rewrite * ?' : `rewrite * ?${query}&{query}`;

/**
 * The line that replaces a whole path, as it was sent, by a text with `$1` in it; null if there is none.
 * @param pattern for Caddy, that a part of the path matches
 */
export function replaced(pattern: string, path: string): string | null {
  // Caddy would take `$1x` for another variable.
  const plain = path.replace(/\$[1-9](?!\w)/g, '');
  if (!/^[/$]/.test(path) || !isPlainPath(`/${plain}`)) return null;
  return `uri path_regexp ${regexWord(whole(pattern))} ${path}`;
}
