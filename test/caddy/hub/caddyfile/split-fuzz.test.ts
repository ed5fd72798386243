/**
 * Generated Caddyfiles that a real Caddy accepts: split and rendered again, they mean the same to it.
 * FUZZ_SECONDS sets how long it runs, FUZZ_SEED which files it tries.
 */
import { expect, test } from 'bun:test';
import { splitCaddyfile } from '../../../../src/features/import/caddyfile/split.ts';
import { comparable, firstDifference } from '../../../../src/features/import/compare.ts';
import { render } from '../../../../src/hub/caddyfile/render.ts';
import { sitesOf } from '../../../../src/hub/model/applied.ts';
import { sequence } from '../../../../src/hub/model/changes.ts';
import { preambleChange } from '../../../../src/hub/model/preamble-changes.ts';
import { EMPTY_SET } from '../../../../src/hub/model/vhost.ts';
import { createChange } from '../../../../src/hub/model/vhost-changes.ts';
import { findDisputed } from '../../../../src/shared/caddyfile/check.ts';
import { type Dialect, dialectOf, dialectsFor } from '../../../../src/shared/caddyfile/dialect.ts';
import { tokenize } from '../../../../src/shared/caddyfile/tokenizer.ts';
import { startAdaptCaddy } from '../../../harness/adapt-caddy.ts';
import { versionOf } from '../../../harness/caddys.ts';
import { forFile } from '../../../harness/for-file.ts';
import { some } from '../../../harness/full.ts';
import { type Random, seededRandom } from '../../../harness/random.ts';
import { limit } from '../../../harness/speed.ts';

const SECONDS = some(2, 5, 'FUZZ_SECONDS') / 2.5;
const SEED = Number(process.env.FUZZ_SEED ?? 20_260_102);

const GAPS = [
  '\n',
  '\n\n',
  '\r\n',
  '\n\t\n',
  '\n# a comment\n',
  ' # behind\n',
  '\n# C:\\dir # \\\n\n',
] as const;
const BODY = [
  'respond a',
  'respond "b }"',
  'respond `c\n}\nd`',
  'reverse_proxy localhost:9',
  'import s',
  'import t x',
  '@m path /a\n\trespond @m m',
  'handle /x {\n\t\trespond x\n\t}',
  'header X "{$NONE:d}"',
  'respond {$NONE:e}',
  'log',
  'root * /srv',
  'redir /a /b # why',
  'handle_errors {\n\t\trespond e\n\t}',
  'reverse_proxy /api/* {\n\t\tto h:1 h:2\n\t}',
  'encode gzip',
  '\\\n\tabort',
] as const;
const OPTIONS = [
  'debug',
  'http_port 8080',
  'admin off',
  'admin localhost:1 {\n\t\torigins x\n\t}',
  'email a@b.c',
  'grace_period 1s',
  '# none',
  'order respond first',
] as const;

/** What only newer versions read so. */
const HEREDOCS = [
  'respond <<E\n\t\t}\n\t\t"\n\t\tE',
  'header X <<A_1-b\n{\nimport /x\n{$NONE:d}\nA_1-b',
  'respond \\<<E',
  'respond <<E\n\n    # no comment \\\n    E 200',
  'header X <<http://x.example\n\trespond x',
] as const;
const BLOCKS = [
  'import b {\n\t\trespond c\n\t}',
  'import b {\n\t\tk {\n\t\t\trespond d\n\t\t}\n\t}',
  'handle {\n\t\timport b {\n\t\t\tk respond "}"\n\t\t}\n\t}',
  'import t <<E\n\t{\n\ta\n\tE',
] as const;

function caddyfile(random: Random, { heredocs, importBlocks }: Dialect): string {
  const body = [...BODY, ...(heredocs ? HEREDOCS : []), ...(importBlocks ? BLOCKS : [])];
  const pick = <T>(items: readonly T[]): T => items[random.below(items.length)] as T;
  const many = <T>(most: number, make: () => T): T[] =>
    Array.from({ length: random.below(most + 1) }, make);
  const gap = () => many(2, () => pick(GAPS)).join('') || '\n';
  let site = 0;
  const address = () =>
    `http://${pick(['', 'www.', '*.', '{$NONE:x}.'])}s${site++}.example${pick(['', '', ':81', '/p*'])}`;
  const brace = () => pick([' {', ' {', ' {', '\n{', ' { # opens']);
  const part = (): string =>
    pick<() => string>([
      () =>
        `${[address(), ...many(2, address)].join(pick([', ', ' ', ',\n']))}${brace()}\n${many(4, () => `\t${pick(body)}\n`).join('')}}`,
      () => `(u${site++}) {\n\trespond u\n}`,
    ])();
  const options =
    random.below(2) === 0 ? `{\n${many(3, () => `\t${pick(OPTIONS)}\n`).join('')}}` : '';
  const snippets =
    '(s) {\n\theader S s\n}\n(t) {\n\theader T {args.0}\n}\n(b) {\n\thandle {\n\t\t{blocks.k}\n\t}\n}';
  const parts = [options, snippets, ...many(4, part)].filter(Boolean);
  const bare = random.below(12) === 0 ? `http://bare.example\n${pick(body)}\n${pick(body)}` : null;
  const text =
    bare ?? parts.map((one) => gap().replace(/^ #[^\n]*\n/, '\n') + one + gap()).join('\n');
  return random.below(15) === 0 ? text.trimEnd().replace(/\n\}$/, '\n') : text;
}

const caddy = await forFile(startAdaptCaddy());

const dialect = dialectOf(versionOf('caddy'));

test(
  'what Caddy accepts means the same once it is split and rendered',
  async () => {
    const random = seededRandom(SEED);
    const until = Date.now() + SECONDS * 1_000;
    const counts = { accepted: 0, same: 0 };
    while (Date.now() < until || counts.accepted < 30) {
      const file = caddyfile(random, dialect);
      const original = await caddy.adapt(file);
      // Some are refused, for example because the same site comes twice.
      if (!original.ok) continue;
      // An import refuses it before: other releases read it differently.
      const readings = dialectsFor(dialect, [file]).map((one) => tokenize(file, one));
      if (readings.some((tokens) => findDisputed(tokens))) continue;
      counts.accepted++;
      const split = await splitCaddyfile(file, dialect);
      expect({ file, split: split !== null }).toEqual({ file, split: true });
      if (!split) continue;
      const changes = [
        preambleChange(split.preamble),
        ...split.sites.map((one) => createChange(one)),
      ];
      const plan = await sequence<unknown>(changes)(EMPTY_SET, new Date());
      const set = 'done' in plan ? EMPTY_SET : plan.next;
      const again = await caddy.adapt(render(set.preamble, sitesOf(set)).text);
      const place = again.ok
        ? firstDifference(comparable(original.json), comparable(again.json))
        : again.error;
      expect({ file, rendered: render(set.preamble, sitesOf(set)).text, place }).toMatchObject({
        place: null,
      });
      counts.same++;
    }
    expect(counts.same).toBe(counts.accepted);
  },
  limit(SECONDS * 1_000 + 30_000),
);
