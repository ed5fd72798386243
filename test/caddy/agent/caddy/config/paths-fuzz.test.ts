/**
 * What a live Caddy reads or connects to is never more than the rules see: generated texts with placeholders,
 * and upstreams that a request completes. FUZZ_SEED sets which ones.
 */
import { afterAll, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findForbiddenPath } from '../../../../../agent/caddy/config/paths.ts';
import type { JsonObject } from '../../../../../src/shared/json.ts';
import { resolvePath } from '../../../../../src/shared/system/files.ts';
import { caddyIs } from '../../../../harness/caddys.ts';
import { folderForFile, forFile } from '../../../../harness/for-file.ts';
import { some } from '../../../../harness/full.ts';
import { startLoadedCaddy } from '../../../../harness/loaded-caddy.ts';
import { seededRandom } from '../../../../harness/random.ts';
import { words } from '../../../../harness/words.ts';

const SECRET = 'canary-in-a-file';
const HIDDEN = 'canary-in-a-socket';
const TEXTS = some(500, 10_000);
const DIALS = some(150, 1_500);
const PER_LOAD = 1_000;

const folder = folderForFile();
const box = join(folder, 'box');
const socket = join(box, 'hub.sock');
const env = { SOCKET: socket, NETWORK: 'unix' };
const random = seededRandom(Number(process.env.FUZZ_SEED ?? 20_261_122));
/** Folders whose names end a placeholder for some readers. */
const odd = ['a}', 'a\\', 'a\\}', '{a'].map((name) => join(folder, name));

for (const one of [box, ...odd]) mkdirSync(one, { recursive: true });
writeFileSync(join(box, 'token'), SECRET);
const hidden = Bun.serve({ unix: socket, fetch: () => new Response(HIDDEN) });
const caddy = await forFile(startLoadedCaddy(folder, env));
afterAll(() => hidden.stop(true));

const judge = (handlers: object[]) =>
  findForbiddenPath({ apps: { routes: [{ handle: handlers }] } } as unknown as JsonObject, {
    dirs: [box],
    barred: [],
    resolve: resolvePath,
    strict: true,
    env,
  });

type Some = [string, ...string[]];

test('get no file that the rules do not see', async () => {
  const noise = ['', '', '', '{', '}', '\\', 'x', ' ', '{env.NONE}', '\\}', '{}'] as Some;
  const openings = ['{file.', '{file.', '{}file.', '{}}file.', '{{file.', '\\{file.', '{x'] as Some;
  const escapes = odd.map((one) => `${one}/../box/token`);
  const paths = [`${box}/token`, ...escapes, ...escapes, '{http.request.header.X}'] as Some;
  const textOf = () =>
    `${random.pick(noise)}${random.pick(openings)}${random.pick(paths)}}${random.pick(noise)}`;
  let read = 0;
  for (let left = TEXTS; left > 0; left -= PER_LOAD) {
    const sites = Array.from({ length: Math.min(left, PER_LOAD) }, () => {
      const text = textOf();
      return random.pick([
        [{ handler: 'static_response', body: text }],
        [{ handler: 'static_response', headers: { 'X-A': [text] } }],
        [
          { handler: 'vars', a: text },
          { handler: 'static_response', body: '{http.vars.a}' },
        ],
        [
          {
            handler: 'subroute',
            routes: [
              {
                match: [{ vars: { [text]: [SECRET] } }],
                handle: [{ handler: 'static_response', body: SECRET }],
              },
            ],
          },
        ],
      ] as [object[], ...object[][]]);
    });
    await caddy.load(sites);
    const seen = await Promise.all(
      sites.map(async (site, at) => ({
        site,
        isRead: (await caddy.visit(at, { X: `{file.${box}/token}` })).includes(SECRET),
      })),
    );
    const leaked = seen.filter(({ isRead }) => isRead);
    for (const { site } of leaked) expect([site, judge(site)]).not.toEqual([site, null]);
    read += leaked.filter(
      ({ site }) => !JSON.stringify(site).includes(`{file.${box}/token}`),
    ).length;
  }
  // Not only those that anyone would see.
  if (caddyIs('>=2.8.0')) expect(read).toBeGreaterThan(0);
  else expect(read).toBe(0);
});

test('reach no socket that the rules do not see', async () => {
  const x = '{http.request.header.X}';
  const y = '{http.request.header.Y}';
  const heads = [
    x,
    x,
    y,
    ...words(`
        {http.vars.a} {b} unix un{http.vars.a} u{b} {env.NETWORK} {env.NONE}unix {env.NONE}
        {http.vars.a}{b}
      `),
    ' unix',
    'UN\u0130X',
    `un${x}`,
    `unix${x}`,
  ] as Some;
  const seams = ['/', '/', '', y, '{http.vars.a}'] as Some;
  const tails = [socket, y, '{env.SOCKET}', '{b}', `${box}/hub{http.vars.a}`, '', '/a'] as Some;
  const ends = ['', '', '', '.sock', ':80', '.lan:80'] as Some;
  const address = () => [heads, seams, tails, ends].map((parts) => random.pick(parts)).join('');
  const own = [
    'unix',
    'un',
    'ix',
    '127.0.0.1:1',
    '',
    '/',
    socket,
    '{http.request.header.X}',
  ] as Some;
  const given = ['unix', 'unix/', `unix/${socket}`, socket, '/', `${box}/hub`, 'hub', 'ix'] as Some;
  let reached = 0;
  for (let left = DIALS; left > 0; left -= PER_LOAD) {
    const sites = Array.from({ length: Math.min(left, PER_LOAD) }, () => [
      { handler: 'vars', a: random.pick(own) },
      {
        handler: 'map',
        source: '{http.request.method}',
        destinations: ['{b}'],
        mappings: [{ input: 'GET', outputs: [random.pick(own)] }],
        defaults: ['x'],
      },
      { handler: 'reverse_proxy', upstreams: [{ dial: address() }] },
    ]);
    await caddy.load(sites);
    const answers = await Promise.all(
      sites.map((_, at) => caddy.visit(at, { X: random.pick(given), Y: random.pick(given) })),
    );
    for (const [at, answer] of answers.entries()) {
      if (!answer.includes(HIDDEN)) continue;
      expect([sites[at], judge(sites[at] ?? [])]).not.toEqual([sites[at], null]);
      reached++;
    }
  }
  expect(reached).toBeGreaterThan(0);
});
