/** Turns words of nginx, with variables in them, into words of a Caddyfile. Pure. */
import { isQuotable, quoted } from '../../../../hub/recipes/quote.ts';

/** What of a word is a placeholder of Caddy, and what is plain text. */
type Part = { text: string; isPlaceholder: boolean };

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

/** More than people write in one word. */
const MAX_LENGTH = 4_000;

const VARIABLE = /\$(?:\{(\w+)\}|(\w+))|\$/g;

/** Caddy's placeholder for a variable of nginx; null if there is none. */
function placeholderOf(name: string): string | null {
  if (Object.hasOwn(PLACEHOLDERS, name)) return PLACEHOLDERS[name] ?? null;
  const header = /^http_([a-z0-9_]+)$/.exec(name)?.[1];
  // Go takes these away before Caddy sees them.
  const isKnown = header !== undefined && !/^(?:transfer_encoding|trailer)$/.test(header);
  return !isKnown ? null : `{header.${header.replaceAll('_', '-')}}`;
}

/** The parts of a word; null if it is too long, or there is a variable that Caddy has no placeholder for. */
export function expanded(word: string): readonly Part[] | null {
  if (word.length > MAX_LENGTH) return null;
  const parts: Part[] = [];
  let end = 0;
  const addText = (text: string) => {
    if (text !== '') parts.push({ text, isPlaceholder: false });
  };
  for (const found of word.matchAll(VARIABLE)) {
    const text = placeholderOf((found[1] ?? found[2] ?? '').toLowerCase());
    if (text === null) return null;
    addText(word.slice(end, found.index));
    parts.push({ text, isPlaceholder: true });
    end = found.index + found[0].length;
  }
  addText(word.slice(end));
  return parts;
}

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
