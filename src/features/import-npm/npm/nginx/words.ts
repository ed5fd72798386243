/** Turns words of nginx, with variables in them, into words of a Caddyfile. Pure. */
import { isQuotable, quoted } from '../../../../hub/recipes/quote.ts';

/** What of a word is a placeholder of Caddy, and what is plain text. */
export type Part = { text: string; isPlaceholder: boolean };

export type Captures = { name: string; groups: number };

/** What variables stand for at some place of the nginx text. */
export type Scope = {
  /** Those of `set`, in lower case. */
  variables: ReadonlyMap<string, readonly Part[]>;
  /** The regular expression that `$1` is of, and how many groups it has; null if there is none. */
  captures: Captures | null;
};

const PLACEHOLDERS: Record<string, string> = {
  args: '{query}',
  document_uri: '{path}',
  host: '{host}',
  http_host: '{hostport}',
  query_string: '{query}',
  remote_addr: '{remote_host}',
  request_method: '{method}',
  request_uri: '{uri}',
  scheme: '{scheme}',
  uri: '{path}',
  // Nginx Proxy Manager's own: what a proxy before it said, or the scheme.
  x_forwarded_proto: '{scheme}',
  x_forwarded_scheme: '{scheme}',
};

/** Of one word; `set` can double a text each time. */
const MAX_LENGTH = 4_000;

const VARIABLE = /\$(?:\{(\w+)\}|([1-9])|(\w+))|\$/g;

/** Caddy's placeholder for a variable of nginx that is not one of `set`; null if there is none. */
export function placeholderOf(name: string): string | null {
  if (Object.hasOwn(PLACEHOLDERS, name)) return PLACEHOLDERS[name] ?? null;
  const header = /^http_([a-z0-9_]+)$/.exec(name)?.[1];
  // Go takes these away before Caddy sees them.
  const isKnown = header !== undefined && !/^(?:transfer_encoding|trailer)$/.test(header);
  return !isKnown ? null : `{header.${header.replaceAll('_', '-')}}`;
}

/** The parts of a word; null if there is a variable that Caddy has no placeholder for, or too many. */
export function expanded(word: string, { variables, captures }: Scope): readonly Part[] | null {
  const parts: Part[] = [];
  let kept = 0;
  let length = 0;
  const add = (text: string, isPlaceholder = false) => {
    const last = parts.at(-1);
    length += text.length;
    if (text === '') return;
    if (last && !last.isPlaceholder && !isPlaceholder) {
      parts[parts.length - 1] = { text: last.text + text, isPlaceholder };
    } else parts.push({ text, isPlaceholder });
  };
  for (const found of word.matchAll(VARIABLE)) {
    const name = (found[1] ?? found[2] ?? found[3] ?? '').toLowerCase();
    const set = variables.get(name);
    const placeholder = placeholderOf(name);
    add(word.slice(kept, found.index));
    if (found[2] !== undefined && captures !== null) {
      // A group that there is not is empty in nginx, but not in Caddy.
      if (Number(name) <= captures.groups) add(`{re.${captures.name}.${name}}`, true);
    } else if (set) for (const part of set) add(part.text, part.isPlaceholder);
    else if (placeholder) add(placeholder, true);
    else return null;
    if (length > MAX_LENGTH) return null;
    kept = found.index + found[0].length;
  }
  add(word.slice(kept));
  return length > MAX_LENGTH ? null : parts;
}

/** The text of parts without placeholders; null if there is one. */
export const constant = (parts: readonly Part[]): string | null =>
  parts.some(({ isPlaceholder }) => isPlaceholder) ? null : parts.map(({ text }) => text).join('');

const isPlain = (text: string): boolean => /^[\w.:/?&=%+,;@~-]*$/.test(text);

/** Whether the proxy's check takes it for the placeholder of a file, which it refuses even when quoted. */
export const readsFile = (text: string): boolean => text.includes('{file.');

/** A word of a Caddyfile, quoted if need be; null if it cannot be written. It may have several lines. */
export function wordOf(parts: readonly Part[]): string | null {
  const text = parts.map((part) => part.text).join('');
  if (text !== '' && parts.every((part) => part.isPlaceholder || isPlain(part.text))) return text;
  const own = parts.filter(({ isPlaceholder }) => !isPlaceholder).map((part) => part.text);
  if (own.some(readsFile)) return null;
  if (own.length === parts.length) return isQuotable(text) ? quoted(text) : null;
  // Beside a placeholder, braces take a backslash each, so there may be no others.
  if (!own.every((one) => isQuotable(`${one} `) && !/[\\`]/.test(one))) return null;
  const escaped = parts.map((part) =>
    part.isPlaceholder ? part.text : part.text.replace(/[{}]/g, '\\$&').replaceAll('"', '\\"'),
  );
  return `"${escaped.join('')}"`;
}

/** The same for the request to a service: its path may be another one than the visitor asked for. */
export const originalWordOf = (parts: readonly Part[]): string | null =>
  wordOf(parts.map((part) => (part.isPlaceholder ? { ...part, text: original(part.text) } : part)));

const original = (placeholder: string): string =>
  ({
    '{uri}': '{http.request.orig_uri}',
    '{path}': '{http.request.orig_uri.path}',
    '{query}': '{http.request.orig_uri.query}',
  })[placeholder] ?? placeholder;

/** A text for a sentence: one line, not long, and nothing that hides. */
export const shown = (text: string): string => {
  const line = text
    .slice(0, 60)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '�');
  return line.length < text.length ? `${line}…` : line;
};

/** The nginx text as comments of a Caddyfile. */
export function commented(text: string): string[] {
  const lines = text
    .toWellFormed()
    .replaceAll('\r\n', '\n')
    .replace(/\{(?=\$|upstream\})/g, '{ ')
    .split('\n')
    .map((line) => `# ${line.replace(/(?!\t)[\p{Cc}\u2028\u2029]/gu, '�')}`.trimEnd());
  // After a backslash in a comment, Caddy takes the next line for the same one.
  return lines.at(-1)?.includes('\\') ? [...lines, '#'] : lines;
}
