/** No expression makes a live Caddy read a file that the rules do not see. FUZZ_SEED sets which are tried. */
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findForbiddenPath } from '../../../../../agent/caddy/config/paths.ts';
import type { JsonObject } from '../../../../../src/shared/json.ts';
import { resolvePath } from '../../../../../src/shared/system/files.ts';
import { caddyIs } from '../../../../harness/caddys.ts';
import { folderForFile, forFile } from '../../../../harness/for-file.ts';
import { some } from '../../../../harness/full.ts';
import { startLoadedCaddy } from '../../../../harness/loaded-caddy.ts';
import { seededRandom } from '../../../../harness/random.ts';

const SECRET = 'canary-in-a-file';
const folder = folderForFile();
const path = join(folder, 'token');
const random = seededRandom(Number(process.env.FUZZ_SEED ?? 20_261_122));

writeFileSync(path, SECRET);
const caddy = await forFile(startLoadedCaddy(folder));
const judge = (site: object) =>
  findForbiddenPath({ apps: site } as JsonObject, {
    dirs: [folder],
    barred: [],
    resolve: resolvePath,
    strict: false,
    env: {},
  });

type Some<T = string> = readonly [T, ...T[]];

const padded = (code: number, base: number, length: number) =>
  code.toString(base).padStart(length, '0');

/** A character as it is, or by its number. */
function spelled(one: string): string {
  const code = one.charCodeAt(0);
  const numbers = [`\\x${padded(code, 16, 2)}`, `\\u${padded(code, 16, 4)}`];
  const others = [...numbers, `\\U${padded(code, 16, 8)}`, `\\${padded(code, 8, 3)}`];
  return random.below(4) === 0 ? random.pick(others as unknown as Some) : one;
}

const QUOTES = ["'", '"', "'''", '"""'] as const;

function literal(text: string): string {
  const quote = random.pick(QUOTES);
  const raw = random.below(4) === 0 ? random.pick(['r', 'R']) : '';
  return `${raw}${quote}${raw === '' ? [...text].map(spelled).join('') : text}${quote}`;
}

const space = () => random.pick(['', ' ', '\n', " // it's\n", ' // "\n']);

/** A text, maybe of two. */
function built(text: string): string {
  const at = random.below(text.length);
  const parts = random.below(2) ? [text] : [text.slice(0, at), text.slice(at)];
  return parts.map(literal).join(`${space()}+${space()}`);
}

const HARMLESS = '.startsWith(';

function expression(): string {
  const content = `{file.${path}}`;
  return random.pick([
    `header({'X-A': ${built(content)}})`,
    `header${space()}({${literal('X-A')}:${space()}[${built(content)}]})`,
    `header({'X-A': {http.request.header.X}})`,
    `vars({${built(content)}: '${SECRET}'})`,
    `ph${space()}(req, ${built(`file.${path}`)}) == '${SECRET}'`,
    `{http.request.header.X-A}${HARMLESS}${built('x)')})`,
  ]);
}

// Until then, nothing is put in place of `{file.…}`.
test.skipIf(!caddyIs('>=2.8.0'))(
  'an expression gets no file that the rules do not see',
  async () => {
    const sites = Array.from({ length: some(150, 3_000) }, () => {
      const handle = [{ handler: 'static_response', body: SECRET }];
      const routes = [{ match: [{ expression: expression() }], handle }];
      return [{ handler: 'subroute', routes }];
    });
    await caddy.load(sites);
    const headers = { 'X-A': SECRET, X: `{file.${path}}` };
    const seen = await Promise.all(sites.map((_, at) => caddy.visit(at, headers)));
    const leaked = sites.filter((_, at) => seen[at]?.includes(SECRET));
    expect(leaked.length).toBeGreaterThan(0);
    for (const site of leaked) expect([site, judge(site)]).not.toEqual([site, null]);
    const harmless = sites.filter((site) => JSON.stringify(site).includes(HARMLESS));
    for (const site of harmless) expect([site, judge(site)]).toEqual([site, null]);
  },
);
