import { adminOption, withoutOption } from '../../shared/caddyfile/globals.ts';
import { maskPlaceholders, UPSTREAM } from '../../shared/caddyfile/placeholders.ts';
import { type Block, readBlock } from '../../shared/caddyfile/structure.ts';
import {
  startsLine,
  type Token,
  type TokenizeOptions,
  tokenize,
} from '../../shared/caddyfile/tokenizer.ts';
import { isUpstream } from './address.ts';

/** A site of somebody's Caddyfile as a vhost would hold it. */
export type ImportedSite = { domain: string; config: string; upstream: string };
/** What was left out because it changes nothing; `line` as in the file. */
export type Skipped = { line: number; reason: string };
export type Split = { preamble: string; sites: ImportedSite[]; skipped: Skipped[] };

/** A top-level part of the file: its text with the comments before it, and what it is. */
type Part = { kind: 'options' | 'shared' | 'site'; text: string; keys: string[] };

/** Our own first line, when a file that we wrote comes back. */
const OWN_HEADER = /^# Written by signalbox;[^\n]*\n+/;

/**
 * Takes a Caddyfile apart: global options, snippets and named routes become the preamble, each site
 * block a vhost named after its first address. Texts stay as written, comments included. A file
 * whose one site has no braces gets them. Null where the blocks cannot be told.
 */
export function splitCaddyfile(file: string, options: TokenizeOptions = {}): Split | null {
  const header = OWN_HEADER.exec(file)?.[0] ?? '';
  const text = file.slice(header.length).replace(/^\ufeff/, '');
  // Caddy forgives a last brace that is missing.
  const parts = readParts(text, options) ?? readParts(`${text}\n}`, options);
  if (!parts) return null;
  const shared = parts.filter(({ kind }) => kind !== 'site').map((part) => tidy(part.text));
  const skipped: Skipped[] = [];
  let preamble = shared.join('\n\n');
  const admin = adminOption(text);
  const here = adminOption(preamble);
  if (admin && here) {
    preamble = withoutOption(preamble, here);
    const line = header.split('\n').length - 1 + admin.line;
    skipped.push({ line, reason: 'admin: signalbox sets the admin endpoint itself' });
  }
  const sites = parts.filter(({ kind }) => kind === 'site').map((part) => toSite(part, options));
  return { preamble: /^\s*\{\s*\}\s*$/.test(preamble) ? '' : preamble, sites, skipped };
}

function readParts(text: string, options: TokenizeOptions): Part[] | null {
  const { masked } = maskPlaceholders(text);
  const tokens = tokenize(masked, options);
  const parts: Part[] = [];
  let from = 0;
  for (let index = 0; index < tokens.length; ) {
    const { block } = readBlock(tokens, index, () => false);
    if (!block) {
      const bare =
        parts.every(({ kind }) => kind !== 'site') && bareSite(text, tokens, index, from);
      return bare ? [...parts, bare] : null;
    }
    const end = endOf(text, tokens, block);
    const keys = block.keys.map((key) => text.slice(key.start, key.end).replace(/,$/, ''));
    parts.push({ kind: kindOf(keys), text: text.slice(from, end), keys });
    from = end;
    index = block.close + 1;
  }
  const last = parts.at(-1);
  if (last) last.text += text.slice(from);
  return parts;
}

function kindOf(keys: readonly string[]): Part['kind'] {
  const [first] = keys;
  if (first === undefined) return 'options';
  return keys.length === 1 && /^&?\(.*\)$/.test(first) ? 'shared' : 'site';
}

/**
 * Behind the line of a block's closing brace, with the comment that may stand there: a backslash
 * in a comment takes the next line into it.
 */
function endOf(text: string, tokens: readonly Token[], { close }: Block): number {
  const start = tokens[close]?.end ?? text.length;
  const next = tokens[close + 1]?.start ?? text.length;
  let end = text.indexOf('\n', start);
  while (end >= 0 && end < next && text.slice(start, end).includes('\\')) {
    const line = text.indexOf('\n', end + 1);
    if (!text.slice(end + 1, line < 0 ? undefined : line).includes('\\')) {
      end = line;
      break;
    }
    end = line;
  }
  return end < 0 || end >= next ? next : end + 1;
}

/** The one site of a file without braces: its addresses are the first line, the rest its body. */
function bareSite(
  text: string,
  tokens: readonly Token[],
  index: number,
  from: number,
): Part | null {
  const keys: Token[] = [];
  let at = index;
  let more = true;
  for (; at < tokens.length; at++) {
    const token = tokens[at] as Token;
    if (at > index && !more && startsLine(tokens, at)) break;
    if (token.text === '{') return null;
    more = token.text.endsWith(',');
    keys.push(token);
  }
  const last = keys.at(-1);
  if (!last || tokens[at]?.text === '{') return null;
  const names = keys.map((key) => text.slice(key.start, key.end).replace(/,$/, ''));
  const block = `${text.slice(from, last.end)} {${text.slice(last.end).trimEnd()}\n}\n`;
  return { kind: 'site', text: block, keys: names };
}

function toSite({ text, keys }: Part, options: TokenizeOptions): ImportedSite {
  const config = tidy(text);
  const plain = { domain: keys[0] ?? '', config, upstream: '' };
  const { masked } = maskPlaceholders(config);
  const tokens = tokenize(masked, options);
  const found = tokens.flatMap((token, index) => {
    const [target, next] = [tokens[index + 1], tokens[index + 2]];
    const alone =
      token.text === 'reverse_proxy' &&
      startsLine(tokens, index) &&
      target !== undefined &&
      !startsLine(tokens, index + 1) &&
      (next === undefined || startsLine(tokens, index + 2) || next.text === '{');
    return alone && target.quote === '' && isUpstream(target.text) ? [target] : [];
  });
  const [only] = found;
  if (found.length !== 1 || !only || config.includes(UPSTREAM)) return plain;
  const filled = config.slice(0, only.start) + UPSTREAM + config.slice(only.end);
  if (filled.replaceAll(UPSTREAM, () => only.text) !== config) return plain;
  return { ...plain, config: filled, upstream: only.text };
}

/** Without the blank lines around it. */
const tidy = (text: string) => text.replace(/^(?:[ \t]*\r?\n)+/, '').trimEnd();
