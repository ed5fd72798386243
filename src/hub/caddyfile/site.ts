/** The text of a site: whether it is the body of a block or a whole one, and its lines. Pure. */
import { maskPlaceholders } from '../../shared/caddyfile/placeholders.ts';
import { startsLine, type Token, tokenize } from '../../shared/caddyfile/tokenizer.ts';
import { addressKey } from './address.ts';

/** What a vhost's config is; `addresses` are those of the whole block, in order, as written. */
type SiteForm = { form: 'body' } | { form: 'block'; addresses: string[] };

/**
 * A config is a whole site block if it is a list of addresses that begins with `domain`, and then a
 * `{`. Caddy itself cannot tell an address from a directive: here a directive's name always means
 * the directive, and a host with that name must be written with its scheme.
 */
export function siteForm(domain: string, config: string): SiteForm {
  const addresses = addressList(config);
  const first = addresses?.[0];
  if (!addresses || first === undefined || isDirective(first)) return { form: 'body' };
  if (first !== domain && addressKey(first) !== addressKey(domain)) return { form: 'body' };
  return { form: 'block', addresses };
}

/**
 * The addresses before the first `{` of `text`, without their commas. A list goes on in the next
 * line after a comma at the end of a line.
 * @returns null if no `{` follows them
 */
export function addressList(text: string): string[] | null {
  const masked = `\n${maskPlaceholders(text).masked}`;
  // Most lists are short: only a longer one is worth reading the whole text.
  for (let most = 64; ; most *= 8) {
    const head = masked.slice(0, most * LONG_ADDRESS);
    const tokens = tokenize(head, { most });
    // The last one may go on after the end.
    if (head.length < masked.length) tokens.pop();
    const list = readList(text, tokens);
    if (list !== undefined) return list;
    if (head.length === masked.length && tokens.length < most) return null;
    if (most >= MAX_ADDRESSES) return null;
  }
}

/** Characters; what a word of a list is allowed at first. */
const LONG_ADDRESS = 1_024;

/** Longer lists of addresses are not read as such. */
const MAX_ADDRESSES = 4096;

/** @returns null if no `{` follows the list, undefined if the tokens end before that is certain */
function readList(text: string, tokens: readonly Token[]): string[] | null | undefined {
  const addresses: string[] = [];
  let more = true;
  for (const [index, token] of tokens.entries()) {
    if (token.text === '{') return addresses;
    if (!more && startsLine(tokens, index)) return null;
    more = token.text.endsWith(',');
    const inQuotes = token.quote === '' ? 0 : 1;
    const written = text.slice(token.start - 1 + inQuotes, token.end - 1 - inQuotes);
    // Caddy drops carriage returns, also in the middle of a word.
    addresses.push(written.replace(/\r/g, '').replace(/,$/, ''));
  }
  return undefined;
}

/** A whole site block. @param lines without the tab that each gets; one with several is written as it is */
export const blockOf = (addresses: readonly string[], lines: readonly string[]): string =>
  [`${addresses.join(', ')} {`, ...lines.map((line) => (line === '' ? '' : `\t${line}`)), '}'].join(
    '\n',
  );

/** Whether a word means a directive, or a matcher, even where an address may stand. */
export function isDirective(word: string): boolean {
  return word.startsWith('@') || DIRECTIVES.has(word);
}

/** Every directive of Caddy's standard build, 2.6 to 2.11, and `import`. */
export const DIRECTIVES: ReadonlySet<string> = new Set(
  [
    'abort acme_server basic_auth basicauth bind copy_response copy_response_headers encode error',
    'file_server forward_auth fs handle handle_errors handle_path header import intercept invoke',
    'log log_append log_name log_skip map method metrics php_fastcgi push redir request_body',
    'request_header respond reverse_proxy rewrite root route skip_log templates timeouts tls',
    'tracing try_files uri vars',
  ]
    .join(' ')
    .split(' '),
);

/** `config` with tabs before each line, except for lines that begin inside a token. */
export function indent(config: string, tabs: number): string {
  const by = '\t'.repeat(tabs);
  const inside = insideTokens(config);
  let start = 0;
  return config
    .split('\n')
    .map((line) => {
      const offset = start;
      start += line.length + 1;
      return line.trim() === '' || inside(offset) ? line : by + line;
    })
    .join('\n');
}

/**
 * Whether an offset is inside a token; offsets must be passed in ascending order. Caddy has heredocs
 * from 2.7 on: an offset counts as inside if it is so with or without them.
 */
function insideTokens(config: string): (offset: number) => boolean {
  if (!/["`]|<<|\{\$/.test(config)) return () => false;
  const { masked } = maskPlaceholders(config);
  const views = [false, true].map((heredocs) => {
    // After a line end, as in the block, so that a byte order mark is part of its word.
    const tokens = tokenize(`\n${masked}`, { heredocs });
    let index = 0;
    return (offset: number) => {
      while ((tokens[index]?.end ?? Number.POSITIVE_INFINITY) <= offset + 1) index++;
      return (tokens[index]?.start ?? Number.POSITIVE_INFINITY) < offset + 1;
    };
  });
  return (offset) => views.map((view) => view(offset)).includes(true);
}

export function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && ' \t\r\n'.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

export function countLines(text: string): number {
  let lines = 1;
  for (let lf = text.indexOf('\n'); lf >= 0; lf = text.indexOf('\n', lf + 1)) lines++;
  return lines;
}
