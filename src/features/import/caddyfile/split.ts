/** Takes a Caddyfile apart into preamble and sites. */

import { isUpstream } from '../../../hub/caddyfile/address.ts';
import { afterLine, onlyArgument } from '../../../hub/caddyfile/directive.ts';
import { countLines, isDirective } from '../../../hub/caddyfile/site.ts';
import { createPauses } from '../../../shared/async.ts';
import { withoutOptions } from '../../../shared/caddyfile/globals.ts';
import { maskPlaceholders, UPSTREAM } from '../../../shared/caddyfile/placeholders.ts';
import { type Block, readBlock } from '../../../shared/caddyfile/structure.ts';
import {
  startsLine,
  type Token,
  type TokenizeOptions,
  tokenize,
  tokenizeInTurns,
} from '../../../shared/caddyfile/tokenizer.ts';
import { optionsLeftOut } from './left-out.ts';

/** A site of a Caddyfile that someone else wrote, as a vhost would hold it. */
export type ImportedSite = { domain: string; config: string; upstream: string };
/** What was left out, and why; `line` of the file. */
export type Skipped = { line: number; reason: string };
type Split = { preamble: string; sites: ImportedSite[]; skipped: Skipped[] };

/** A top-level block with the comments before it. */
type Section = { kind: 'options' | 'shared' | 'site'; text: string; keys: string[] };

/** The first line of a file that signalbox wrote. */
const OWN_HEADER = /^# Written by signalbox;[^\n]*\n+/;

/**
 * Global options, snippets and named routes become the preamble; each site block becomes a vhost,
 * named after its first address. Texts stay as written, comments included. If the file's only site
 * has no braces, it gets them.
 * @returns null if the blocks cannot be told apart
 */
export async function splitCaddyfile(
  file: string,
  options: TokenizeOptions = {},
  pause = createPauses(),
): Promise<Split | null> {
  const header = OWN_HEADER.exec(file)?.[0] ?? '';
  const text = file.slice(header.length).replace(/^\ufeff/, '');
  // Caddy accepts a file whose last closing brace is missing.
  const sections =
    (await readAll(text, options, pause)) ?? (await readAll(`${text}\n}`, options, pause));
  if (!sections) return null;
  const shared = sections.filter(({ kind }) => kind !== 'site').map((one) => tidy(one.text));
  const before = countLines(header) - 1;
  const skipped = optionsLeftOut(text, options).map(({ line, reason }) => ({
    line: before + line,
    reason,
  }));
  const all = shared.join('\n\n');
  const preamble = withoutOptions(all, optionsLeftOut(all, options));
  const sites: ImportedSite[] = [];
  for (const section of sections) {
    if (section.kind === 'site') sites.push(await toSite(section, options, pause));
    await pause();
  }
  return { preamble: /^\s*\{\s*\}\s*$/.test(preamble) ? '' : preamble, sites, skipped };
}

async function readAll(
  text: string,
  options: TokenizeOptions,
  pause: () => Promise<void> | undefined,
) {
  const { masked } = maskPlaceholders(text);
  return sectionsOf(text, await tokenizeInTurns(masked, options, pause), options);
}

/** The top-level blocks of a text, which they fill; null if they cannot be told apart. */
export const readSections = (text: string, options: TokenizeOptions): Section[] | null =>
  sectionsOf(text, tokenize(maskPlaceholders(text).masked, options), options);

function sectionsOf(
  text: string,
  tokens: readonly Token[],
  options: TokenizeOptions,
): Section[] | null {
  const sections: Section[] = [];
  let from = 0;
  for (let index = 0; index < tokens.length; ) {
    const { block } = readBlock(tokens, index, () => false, options.importBlocks);
    if (!block) {
      if (sections.some(({ kind }) => kind === 'site')) return null;
      const bare = bareSite(text, tokens, index, from);
      return bare && [...sections, bare];
    }
    const end = endOf(text, tokens, block);
    const keys = block.keys.map((key) => written(text, key));
    sections.push({ kind: kindOf(keys), text: text.slice(from, end), keys });
    from = end;
    index = block.close + 1;
  }
  const last = sections.at(-1);
  if (last) last.text += text.slice(from);
  return sections;
}

/** A key as it is written, without the comma after it. */
const written = (text: string, key: Token): string =>
  text.slice(key.start, key.end).replace(/,$/, '');

function kindOf(keys: readonly string[]): Section['kind'] {
  const [first] = keys;
  if (first === undefined) return 'options';
  return keys.length === 1 && /^&?\(.*\)$/.test(first) ? 'shared' : 'site';
}

/** The offset after the line of a block's closing brace. */
const endOf = (text: string, tokens: readonly Token[], { close }: Block): number =>
  afterLine(text, tokens[close]?.end ?? text.length, tokens[close + 1]?.start ?? text.length);

/** The only site of a file, without braces: its first line is the addresses, the rest its body. */
function bareSite(
  text: string,
  tokens: readonly Token[],
  first: number,
  from: number,
): Section | null {
  const keys: Token[] = [];
  let more = true;
  let index = first;
  for (; index < tokens.length; index++) {
    const token = tokens[index] as Token;
    if (token.text === '{') return null;
    if (!more && startsLine(tokens, index)) break;
    more = token.text.endsWith(',');
    keys.push(token);
  }
  const last = keys.at(-1);
  if (!last) return null;
  const block = `${text.slice(from, last.end)} {${text.slice(last.end).trimEnd()}\n}\n`;
  return { kind: 'site', text: block, keys: keys.map((key) => written(text, key)) };
}

/** The site as a vhost; the address of its only `reverse_proxy` becomes the vhost's upstream. */
async function toSite(
  { text, keys }: Section,
  options: TokenizeOptions,
  pause: () => Promise<void> | undefined,
): Promise<ImportedSite> {
  const [domain = ''] = keys;
  if (isDirective(domain)) return toSite(withScheme(text, keys), options, pause);
  const config = tidy(text);
  const plain = { domain, config, upstream: '' };
  const tokens = await tokenizeInTurns(maskPlaceholders(config).masked, options, pause);
  const upstreams = tokens.flatMap((_, index) => {
    const target = onlyArgument(tokens, index, 'reverse_proxy', true);
    return target?.quote === '' && isUpstream(target.text) ? [target] : [];
  });
  const [only] = upstreams;
  if (upstreams.length !== 1 || !only || config.includes(UPSTREAM)) return plain;
  const filled = config.slice(0, only.start) + UPSTREAM + config.slice(only.end);
  if (filled.replaceAll(UPSTREAM, () => only.text) !== config) return plain;
  return { ...plain, config: filled, upstream: only.text };
}

/** A host that is named like a directive needs its scheme to be read as a host. */
function withScheme(text: string, [host = '', ...others]: readonly string[]): Section {
  const start = tokenize(text, { most: 1 })[0]?.start ?? 0;
  const domain = `https://${host}`;
  const named = text.slice(0, start) + domain + text.slice(start + host.length);
  return { kind: 'site', text: named, keys: [domain, ...others] };
}

/** Without the blank lines around it. */
const tidy = (text: string) => text.replace(/^(?:[ \t]*\r?\n)+/, '').trimEnd();
