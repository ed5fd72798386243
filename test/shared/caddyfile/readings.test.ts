/**
 * Texts with quoted braces, which Caddy reads in two ways: what is accepted has to mean the same to all
 * of them. READING_TEXTS is how many texts are tried, CADDY_HEAD a Caddy that takes them for text.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { render } from '../../../src/hub/caddyfile/render.ts';
import { checkConfig } from '../../../src/shared/caddyfile/check.ts';
import { type Dialect, dialectOf, dialectsFor } from '../../../src/shared/caddyfile/dialect.ts';
import { checkPreamble, snippetNames } from '../../../src/shared/caddyfile/preamble.ts';
import { type AdaptCaddy, type AdaptedJson, startAdaptCaddy } from '../../harness/adapt-caddy.ts';
import { allCaddys, versionOf } from '../../harness/caddys.ts';
import { type Random, seededRandom } from '../../harness/random.ts';

const TEXTS = Number(process.env.READING_TEXTS ?? 2_000);
const SEED = Number(process.env.READING_SEED ?? 20_261_122);
/** Of these, how many must be accepted by some Caddy for the comparison to mean anything. */
const ENOUGH = TEXTS / 20;

type Reader = { version: string; dialect: Dialect; caddy: AdaptCaddy };
let readers: Reader[] = [];

beforeAll(async () => {
  const versions = allCaddys().map(({ bin }) => ({ bin, version: versionOf(bin) }));
  readers = await Promise.all(
    versions.map(async ({ bin, version }) => ({
      version,
      dialect: dialectOf(version),
      caddy: await startAdaptCaddy({}, bin),
    })),
  );
});
afterAll(async () => {
  for (const { caddy } of readers) await caddy.stop();
});

const BRACES = ['"{"', '"}"', '`{`', '`}`', '<<E\n{\nE', '<<E\n\t}\n\tE', '{', '}'] as const;
/** What looks like a brace, or hides one, and is a word to all Caddys. */
const WORDS = ['a', '"{}"', '"{ "', '"}a"', '`{{`', '"\\{"', '\\"{"', '{host}', 'b c'] as const;

/** What becomes a brace when Caddy imports a snippet, or may. */
const HIDDEN = [
  '\\{',
  '\\}',
  '"\\{"',
  '"\\}"',
  '`\\}`',
  '{args.0}\\}',
  '\\{{args[0]}',
  '{args[0]}\\{',
  '{$N:\\{}',
  '"{$N:\\{}"',
  '\\{$N:{}',
  '\\{$N}}',
  '<<E\n\\}\nE',
  '\\\\}',
  '"{args[0]}}"',
] as [string, ...string[]];

/** A snippet that leaves its block if any of these becomes a brace. */
function escaping(random: Random): string {
  const hidden = () => random.pick(HIDDEN);
  return random.pick<() => string>([
    () => `respond a\n${hidden()}\nhttp://evil.example ${hidden()}\nrespond pwned`,
    () => `respond a ${hidden()}\nheader X ${hidden()}`,
    () =>
      `header ${hidden()}\nheader ${hidden()}\n${hidden()}\nhttp://evil.example\nrespond pwned\nheader R ${hidden()}`,
    () => `handle ${hidden()}\nrespond a\n${hidden()}`,
    () => `respond "a ${hidden().replace(/["`]/g, '')} b"`,
  ])();
}

/** One directive, or what would become one if a brace were read differently. */
function line(random: Random, depth: number): string {
  const word = () => (random.below(8) ? random.pick(WORDS) : random.pick(BRACES));
  const words = (most: number) => Array.from({ length: random.below(most + 1) }, word).join(' ');
  const inner = () => (depth > 2 ? 'respond deep' : lines(random, depth + 1));
  return random.pick<() => string>([
    () => `respond ${word()}`,
    () => `respond ${word()} 200`,
    () => `header X ${word()}`,
    () => `header ${word()} ${words(2)}`,
    () => `header @m X ${word()}`,
    () => `header {\n${line(random, depth + 1)}\nY ${word()}\n}`,
    () => `@n${random.below(1e6)} header X ${word()}`,
    () => `log ${word()}`,
    () => `handle ${random.pick(['', '/a', word()])} {\n${inner()}\n}`,
    () => `handle ${random.pick(['"{"', '`{`'])}\n${inner()}\n${random.pick(['"}"', '}'])}`,
    () => `route {\n${inner()}\n}`,
    () => `map {host} {x} {\n${word()} ${word()}\n}`,
    () => `vars a ${word()}`,
    () => `import s ${word()} ${words(2)}`,
    () => `import s ${word()} {\n${inner()}\n}`,
    () => `handle {\nimport v ${words(3)}\n}`,
    () => `import r ${random.pick(['""', 'x', ''])}`,
    () => `header X ${word()} \\\n\t${word()}`,
    () =>
      `respond ${random.pick(['"{"', '`{`'])}\n}\nhttp://evil.example {\nrespond ${random.pick(['"}"', '`}`'])}`,
    () =>
      `header ${random.pick(BRACES)}\n}\nhttp://evil.example {\nrespond pwned\nheader Q ${random.pick(BRACES)}`,
    () => `header "{"\nheader "{"\n}\nhttp://evil.example\nrespond pwned\nheader R "}"`,
    () => `# ${word()}`,
    () => `${word()} ${words(2)}`,
  ])();
}

const lines = (random: Random, depth = 0): string =>
  Array.from({ length: 1 + random.below(3) }, () => line(random, depth)).join('\n');

const SNIPPETS = '(s) {\n\theader S {args.0}\n}\n(v) {\n\trespond {args[:]}\n}';

/** A site of its own, and neighbours that must stay as they are. */
const site = (id: number, name: string, config: string) => ({
  id,
  domain: `http://${name}.example`,
  config,
  upstream: '',
  enabled: true,
  guards: [],
});
const LEFT = site(1, 'left', 'respond marker-left');
const RIGHT = site(3, 'right', 'respond marker-right');

type Text = { preamble: string; config: string; isBlock: boolean };

function textOf(random: Random): Text {
  const inner = `@m path /a\n${lines(random)}`;
  const isBlock = random.below(4) === 0;
  const config = isBlock ? `http://mine.example {\n${inner}\n}` : inner;
  const preamble = random.pick<() => string>([
    () => SNIPPETS,
    () => SNIPPETS,
    () => `${SNIPPETS}\n(r) {\n${lines(random)}\n}`,
    () => `${SNIPPETS}\n(r) {\n${escaping(random)}\n}`,
    () => `{\n\tlog ${random.pick(BRACES)} {\n\t\tlevel INFO\n\t}\n}\n${SNIPPETS}`,
    () => `{\n\tlog ${random.pick(BRACES)}\n}\nhttp://evil.example {\n}\n${SNIPPETS}`,
  ])();
  return { preamble, config, isBlock };
}

/** Whether a hub with such a proxy accepts it. */
const accepts = ({ preamble, config, isBlock }: Text, dialect: Dialect): boolean =>
  dialectsFor(dialect, [preamble, config]).every((one) => {
    const options = { ...one, snippets: snippetNames(preamble, one) };
    const form = isBlock ? 'block' : 'body';
    return checkPreamble(preamble, one) === null && checkConfig(config, form, options) === null;
  });

/** Each host with the JSON of all that answers for it. */
function hostsOf(json: AdaptedJson): Record<string, string> {
  const hosts: Record<string, string> = {};
  for (const { routes = [] } of Object.values(json.apps?.http?.servers ?? {})) {
    for (const { match = [{}], handle } of routes) {
      for (const name of match.flatMap(({ host }) => (host as string[]) ?? ['(any)'])) {
        hosts[name] = (hosts[name] ?? '') + JSON.stringify(handle);
      }
    }
  }
  return hosts;
}

test(
  'what is accepted has the same sites for every Caddy that may read it',
  async () => {
    const random = seededRandom(SEED);
    const counts = new Map(readers.map(({ version }) => [version, 0]));
    const plain = new Map<Reader, Record<string, string>>();
    for (const reader of readers) {
      const adapted = await reader.caddy.adapt(render('', [LEFT, RIGHT]).text);
      if (!adapted.ok) throw new Error(adapted.error);
      plain.set(reader, hostsOf(adapted.json));
    }
    for (let count = 0; count < TEXTS; count++) {
      const text = textOf(random);
      const { text: whole } = render(text.preamble, [LEFT, site(2, 'mine', text.config), RIGHT]);
      const accepting = readers.filter(({ dialect }) => accepts(text, dialect));
      const oldest = accepting[0];
      if (!oldest) continue;
      // It runs where it was accepted, and on all that this one is upgraded to, or back from.
      const reading = readers.filter(
        ({ dialect }) => dialect.heredocs || dialect.heredocs === oldest.dialect.heredocs,
      );
      for (const reader of reading) {
        const { version, caddy } = reader;
        const adapted = await caddy.adapt(whole);
        if (!adapted.ok) {
          // Its own directives may be nonsense; the neighbours are none of its business.
          const { error } = adapted;
          expect({ text, version, wrong: /left|right|marker/.test(error) ? error : '' }).toEqual({
            text,
            version,
            wrong: '',
          });
          continue;
        }
        const hosts = hostsOf(adapted.json);
        const { 'mine.example': _, ...others } = hosts;
        expect({ text, version, others }).toEqual({
          text,
          version,
          others: plain.get(reader) ?? {},
        });
        counts.set(version, (counts.get(version) ?? 0) + 1);
      }
    }
    for (const [version, accepted] of counts) {
      expect({ version, isEnough: accepted > ENOUGH }).toEqual({ version, isEnough: true });
    }
    if (TEXTS > 2_000)
      console.log(TEXTS, 'texts, accepted and adapted:', Object.fromEntries(counts));
  },
  TEXTS * 60,
);
