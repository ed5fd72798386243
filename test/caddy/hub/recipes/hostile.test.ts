/** Values that are accepted never reach outside their own site, whatever is in them. */
import { expect, test } from 'bun:test';
import type { Values } from '../../../../src/hub/recipes/recipe.ts';
import { RECIPES, recipeOf } from '../../../../src/hub/recipes/registry.ts';
import { checkValues } from '../../../../src/hub/recipes/values.ts';
import { startAdaptCaddy } from '../../../harness/adapt-caddy.ts';
import { forFile } from '../../../harness/for-file.ts';
import { seededRandom } from '../../../harness/random.ts';
import { words } from '../../../harness/words.ts';
import { FULL } from '../../../hub/recipes/full-values.ts';
import { behind, caddyfileOf, isBlock, textOf } from '../../../hub/recipes/sites-caddy.ts';

const random = seededRandom(17);
const PIECES = [
  ...words(`
    " { } # X @ * / {$SECRET} {env.SECRET} {$SECRET:} import : - > + ? , a respond | ) (?i) $
  `),
  '`',
  '\\',
  ' {',
  '\n',
  '\r',
  '\t',
  ' ',
  '<<X\n',
  '\u0085',
  '\n}\nhttp://evil.test {\n',
  '"\n}\n',
  '\u3000',
  '\\"',
  '`\n}\n`',
  '\ufeff',
  '\0',
] as const;

/** The values with a piece inserted somewhere into one of their texts. */
function hostile(values: Values): unknown {
  const chosen = random.below(countTexts(values));
  let seen = 0;
  return map(values, (text) => {
    seen += 1;
    if (seen !== chosen + 1) return text;
    const at = random.pick([0, text.length, random.below(text.length + 1)]);
    return `${text.slice(0, at)}${random.pick(PIECES)}${text.slice(at)}`;
  });
}

function countTexts(values: unknown): number {
  let count = 0;
  map(values, (text) => {
    count += 1;
    return text;
  });
  return count;
}

function map(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => map(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, map(one, change)]));
}

function accepted(id: string, values: unknown): Values | null {
  const recipe = recipeOf(id);
  try {
    return recipe ? checkValues(recipe, values) : null;
  } catch {
    return null;
  }
}

const caddy = await forFile(startAdaptCaddy({ SECRET: 'LEAKED' }));
/** The host of each site and what its neighbour does; an error if Caddy does not accept them. */
async function sitesOf(body: string): Promise<unknown> {
  const adapted = await caddy.adapt(caddyfileOf(80, { 'a.test': body, 'z.test': 'respond Z' }));
  if (!adapted.ok) return adapted.error;
  if (adapted.text.includes('LEAKED')) return 'LEAKED';
  const servers = Object.values(adapted.json.apps?.http?.servers ?? {});
  return servers.flatMap(({ routes = [] }) =>
    routes.map(({ match, handle }) => [match, JSON.stringify(handle).includes('"Z"')]),
  );
}

const EXPECTED = [
  [[{ host: ['a.test'] }], false],
  [[{ host: ['z.test'] }], true],
];

/** The same for a recipe whose text has addresses of its own, all hosts over HTTP among them. */
const expectedOf = ({ wildcards }: Values) => [
  [[{ host: (wildcards as string[]).map((name) => name.toLowerCase()) }], false],
  [[{ host: ['z.test'] }], true],
  [undefined, false],
];

test('a body that reaches outside is noticed', async () => {
  expect(await sitesOf('respond a')).toEqual(EXPECTED);
  expect(await sitesOf('respond a\n}\nhttp://evil.test {\nrespond b')).not.toEqual(EXPECTED);
  expect(await sitesOf('respond {$SECRET}')).toBe('LEAKED');
});

let tried = 0;

test.each(RECIPES)('$id', async ({ id, kind }) => {
  for (let round = 0; round < 150; round++) {
    const values = accepted(id, hostile(FULL[id] ?? {}));
    if (!values) continue;
    tried += 1;
    const body =
      kind === 'policy'
        ? behind([[id, values]])
        : textOf(id, values).join('\n').replaceAll('{upstream}', 'a:1');
    const expected = isBlock(body) ? expectedOf(values) : EXPECTED;
    expect([values, await sitesOf(body)]).toEqual([values, expected]);
  }
});

test('much of it is accepted', () => {
  expect(tried).toBeGreaterThan(200);
});
