/** Reads the labels of caddy-docker-proxy, which are a Caddyfile in pieces. Pure. */
import { siteForm } from '../../../hub/caddyfile/site.ts';
import { findPlaceholders, UPSTREAM } from '../../../shared/caddyfile/placeholders.ts';
import { isBrace, startsLine, tokenize } from '../../../shared/caddyfile/tokenizer.ts';
import type { SeenContainer } from '../sites.ts';
import {
  addressOf,
  configFor,
  domainIn,
  Fault,
  type Found,
  notConverted,
  quoted,
  type Read,
} from './found.ts';

/** A word as it is written, and as Caddy reads it. */
type Word = { raw: string; text: string };

/** A line of the Caddyfile with what is in its braces; the outermost ones have no name. */
type Block = { order: number; words: Word[]; children: Block[] };

/** The labels that begin with `caddy`, or with `caddy_1`. */
type Group = { name: string; root: Block; addresses: string[]; faults: string[] };

const LABEL = /^(caddy(?:_\d+)?)(?:\.|$)/;
/** `1_name` comes before those without a number; `name_1` is only another one. */
const STEP = /^(?:(\d+)_)?(.+?)(?:_\d+)?$/s;
const MOST_STEPS = 32;

export function caddySites(container: SeenContainer): Read {
  const groups = new Map<string, Group>();
  const blocks = new Map<string, Block>();
  for (const [label, value] of Object.entries(container.labels)) {
    const name = LABEL.exec(label)?.[1];
    if (name === undefined) continue;
    const root = { order: 0, words: [], children: [] };
    const group = groups.get(name) ?? { name, root, addresses: [], faults: [] };
    groups.set(name, group);
    blocks.set(name, group.root);
    try {
      blockAt(label, blocks).words.push(...wordsIn(expanded(value, container, group)));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      group.faults.push(`${label}: ${error.message}`);
    }
  }
  const sites: Found[] = [];
  const notes: string[] = [];
  const unsafe: Read['unsafe'][number][] = [];
  for (const group of groups.values()) {
    const domains = group.root.words.map(({ text }) => text.replace(/,$/, ''));
    try {
      if (isForPreamble(group)) notes.push(...forPreamble(group));
      else sites.push(siteOf(group, domains));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      notes.push(...group.faults, `${group.name}: there is no site of it. ${error.message}`);
      unsafe.push(...domains.map((one) => [one, notConverted(container)] as const));
    }
  }
  return { sites, notes, unsafe };
}

/** The block that a label is about, in those above it. @throws Fault */
function blockAt(label: string, blocks: Map<string, Block>): Block {
  const steps = label.split(/(?<!\\)\./);
  if (steps.length > MOST_STEPS) throw new Fault('Its blocks are too deep.');
  let path = steps[0] ?? '';
  let block = blocks.get(path) as Block;
  for (const step of steps.slice(1)) {
    path += `.${step}`;
    const [, order, name] = STEP.exec(step.replaceAll('\\.', '.')) ?? [];
    if (name === undefined) throw new Fault('A part of its name is empty.');
    const known = blocks.get(path);
    const made = {
      order: order === undefined ? Number.POSITIVE_INFINITY : Number(order),
      words: [{ raw: name, text: name }],
      children: [],
    };
    if (!known) block.children.push(made);
    block = known ?? made;
    blocks.set(path, block);
  }
  return block;
}

const TEMPLATE = /\{\{(.*?)\}\}/gs;
const UPSTREAMS =
  /^\s*upstreams(?:\s+(?<before>https?|h2c))?(?:\s+(?<port>\d{1,5}))?(?:\s+(?<after>https?|h2c))?\s*$/;

/** A value with what its Go templates stand for. @throws Fault */
function expanded(value: string, container: SeenContainer, { addresses }: Group): string {
  const text = value.replace(TEMPLATE, (template, inner: string) => {
    if (/^\s*(?:""|``)\s*$/.test(inner)) return '';
    const { before, port, after } = UPSTREAMS.exec(inner)?.groups ?? {};
    const isKnown = UPSTREAMS.test(inner) && !(before && after);
    if (!isKnown) throw new Fault(`The template ${quoted(template)} is not known here.`);
    const scheme = before ?? after ?? '';
    const address = addressOf(Number(port ?? (scheme === 'https' ? 443 : 80)), scheme, container);
    addresses.push(address);
    return address;
  });
  if (text.includes('{{')) throw new Fault('A template in it has no end.');
  return text;
}

/** @throws Fault */
function wordsIn(value: string): Word[] {
  return tokenize(value).map(({ text, start, end }) => ({ text, raw: value.slice(start, end) }));
}

/** Global options and snippets, which are no sites. */
const isForPreamble = ({ root: { words } }: Group): boolean =>
  words.length === 0 || (words.length === 1 && /^\(.*\)$/s.test(words[0]?.text ?? ''));

/** @throws Fault */
function forPreamble(group: Group): string[] {
  const { root, faults } = group;
  if (faults.length > 0) throw new Fault('It is for the preamble.');
  if (root.children.length === 0) return [];
  const text = [...root.words.map(({ raw }) => raw), `{\n${linesOf(root, 1)}\n}`].join(' ');
  const lines = text.replaceAll('\t', '  ').split('\n');
  return [`${group.name}: this is for the preamble:`, ...lines.map((line) => `  ${line}`)];
}

/** @throws Fault */
function siteOf({ root, addresses, faults }: Group, addressed: readonly string[]): Found {
  if (faults.length > 0) throw new Fault(`It was for ${addressed.join(', ')}.`);
  const domains = addressed.map(domainIn);
  if (root.children.length === 0) throw new Fault('It says nothing but its domain.');
  const [upstream = ''] = addresses;
  const config = configFor(domains, (depth) => linesOf(root, depth, upstream));
  const { form } = siteForm(domains[0] ?? '', config);
  if ((form === 'block') !== domains.length > 1) throw new Fault('It looks like several sites.');
  return { domains, config, upstream, lines: linesOf(root, 0, upstream), notes: [] };
}

/** What is in the braces of a block, in the order of caddy-docker-proxy. @throws Fault */
function linesOf({ children }: Block, depth: number, upstream = ''): string {
  return children
    .toSorted(inOrder)
    .map((child) => {
      const indent = '\t'.repeat(depth);
      const line = `${indent}${lineOf(child, upstream)}`;
      if (child.children.length === 0) return line;
      return `${line} {\n${linesOf(child, depth + 1, upstream)}\n${indent}}`;
    })
    .join('\n');
}

/** @throws Fault if Caddy would not read these words */
function lineOf({ words }: Block, upstream: string): string {
  const line = words.map(({ raw }) => raw).join(' ');
  const texts = words.map(({ text }) => text);
  const tokens = tokenize(`${line}\nnext`, { heredocs: true });
  const isSame =
    Bun.deepEquals(
      tokens.map(({ text }) => text),
      [...texts, 'next'],
    ) && tokens.every((_, at) => startsLine(tokens, at) === (at === 0 || at === texts.length));
  // Since 2.8, that begins a text of several lines.
  const isHeredoc = texts.some((text) => text.startsWith('<<'));
  const isOpen = findPlaceholders(line).open !== null;
  if (
    !isSame ||
    isHeredoc ||
    isOpen ||
    tokens.some(isBrace) ||
    line.includes(UPSTREAM) ||
    !isPlain(line)
  ) {
    throw new Fault(`${quoted(line)} is no line of a Caddyfile.`);
  }
  return words.map(({ raw }) => (upstream !== '' && raw === upstream ? UPSTREAM : raw)).join(' ');
}

/** Control characters but those that a text may have. */
const isPlain = (text: string): boolean => !/(?![\t\n])\p{Cc}/u.test(text) && text.isWellFormed();

/** By number, by words, and then by what is within. */
function inOrder(a: Block, b: Block): number {
  if (a.order !== b.order) return a.order < b.order ? -1 : 1;
  for (const [at, { text }] of a.words.entries()) {
    const other = b.words[at]?.text;
    if (other === undefined) return 1;
    if (text !== other) return text < other ? -1 : 1;
  }
  return a.words.length - b.words.length;
}
