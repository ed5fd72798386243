/**
 * A YAML document as a tree of texts, lists and maps, each with its line: a text is as it is written, so that a
 * schema decides what it is. Pure.
 */
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  type YAMLMap,
} from 'yaml';
import { MAX_DEPTH, type Mistake, parserMistakes, TOO_DEEP, unprintables } from './slips.ts';

type Place = { line: number; height: number };
export type Text = Place & {
  kind: 'text';
  text: string;
  /** Neither in quotes nor a block. */
  isPlain: boolean;
  /** Where the text itself begins if its lines are lines of the file. */
  firstLine: number | null;
  /** Whether lines of the file become one in it. */
  isFolded: boolean;
};
type List = Place & { kind: 'list'; items: readonly Tree[] };
export type Entry = { line: number; value: Tree };
export type Dict = Place & { kind: 'map'; entries: ReadonlyMap<string, Entry> };
/** What is a mistake already. */
type Broken = Place & { kind: 'broken' };
/** What an alias stands for is there once: the same object in several places. */
export type Tree = Text | List | Dict | Broken;

/** Bytes of a file. */
export const MAX_FILE = 1024 * 1024;
/** Keys that are merged into other maps. */
const MAX_COPIED = 200_000;

/** The tree is null if there are mistakes that leave none. */
export function readTree(text: string): { tree: Tree | null; mistakes: Mistake[] } {
  const unprintable = unprintables(text);
  if (unprintable.length > 0) return { tree: null, mistakes: unprintable };
  const lines = new LineCounter();
  // By this schema, everything is a text.
  const options = { schema: 'failsafe', merge: false, uniqueKeys: false } as const;
  const document = parseDocument<Node>(text, {
    ...options,
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'error',
  });
  const lineOf = (offset: number) => lines.linePos(offset).line;
  const { contents, errors } = document;
  const directive = /^%/m.exec(text.slice(0, contents?.range?.[0] ?? text.length));
  if (directive) return failed(lineOf(directive.index), 'a directive (%) is not supported');
  if (errors.length > 0) {
    return { tree: null, mistakes: parserMistakes(errors, text, lineOf) };
  }
  if (contents === null) return failed(1, 'the file is empty');
  return treeOf(contents, text, lineOf);
}

const failed = (line: number, words: string) => ({
  tree: null,
  mistakes: [{ line, path: [], words }],
});

function treeOf(root: Node, text: string, lineOf: (offset: number) => number) {
  const mistakes: Mistake[] = [];
  /** Null while what has the anchor is being read. */
  const anchors = new Map<string, Tree | null>();
  let copied = 0;

  function read(node: Node | null, line: number, path: readonly string[]): Tree {
    const here = node?.range ? lineOf(node.range[0]) : line;
    const wrong = (words: string, at = path): Tree => {
      mistakes.push({ line: here, path: at, words });
      return { kind: 'broken', line: here, height: 0 };
    };
    if (node === null) return plain(here, '');
    if (path.length > MAX_DEPTH) return wrong(TOO_DEEP, []);
    if (isAlias(node)) {
      const { source } = node;
      const no = anchors.has(source)
        ? `&${source} contains itself`
        : `there is no &${source} above; a text that begins with * needs quotes`;
      return anchors.get(source) ?? wrong(no);
    }
    if (node.tag !== undefined) return wrong(`a tag such as ${tagOf(node)} is not supported`);
    const { anchor } = node;
    if (anchor !== undefined) anchors.set(anchor, null);
    const tree = bare(node, here, path);
    if (tree === null) return wrong('it is neither a text nor a list nor a map');
    // What was cut off above counts too.
    if (tree.height > MAX_DEPTH + 1) return wrong(TOO_DEEP, []);
    if (anchor !== undefined) anchors.set(anchor, tree);
    return tree;
  }

  function bare(node: Node, line: number, path: readonly string[]): Tree | null {
    if (isScalar(node)) {
      const firstLine = node.type === 'BLOCK_LITERAL' ? line + 1 : null;
      const isPlain = node.type === 'PLAIN';
      const [from = 0, to = 0] = node.range ?? [];
      // The first line of a block is its `>`.
      const written = text
        .slice(from, to)
        .trimEnd()
        .split('\n', 3)
        .slice(node.type === 'BLOCK_FOLDED' ? 1 : 0);
      const isFolded = node.type !== 'BLOCK_LITERAL' && written.length > 1;
      return { ...plain(line, String(node.value)), isPlain, firstLine, isFolded };
    }
    if (isSeq<Node | null>(node)) {
      const items = node.items.map((item, at) => read(item, line, [...path, String(at)]));
      return { kind: 'list', line, height: heightOver(items), items };
    }
    if (!isMap<Node | null, Node | null>(node)) return null;
    const entries = entriesOf(node, line, path);
    const values = [...entries.values()].map(({ value }) => value);
    return { kind: 'map', line, height: heightOver(values), entries };
  }

  function entriesOf(
    { items }: YAMLMap<Node | null, Node | null>,
    mapLine: number,
    path: readonly string[],
  ): Map<string, Entry> {
    const entries = new Map<string, Entry>();
    const merged = new Map<string, Entry>();
    for (const { key, value } of items as Pair<Node | null, Node | null>[]) {
      const line = key?.range ? lineOf(key.range[0]) : mapLine;
      const wrong = (words: string, at: readonly string[] = path) =>
        void mistakes.push({ line, path: at, words });
      if (!isScalar(key) || key.tag !== undefined) {
        wrong('a key must be a text');
        continue;
      }
      const name = String(key.value);
      const within = [...path, name];
      const tree = read(value, line, within);
      const known = entries.get(name);
      if (name === '<<' && key.type === 'PLAIN') {
        const from = isAlias(value)
          ? [tree]
          : isSeq(value) && tree.kind === 'list'
            ? tree.items
            : [];
        const isSimple =
          (isAlias(value) || (isSeq(value) && value.items.every(isAlias))) &&
          from.every(({ kind }) => kind === 'map' || kind === 'broken');
        if (!isSimple) wrong('<<: merges a map by its alias, such as <<: *name', within);
        for (const one of from) {
          if (one.kind !== 'map') continue;
          copied += one.entries.size;
          if (copied > MAX_COPIED) {
            wrong(`maps with more than ${MAX_COPIED} keys in all are merged`, within);
            break;
          }
          for (const [each, entry] of one.entries) if (!merged.has(each)) merged.set(each, entry);
        }
      } else if (name === '__proto__' || name === '')
        wrong(`${name || "''"} cannot be a key`, path);
      else if (known) wrong(`occurs twice; first in line ${known.line}`, within);
      else entries.set(name, { line, value: tree });
      if (key.anchor !== undefined) anchors.set(key.anchor, bare(key, line, []));
    }
    for (const [name, entry] of merged) if (!entries.has(name)) entries.set(name, entry);
    return entries;
  }

  const tree = read(root, 1, []);
  return { tree, mistakes };
}

const plain = (line: number, text: string): Text => ({
  kind: 'text',
  line,
  height: 0,
  text,
  isPlain: true,
  firstLine: null,
  isFolded: false,
});

/** As it is written. */
const tagOf = ({ tag = '' }: Node): string => tag.replace(/^tag:yaml\.org,2002:/, '!!');

const heightOver = (trees: readonly Tree[]): number =>
  trees.reduce((most, { height }) => Math.max(most, height + 1), 1);
