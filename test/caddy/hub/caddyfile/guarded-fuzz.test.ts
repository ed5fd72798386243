/**
 * Policies change nothing of what a body says: no word is lost, and Caddy reads it as before.
 * FUZZ_SECONDS sets how long this takes, FUZZ_SEED which bodies it tries.
 */
import { expect, test } from 'bun:test';
import type { Guard } from '../../../../src/hub/caddyfile/guarded.ts';
import { partsOf } from '../../../../src/hub/caddyfile/parts.ts';
import { segmentsOf } from '../../../../src/hub/caddyfile/segments.ts';
import { indivisibleIn } from '../../../../src/hub/caddyfile/site-block.ts';
import { readImports } from '../../../../src/hub/caddyfile/snippets.ts';
import { checkConfig } from '../../../../src/shared/caddyfile/check.ts';
import { dialectOf, dialectsFor } from '../../../../src/shared/caddyfile/dialect.ts';
import { maskPlaceholders } from '../../../../src/shared/caddyfile/placeholders.ts';
import { tokenize } from '../../../../src/shared/caddyfile/tokenizer.ts';
import {
  type AdaptedJson,
  type AdaptedRoute,
  startAdaptCaddy,
} from '../../../harness/adapt-caddy.ts';
import { randomBody, SNIPPETS } from '../../../harness/bodies.ts';
import { versionOf } from '../../../harness/caddys.ts';
import { forFile } from '../../../harness/for-file.ts';
import { some } from '../../../harness/full.ts';
import { guardedSites } from '../../../harness/guarded.ts';
import { type Random, seededRandom } from '../../../harness/random.ts';
import { words } from '../../../harness/words.ts';

const ENOUGH = 20;
const SECONDS = some(2, 5, 'FUZZ_SECONDS') / 2.5;
const SEED = Number(process.env.FUZZ_SEED ?? 20_260_701);
const version = versionOf('caddy');
const dialect = dialectOf(version);
const imports = readImports(SNIPPETS, dialect);
const DOMAIN = 'http://site.example';
const GUARDS: Guard[] = [{ name: 'g', lines: ['respond /guarded* "no\nway" 403'] }];

/** What may stand anywhere in a text. */
const ODD = [
  ...words('" { } # {$NONE} {$NONE:d} {$NONE:#} {$SET} {upstream} "{"'),
  '`',
  '\\',
  '<<E\n',
  '\nE\n',
  '\n',
  '\n\n',
  ' ',
  '\\\n',
  '\r\n',
  '\ufeff',
  '{$NONE:\n}',
  '`}`',
  '\n# c\n',
  '# c \\\n',
  '\ntls internal\n',
  '\nlog {\n\tformat json\n}\n',
  '\n}\n',
  ' {\n',
  '\nimport mixed\n',
  '\nimport sets\n',
  '\n@x path /x\n',
  '\nhandle_errors {\n\trespond e\n}\n',
  '\nimport args y\n',
  '\n"log"\n',
  '\nlog # } {\n',
  '\nbind 127.0.0.1\n',
  '\n\tlog\n',
  '; ',
] as [string, ...string[]];

function oddBody(random: Random): string {
  let body = randomBody(random, '/srv', '127.0.0.1:1');
  for (let left = random.below(4); left > 0; left--) {
    const at = random.below(3)
      ? random.below(body.length)
      : body.indexOf('\n', random.below(body.length)) + 1;
    body = body.slice(0, at) + random.pick(ODD) + body.slice(at);
  }
  return body;
}

/** For so long, and on a busy machine until it was often enough. */
async function repeat(round: (random: Random) => Promise<boolean> | boolean): Promise<number> {
  const random = seededRandom(SEED);
  const end = performance.now() + SECONDS * 1000;
  let counted = 0;
  while (performance.now() < end || counted <= ENOUGH) if (await round(random)) counted++;
  return counted;
}

const wordsOf = (text: string, heredocs = dialect.heredocs): string[] => {
  const { masked } = maskPlaceholders(text);
  return tokenize(`\n${masked}`, { heredocs }).map(({ start, end }) =>
    `\n${text}`.slice(start, end),
  );
};

const snippets = new Set(imports.snippets.keys());
const isContained = (body: string): boolean =>
  checkConfig(body, 'body', { ...dialect, snippets }) === null;

/** What is left of `words` without `others`, and those that are not among them. */
function difference(words: readonly string[], others: readonly string[]) {
  const left = [...words];
  const missing = others.filter((word) => {
    const at = left.indexOf(word);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  return { left, missing };
}

const ADDED = new Set([
  DOMAIN,
  'route',
  'handle',
  '{',
  '}',
  'path',
  '/',
  ...wordsOf(GUARDS[0]?.lines.join('\n') ?? ''),
]);

test('the segments of a text are the text, and no word of it is lost', async () => {
  const counted = await repeat((random) => {
    const body = oddBody(random);
    for (const one of ['2.6.2', '2.11.4']) {
      const dialects = dialectsFor(dialectOf(one), [body]);
      const segments = segmentsOf(body, dialects);
      expect(segments.map(({ text }) => text).join('')).toBe(body);
      let at = 0;
      for (const { text, line } of segments) {
        expect(line).toBe(body.slice(0, at).split('\n').length);
        at += text.length;
      }
    }
    const isDivided = partsOf(body, imports).some(({ imported }) => imported);
    if (isDivided || !isContained(body)) return false;
    const text = guardedSites(SNIPPETS, [{ domain: DOMAIN, config: body }], GUARDS, version);
    const { left, missing } = difference(wordsOf(text), wordsOf(body));
    const added = left.filter((word) => !ADDED.has(word) && !word.startsWith('@policies-gap-'));
    expect({ body, missing, added }).toEqual({ body, missing: [], added: [] });
    return true;
  });
  expect(counted).toBeGreaterThan(ENOUGH);
});

const caddy = await forFile(startAdaptCaddy({ SET: 'word' }));

test('with Caddy a body is read as without policies', async () => {
  const counted = await repeat(async (random) => {
    const config = oddBody(random);
    if (!isContained(config) || indivisibleIn(DOMAIN, config, imports)) return false;
    const [plain, guarded] = await Promise.all(
      [[], GUARDS].map((guards) => {
        const site = guardedSites(SNIPPETS, [{ domain: DOMAIN, config }], guards, version);
        return caddy.adapt(`${SNIPPETS}\n\n${site}\n`);
      }),
    );
    if (!plain || !guarded) throw new Error('There is no answer.');
    if (plain.ok && !guarded.ok && isUncertain(config)) return false;
    const errors = [plain, guarded].map((one) => (one.ok ? null : one.error));
    expect({ config, errors, refused: !guarded.ok }).toEqual({
      config,
      errors,
      refused: !plain.ok,
    });
    if (!plain.ok || !guarded.ok) return false;
    expect({ config, routes: routesOf(guarded.json) }).toEqual({
      config,
      routes: routesOf(plain.json),
    });
    return true;
  });
  expect(counted).toBeGreaterThan(ENOUGH);
});

/**
 * What only a site without policies may hold, because it cannot be told what it is: a setting or a
 * matcher with a `{$…}` in its name or a line end in the default of one, a name in quotes, a `{` on a
 * line of its own, what newer versions read as a heredoc, and text after a `}`. Caddy refuses it in a `route`, as every setting.
 */
const isUncertain = (config: string): boolean =>
  config.includes('{$') || /^\s*["{]|<</m.test(config) || /^\s*\}[ \t]*[^\s#]/m.test(config);

/** What the body of the only site became, and what its errors, without guards; groups by their order. */
function routesOf({ apps }: AdaptedJson): string {
  const [server] = Object.values(apps?.http?.servers ?? {}) as Server[];
  const names: unknown[] = [];
  const all = [server?.routes, server?.errors?.routes].map((routes = []) => bare(routes));
  return JSON.stringify(all, (key, value: unknown) => {
    if (key !== 'group') return value;
    if (!names.includes(value)) names.push(value);
    return names.indexOf(value);
  });
}

type Server = { routes?: AdaptedRoute[]; errors?: { routes?: AdaptedRoute[] } };

/** Routes without those of the guard, and without routes that only hold others. */
function bare(routes: readonly AdaptedRoute[]): AdaptedRoute[] {
  return routes.flatMap((route): AdaptedRoute[] => {
    if (route.match?.some(({ path }) => String(path) === '/guarded*')) return [];
    const [only, ...more] = route.handle ?? [];
    const inner = only?.routes as AdaptedRoute[] | undefined;
    if (!inner) return [route];
    if (!route.match && more.length === 0) return bare(inner);
    return [{ ...route, handle: [{ ...only, routes: bare(inner) }, ...more] }];
  });
}
