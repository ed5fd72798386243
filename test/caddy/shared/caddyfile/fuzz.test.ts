import { expect, test } from 'bun:test';
import { normalizeDomain } from '../../../../src/hub/caddyfile/address.ts';
import { locate, render } from '../../../../src/hub/caddyfile/render.ts';
import { checkConfig } from '../../../../src/shared/caddyfile/check.ts';
import { dialectOf } from '../../../../src/shared/caddyfile/dialect.ts';
import { expandPlaceholders } from '../../../../src/shared/caddyfile/placeholders.ts';
import { checkPreamble, snippetNames } from '../../../../src/shared/caddyfile/preamble.ts';
import { readBlock } from '../../../../src/shared/caddyfile/structure.ts';
import { startsLine, tokenize } from '../../../../src/shared/caddyfile/tokenizer.ts';
import { type AdaptedJson, startAdaptCaddy } from '../../../harness/adapt-caddy.ts';
import { versionOf } from '../../../harness/caddys.ts';
import { forFile } from '../../../harness/for-file.ts';
import { some } from '../../../harness/full.ts';
import { type Random, seededRandom } from '../../../harness/random.ts';
import { words } from '../../../harness/words.ts';

/** How long each comparison runs; by default all together take about five seconds. */
const SECONDS = some(2, 5, 'FUZZ_SECONDS') / 5;
/** Documents that Caddy must accept for a comparison to mean anything, even on a busy machine. */
const ENOUGH = 20;
const SEED = Number(process.env.FUZZ_SEED ?? 20_260_101);

/** Caddy's variables; all others in the documents are unset. */
const ENVIRONMENT = { SET: 'word', EMPTY: '' };

const ODDITIES = [
  ...words(`
    " " { } # << < , $ : ( ) & é a x "" {} {x} {$SET} {$EMPTY} {$NONE} {$NONE:d} {$ {$} {$EMPTY:}
    {$NONE:"} {$NONE:#} {$NONE:{} {$SET:"} E <<< {upstream} "{" "}"
  `),
  '`',
  '\\',
  '\\',
  '\n',
  '\n',
  '\n',
  ' ',
  ' ',
  ' ',
  '\t',
  '\r',
  '\r\n',
  '\\\n',
  '\\\r\n',
  '# c\\',
  '# c',
  '\u0085',
  '\u00a0',
  '\u2003',
  '\u2028',
  '\u3000',
  '\ufeff',
  '\v',
  '\f',
  '\u200b',
  '😀',
  'b c',
  '"q r"',
  '`s t`',
  '\\"',
  '}\n',
  '{\n',
  ' {\n',
  '\n}\n',
  '{$NONE:d e}',
  '{$NONE:\n}',
  '{$NONE:`}',
  '{$NONE:\\}',
  '<<E\n',
  '<<E\n',
  '\nE',
  '\n\tE\n',
  '<<E\n}\nE',
  '\\<<E\n',
  '<\\<',
  '<<E\r\n\tx\r\n\tE',
  '{$NONE:"q r"}',
  '{$NONE: }',
  '{$EMPTY:x }',
  '`}`',
  '`{`',
] as [string, ...string[]];

const LINES = [
  '\n',
  '\n\t',
  '\n}\n',
  ' {\n',
  '\nrespond a',
  '\nrespond ',
  '\nhandle {\n',
  '\nheader X ',
  '\nlog',
  '\nhttp://evil.example {\n',
  '\n} http://evil.example {\n',
  'http://evil.example',
  '\nimport ',
  '\nimport s',
  '\nimport s x',
  '\nimport e',
  '\nimport s "}"',
  '\nimport /x*',
  '\n@m path a\n',
  '\nroute {\nrespond b\n}\n',
  '\n{\n',
  '\n}',
  '\n"}"\n',
  '\nencode gzip {\n',
  '\nimport b {\n',
  '\nimport b {\nk {\n',
  '\nk x\n',
  '\nk {\nrespond c\n}\n',
  '\n} x\n',
  '\nx { y\n',
  '\nrespond <<E\n}\nhttp://evil.example {\nrespond x\nE',
  '\nk import /x\n',
  '{blocks.k}',
  '{block}',
  '{$NONE:import} ',
  '{$EMPTY} import ',
  '\n{$NONE}',
  '\n{$EMPTY} {\n',
  '\n{$NONE:log}\n',
] as [string, ...string[]];

function hostile(random: Random, most: number): string {
  const length = 1 + random.below(most);
  return Array.from({ length }, () => random.pick(random.below(2) ? ODDITIES : LINES)).join('');
}

/** Mostly valid directives, so that Caddy gets past them, with something hostile in between. */
function disguised(random: Random): string {
  const odd = () => Array.from({ length: random.below(4) }, () => random.pick(ODDITIES)).join('');
  const line = (): string =>
    random.pick<() => string>([
      () => `header X a${odd()}`,
      () => `header X ${odd()}a`,
      () => `respond "a${odd()}"`,
      () => `@m${random.below(1e6)} path a ${odd()}`,
      () => `handle /a {\n${line()}\n}`,
      () => `route${odd()} {\n${line()}\n}`,
      () => `import s a ${odd()}b`,
      () => `# ${odd()}`,
      () => `respond <<E\n\t${odd()}\n\tE`,
      () => `import b {\n${odd()}k {\n${line()}\n}\n}`,
      () => `handle {\nimport b {\n${line()}\n}\n}`,
      () => `header {\nX ${odd()}\n}`,
      () => odd(),
    ])();
  return Array.from({ length: 1 + random.below(3) }, line).join('\n');
}

/** For so long, and on a busy machine until it was often enough. */
async function repeat(seed: number, round: (random: Random) => Promise<boolean>): Promise<number> {
  const random = seededRandom(seed);
  const end = performance.now() + SECONDS * 1000;
  let counted = 0;
  while (performance.now() < end || counted <= ENOUGH) if (await round(random)) counted++;
  return counted;
}

/** Each host of an adapted document, with everything that answers for it. */
function hostsOf(json: AdaptedJson): Map<string, string> {
  const hosts = new Map<string, string>();
  for (const server of Object.values(json.apps?.http?.servers ?? {})) {
    for (const { match, handle } of server.routes ?? []) {
      const names = match?.flatMap(({ host }) => (Array.isArray(host) ? host : [])) ?? [];
      for (const name of names.length ? names : ['(any)']) {
        hosts.set(String(name), (hosts.get(String(name)) ?? '') + JSON.stringify(handle));
      }
    }
  }
  return hosts;
}

const site = (id: number, domain: string, config: string) => ({
  id,
  domain,
  config,
  upstream: 'h2c://up:1',
  enabled: true,
  guards: [],
});
const LEFT = site(1, 'http://left.example', 'respond marker-left');
const RIGHT = site(3, 'http://right.example', 'respond marker-right');
const SNIPPETS = '(s) {\n\theader X {args.0}\n\thandle {\n\t\trespond {args.1}\n\t}\n}\n(e) {\n}\n';
const BLOCKS = '(b) {\n\theader Y z\n\thandle {\n\t\t{block}\n\t}\n\t{blocks.k}\n}\n';

const caddy = await forFile(startAdaptCaddy(ENVIRONMENT));

const dialect = dialectOf(versionOf('caddy'));
const PREAMBLE = dialect.importBlocks ? SNIPPETS + BLOCKS : SNIPPETS;

test('a config that passes never changes its neighbours', async () => {
  expect(checkPreamble(PREAMBLE, dialect)).toBeNull();
  const snippets = snippetNames(PREAMBLE, dialect);
  const alone = await caddy.adapt(render(PREAMBLE, [LEFT, RIGHT]).text);
  if (!alone.ok) throw new Error(alone.error);
  const expected = hostsOf(alone.json);

  const passed = await repeat(SEED, async (random) => {
    const block = random.below(3) === 0;
    const inner = random.below(3) ? disguised(random) : hostile(random, 7);
    const config = block ? `http://mine.example {\n${inner}\n}${hostile(random, 1)}` : inner;
    if (checkConfig(config, block ? 'block' : 'body', { snippets, ...dialect })) return false;
    const mine = site(2, 'http://mine.example', config);
    const rendered = render(PREAMBLE, [LEFT, mine, RIGHT]);
    const adapted = await caddy.adapt(rendered.text);
    const shown = JSON.stringify(config);
    if (!adapted.ok) {
      // Its own directives may be nonsense, but the error must be about them, not the neighbours.
      const { error } = adapted;
      const line = Number(/Caddyfile:(\d+)/.exec(error)?.[1] ?? 0);
      const foreign = [1, 3].includes(locate(rendered, line)?.id ?? 2);
      const shifted = /\{\$[^}]*\n/.test(config);
      const wrong = /left|right|File to import/.test(error) || (foreign && !shifted) ? error : '';
      expect({ shown, wrong }).toEqual({ shown, wrong: '' });
      return false;
    }
    const hosts = hostsOf(adapted.json);
    for (const name of ['left.example', 'right.example']) {
      expect({ shown, handle: hosts.get(name) }).toEqual({ shown, handle: expected.get(name) });
    }
    const others = [...hosts.keys()].filter(
      (name) => !expected.has(name) && name !== 'mine.example',
    );
    expect({ shown, others }).toEqual({ shown, others: [] });
    return true;
  });
  expect(passed).toBeGreaterThan(ENOUGH);
});

test('arguments are the same as in Caddy', async () => {
  const compared = await repeat(SEED + 1, async (random) => {
    const pieces = Array.from({ length: 1 + random.below(8) }, () => random.pick(ODDITIES));
    const text = `http://x.example {\n@m path ${pieces.join('')}\nrespond @m x\n}\n`;
    const adapted = await caddy.adapt(text);
    if (!adapted.ok) return false;
    const seen = /"match":\[\{"path":(\[.*?\])\}\]\}/.exec(adapted.text)?.[1];
    const tokens = tokenize(expandPlaceholders(text, ENVIRONMENT), dialect);
    let end = 4;
    while (end < tokens.length && !startsLine(tokens, end)) end++;
    const words = tokens.slice(4, end).map((token) => token.text);
    if (seen === undefined || words.includes('{')) return false;
    expect({ text, words }).toEqual({ text, words: JSON.parse(seen) as string[] });
    return true;
  });
  expect(compared).toBeGreaterThan(ENOUGH);
});

test('line numbers are the same as in Caddy', async () => {
  const compared = await repeat(SEED + 2, async (random) => {
    const pieces = Array.from({ length: 1 + random.below(8) }, () => random.pick(ODDITIES));
    const text = `http://x.example {\nheader ${pieces.join('')}\n\nzzz\n}\n`;
    const adapted = await caddy.adapt(text);
    const line = /Caddyfile:(\d+): unrecognized directive: zzz/.exec(
      adapted.ok ? '' : adapted.error,
    );
    if (!line) return false;
    const tokens = tokenize(expandPlaceholders(text, ENVIRONMENT), dialect);
    const found = tokens.find((token) => token.text === 'zzz')?.line;
    expect({ text, found }).toEqual({ text, found: Number(line[1]) });
    return true;
  });
  expect(compared).toBeGreaterThan(ENOUGH);
});

test('blocks begin and end where they do in Caddy', async () => {
  const compared = await repeat(SEED + 3, async (random) => {
    const sites = Array.from({ length: 1 + random.below(3) }, (_, index) => {
      const inner = random.below(2) ? `\n${random.pick(LINES)}\n` : '';
      return `http://h${index}.example${random.pick([' ', '\n', ', '])}{\nrespond ${random.pick(ODDITIES)}${inner}\n}\n`;
    });
    const text = sites.join(random.pick(['', '\n', ' ']));
    const adapted = await caddy.adapt(text);
    if (!adapted.ok) return false;
    const tokens = tokenize(expandPlaceholders(text, ENVIRONMENT), dialect);
    const hosts = new Set<string>();
    for (let index = 0; index < tokens.length; ) {
      const { block } = readBlock(tokens, index, () => false, dialect.importBlocks);
      if (!block) return false;
      for (const { text: key } of block.keys)
        hosts.add(key.toLowerCase().replace(/,$/, '').replace('http://', ''));
      index = block.close + 1;
    }
    const seen = [...hostsOf(adapted.json).keys()].filter((name) => name !== '(any)').sort();
    for (const name of seen)
      expect({ text, known: hosts.has(name) }).toEqual({ text, known: true });
    return true;
  });
  expect(compared).toBeGreaterThan(ENOUGH);
});

test('Caddy accepts every domain that has a normal form', async () => {
  const parts = words(`
      a b-c _x example com . . *. : 80 443 8443 1 255 http:// https:// [::1] ::1 1.2.3.4 ü xn--a -
      / [ ] A 0
    `) as [string, ...string[]];
  const accepted = await repeat(SEED + 4, async (random) => {
    const pieces = Array.from({ length: 1 + random.below(6) }, () => random.pick(parts));
    const domain = normalizeDomain(pieces.join(''));
    if (domain === null) return false;
    expect(normalizeDomain(domain)).toBe(domain);
    const adapted = await caddy.adapt(`${domain} {\n\trespond a\n}\n`);
    const error = adapted.ok ? '' : adapted.error;
    expect({ domain, error }).toEqual({ domain, error: '' });
    return true;
  });
  expect(accepted).toBeGreaterThan(ENOUGH);
});
