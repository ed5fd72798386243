// proof: hub
/**
 * Every function that is given a Caddyfile of others takes time in proportion to its length: four times the text
 * is not sixteen times the work. One that is not in the table below is called with the text alone.
 */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { cleanWords } from '../../agent/caddy/words.ts';

const FOLDERS = [
  'src/hub/caddyfile',
  'src/shared/caddyfile',
  'src/features/import/caddyfile',
  'agent/caddy/config',
];
const ROOT = join(import.meta.dir, '../..');
const DIALECT = { heredocs: true, versions: new Set<string>() };

const IMPORTS = { dialect: DIALECT, snippets: new Map() };

/** What each gets after the text; null: it runs Caddy, or waits in between and does what another one of these does. */
const OTHERS: Record<string, readonly unknown[] | null> = {
  adaptApart: null,
  afterLine: [0, 5],
  contentOf: [{ from: 0, to: 1_000 }],
  contextOf: ['2.6.2'],
  edited: [[]],
  fillUpstream: ['a:80'],
  findOption: ['admin'],
  globalOptions: [DIALECT],
  guardedBody: [1, 0, [], IMPORTS],
  indent: [1],
  mistakeLine: [5, 'abc'],
  needsOwnProcess: [0],
  notReplaced: ['2.6.2'],
  optionsLeftOut: [DIALECT],
  readImports: [DIALECT],
  readings: [0, [], () => []],
  readOwnTls: null,
  readSections: [DIALECT],
  refusedByNewer: ['2.6.2'],
  segmentsIn: [IMPORTS],
  structuralPlaceholder: [DIALECT],
  replaced: [[], () => ''],
  timeLimit: [5_000],
  toFault: ['', { at: 5, message: '' }],
  tokenizeInTurns: null,
  withValues: [{ a: 'b' }],
  withoutBlock: [5],
  withoutOptions: [[]],
  withTrusted: [['private_ranges']],
};

const repeat = (unit: string) => (size: number) => unit.repeat(Math.ceil(size / unit.length));
const KINDS: Record<string, (size: number) => string> = {
  words: repeat('a '),
  spaces: repeat(' '),
  'carriage returns': repeat('\r'),
  'line separators': repeat('\u2028 '),
  'empty lines': repeat('\n\t'),
  braces: (size) => repeat('a {\n')(size / 2) + repeat('}\n')(size / 2),
  quotes: repeat('"a` '),
  placeholders: repeat('{$A:b} {args[0]} '),
  'open placeholders': repeat('{$A {args '),
  heredocs: repeat('a <<A\nb\nA\n'),
  imports: (size) => `(s) {\n\theader a b\n}\n${repeat('import s a-1 {\n}\n')(size)}`,
  'doubled options': repeat('output uri &(a) log level '),
  'commas and hashes': repeat('a,#b \\\n'),
  'one long word': repeat('a:1-{'),
  places: repeat(' at Caddyfile:1'),
  wrappers: repeat("parsing caddyfile tokens for 'x': open "),
  'open arguments': repeat('{args['),
  'open blocks': repeat('{blocks.'),
  'a long comment': (size) => ' '.repeat(size / 2) + repeat('{$A}')(size / 2),
  'many snippets': (size) =>
    Array.from({ length: size / 40 }, (_, at) => `(s${at}) {\n}\nimport s${at}\n`).join(''),
};

/** CPU time in milliseconds; the least of some runs. */
function costOf(run: () => unknown, runs = 3): number {
  const costs = Array.from({ length: runs }, () => {
    const before = process.cpuUsage();
    try {
      run();
    } catch {
      // A refusal costs, too.
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.min(...costs);
}

const TAKES_TEXT =
  /^export (?:async )?(?:function|const) (\w+)(?: = )?(?:async )?\(\s*(?:text|config|caddyfile|proxyfile|preamble|source): string(?:, |,\s+)?([^)]*)\)/gm;

const found: { name: string; call: (text: string) => unknown }[] = [];
for (const folder of FOLDERS) {
  for (const path of new Bun.Glob(`${folder}/*.ts`).scanSync(ROOT)) {
    const source = await Bun.file(join(ROOT, path)).text();
    const module = await import(join(ROOT, path));
    for (const [, name = '', more = ''] of source.matchAll(TAKES_TEXT)) {
      const others = OTHERS[name];
      if (others === null) continue;
      const isAlone = more
        .split(', ')
        .every((one) => one === '' || /=|\?:/.test(one) || !/^\w+:/.test(one));
      if (others === undefined && !isAlone) throw new Error(`${name} needs its row in the table`);
      found.push({ name, call: (text) => module[name](text, ...(others ?? [])) });
    }
  }
}

// A sentence of Caddy's may quote a word of any length.
found.push({ name: 'cleanWords', call: (text) => cleanWords(text, text) });

test('the table names what there is', () => {
  const names = found.map(({ name }) => name);
  const rows = Object.keys(OTHERS).filter((name) => OTHERS[name] !== null);
  expect(rows.filter((name) => !names.includes(name))).toEqual([]);
  expect(found.length).toBeGreaterThan(30);
});

/** What is over so soon at the greater length cannot be measured, and harms nobody. */
const TOO_SHORT_MS = 80;
/** The clock of a process counts in steps of 4 ms: less than this is measured too low. */
const FLOOR_MS = 10;

describe('in proportion to its length', () => {
  for (const { name, call } of found)
    test(name, () => {
      const tooSlow: string[] = [];
      for (const [kind, textOf] of Object.entries(KINDS)) {
        const [shorter, longer] = [textOf(100_000), textOf(400_000)];
        const cost = costOf(() => call(longer));
        if (cost < TOO_SHORT_MS) continue;
        const less = costOf(() => call(shorter));
        const ratio = cost / Math.max(FLOOR_MS, less);
        if (ratio <= 8) continue;
        // What only looks like it, as memory is collected meanwhile, does not go on so.
        const longest = textOf(1_600_000);
        const further = costOf(() => call(longest), 1) / cost;
        if (further > 8)
          tooSlow.push(`${kind}: ${ratio.toFixed(1)} and ${further.toFixed(1)} times`);
      }
      expect(tooSlow).toEqual([]);
    });
});
