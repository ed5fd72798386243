/** The change of a site that cures it, as an operation. Pure. */

import { serviceAt } from '../../hub/caddyfile/address.ts';
import type { AnyOperation } from '../../hub/model/any-operation.ts';
import type { Vhost } from '../../hub/model/vhost.ts';
import { type Edit, edited } from '../../shared/caddyfile/globals.ts';
import { maskPlaceholders, UPSTREAM } from '../../shared/caddyfile/placeholders.ts';
import { startsLine, type Token, tokenize } from '../../shared/caddyfile/tokenizer.ts';
import type { Change } from './facts.ts';

type Texts = Pick<Vhost, 'config' | 'upstream'>;

/** Null if the config is not so simple that it could be changed without a doubt. */
function changedTexts({ config, upstream }: Texts, change: Change): Texts | null {
  const line = proxyLine(config, upstream, change.address);
  if (line === null) return null;
  const { target, isField } = line;
  const old = isField ? upstream : target.text;
  const next = readdressed(old, change);
  const inside = linesFor(change, line);
  if (inside === null) return null;
  const edits: Edit[] = [];
  if (!isField && next !== old) edits.push({ start: target.start, end: target.end, text: next });
  edits.push(...inside);
  const text = edited(
    config,
    edits.toSorted((a, b) => a.start - b.start),
  );
  const isSame = text === config && (!isField || next === upstream);
  return isSame ? null : { config: text, upstream: isField ? next : upstream };
}

/** @param operation that leads to the vhost; null: it is stored already */
export function operationFor(
  vhost: Vhost,
  operation: AnyOperation | null,
  change: Change,
): AnyOperation | null {
  const texts = changedTexts(vhost, change);
  if (texts === null) return null;
  const fields = {
    ...(texts.config !== vhost.config && { config: texts.config }),
    ...(texts.upstream !== vhost.upstream && { upstream: texts.upstream }),
  };
  if (operation?.op === 'create') return { ...operation, ...fields };
  if (operation?.op === 'update') return { ...operation, ...fields };
  return operation === null ? { op: 'update', id: vhost.id, ...fields } : null;
}

type ProxyLine = {
  /** The word that names the upstream. */
  target: Token;
  /** Whether that is the field, and not the config. */
  isField: boolean;
  /** The brace after it that opens its block; null: there is none. */
  open: Token | null;
  /** The lines of its block, by their first words. */
  block: readonly Token[];
  /** What begins the lines of its block. */
  indent: string;
  config: string;
};

/** The `reverse_proxy` with this upstream and no other; null if there is not exactly one. */
function proxyLine(config: string, upstream: string, address: string): ProxyLine | null {
  const { masked } = maskPlaceholders(config);
  const tokens = tokenize(masked);
  const service = serviceAt(address);
  const lines = tokens.flatMap((token, index): ProxyLine[] => {
    if (token.text !== 'reverse_proxy' || !startsLine(tokens, index)) return [];
    const words: Token[] = [];
    let at = index + 1;
    for (; at < tokens.length && !startsLine(tokens, at); at++) {
      const word = tokens[at];
      if (word) words.push(word);
    }
    const open = words.at(-1)?.text === '{' ? (words.pop() ?? null) : null;
    const targets = words.filter((one, place) => place > 0 || !/^[@/*]/.test(one.text));
    const [target, other] = targets;
    if (!target || other) return [];
    const written = config.slice(target.start, target.end);
    const isField = written === UPSTREAM;
    if (serviceAt(isField ? upstream : written) !== service) return [];
    const own = { ...target, text: written };
    const from = config.lastIndexOf('\n', token.start) + 1;
    const margin = /^[ \t]*/.exec(config.slice(from))?.[0] ?? '';
    const block = open ? blockFrom(tokens, at) : [];
    return [{ target: own, isField, open, block, indent: `${margin}\t`, config }];
  });
  return lines.length === 1 ? (lines[0] ?? null) : null;
}

/** The tokens of a block, without the brace that closes it. */
function blockFrom(tokens: readonly Token[], from: number): Token[] {
  let depth = 1;
  const inside: Token[] = [];
  for (const token of tokens.slice(from)) {
    if (token.text === '{') depth++;
    if (token.text === '}') depth--;
    if (depth === 0) break;
    inside.push(token);
  }
  return inside;
}

/** The upstream with another scheme or address. */
function readdressed(old: string, { scheme, to }: Change): string {
  const [, had = '', rest = old] = /^((?:https?|h2c):\/\/)?(.*)$/is.exec(old) ?? [];
  if (to !== undefined) return `${had}${to}`;
  if (scheme === undefined) return old;
  // Without a port, the scheme says which.
  const port = had !== '' && !/:\d+$/.test(rest) ? (/^https/i.test(had) ? ':443' : ':80') : '';
  return `${scheme}://${rest}${port}`;
}

const OF_TLS = /^tls(?:_|$)/;

/** What comes into the block, or leaves it; null if that is not plain. */
function linesFor(change: Change, line: ProxyLine): Edit[] | null {
  const { block, indent } = line;
  const words = block.map(({ text }) => text);
  if (change.scheme === 'http' || change.scheme === 'h2c') {
    // Caddy refuses options of TLS for plain HTTP.
    return words.some((word) => OF_TLS.test(word)) ? withoutTls(line) : [];
  }
  const lines: string[] = [];
  if (change.unverified && !words.includes('tls_insecure_skip_verify')) {
    if (words.includes('transport')) return intoTransport(line);
    lines.push('transport http {', '\ttls_insecure_skip_verify', '}');
  }
  if (change.ownHost) {
    if (words.some((word) => /^[+-]?host$/i.test(word))) return null;
    lines.push('header_up Host {upstream_hostport}');
  }
  if (lines.length === 0) return [];
  const text = lines.map((one) => `${indent}${one}\n`).join('');
  const { open, target } = line;
  if (open) return [{ start: open.end, end: open.end, text: `\n${text.trimEnd()}` }];
  return [{ start: target.end, end: target.end, text: ` {\n${text}${indent.slice(1)}}` }];
}

/** Into the block of `transport http {`. */
function intoTransport({ block, indent }: ProxyLine): Edit[] | null {
  const at = block.findIndex(({ text }) => text === 'transport');
  const [kind, brace] = [block[at + 1], block[at + 2]];
  if (kind?.text !== 'http' || brace?.text !== '{') return null;
  return [{ start: brace.end, end: brace.end, text: `\n${indent}\ttls_insecure_skip_verify` }];
}

/** Takes the whole lines away that are about TLS. */
function withoutTls({ block, config }: ProxyLine): Edit[] {
  return block.flatMap((token, index): Edit[] => {
    if (!OF_TLS.test(token.text) || !startsLine(block, index)) return [];
    const start = config.lastIndexOf('\n', token.start) + 1;
    const end = config.indexOf('\n', token.end);
    return [{ start, end: end < 0 ? config.length : end + 1, text: '' }];
  });
}
