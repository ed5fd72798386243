/**
 * Whatever the body of a site holds, a stranger gets the answer of the guard before it, and who may
 * pass gets that of the body. GUARD_BODIES sets how many bodies, FUZZ_SEED which.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Guard } from '../../../../src/hub/caddyfile/guarded.ts';
import { wordingOf } from '../../../../src/shared/caddyfile/dialect.ts';
import { MARKER, randomBody, SNIPPETS } from '../../../harness/bodies.ts';
import { caddyIs, versionOf } from '../../../harness/caddys.ts';
import { some } from '../../../harness/full.ts';
import { guardedSites, type TestSite } from '../../../harness/guarded.ts';
import { seededRandom } from '../../../harness/random.ts';
import { limit } from '../../../harness/speed.ts';
import { temporaryFolder } from '../../../harness/stack.ts';
import { words } from '../../../harness/words.ts';
import { request, type SitesCaddy, serveCaddyfile } from '../../../hub/recipes/sites-caddy.ts';

/** Together 400 with both Caddys, and each has its own. */
const NEWER = caddyIs('>=2.10.0');
const BODIES = some(80, 240, 'GUARD_BODIES');
/** How many one Caddy serves, and how many of these are rendered naively as well. */
const SIZE = Math.min(400, BODIES);
const NAIVE = SIZE / 4;
const random = seededRandom(Number(process.env.FUZZ_SEED ?? (NEWER ? 20_260_602 : 20_260_601)));
const version = versionOf('caddy');
/** Cheap to check; the strength of a hash is not what this is about. */
const hash = await Bun.password.hash('open', { algorithm: 'bcrypt', cost: 4 });

/** Each ends a stranger's request in its own way: an answer, an error, a request for a password. */
const GUARDS: readonly (readonly Guard[])[] = [
  [
    {
      name: 'key',
      lines: ['@policy-key-out not header X-Key open', 'respond @policy-key-out "guard" 403'],
    },
  ],
  [{ name: 'key', lines: ['@policy-key-out not header X-Key open', 'error @policy-key-out 403'] }],
  [
    { name: 'head', lines: ['header X-Policy yes'] },
    { name: 'users', lines: [`${wordingOf(version).basicAuth} {`, `\tada ${hash}`, '}'] },
  ],
];
const PASS = ['X-Key: open', `Authorization: Basic ${btoa('ada:open')}`];

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'PROPFIND'] as const;
const PATHS = [
  ...words(`
    / /a /a/b /b/c /secret /index.html /hand /nest /args /paths // //a /a//b /a/../secret
    /b/%2e%2e/secret /%2e%2e/a /%61 /a%2fb /a%5cb /?a=1 /a?b=//c /vars /map /LEAK /%00 /a;b /A
  `),
  '/a\\b',
] as const;
const UPGRADE = ['Connection: Upgrade', 'Upgrade: websocket'];

let caddy: SitesCaddy;
let root: string;
let bodies: string[];
const guardsOf = (index: number) => GUARDS[index % GUARDS.length] ?? [];
/** Every third is a whole block, with two addresses. */
const isBlock = (index: number) => index % 3 === 1;

const timeless = (answers: string) => answers.replace(/\r\nDate: [^\r]*/g, '');

/** What a stranger is answered who sends these requests over one connection. */
const asStranger = async (host: string, asked: readonly [string, string, readonly string[]][]) =>
  timeless(
    await caddy.send(
      asked
        .map(([method, path, lines], index) => {
          const text = request(host, { method, path, lines });
          const isLast = index === asked.length - 1;
          return isLast ? text : text.replace('Connection: close\r\n', '');
        })
        .join(''),
    ),
  );

const asVisitor = async (
  host: string,
  [method, path, lines]: readonly [string, string, readonly string[]],
) => timeless(await caddy.send(request(host, { method, path, lines: [...lines, ...PASS] })));

/** Some of all methods and paths. */
const someOf = (count: number) =>
  Array.from({ length: count }, (): [string, string, readonly string[]] => [
    random.pick(METHODS as unknown as [string, ...string[]]),
    random.pick(PATHS as unknown as [string, ...string[]]),
    random.below(8) ? [] : UPGRADE,
  ]);

const hostOf = (kind: string, index: number) =>
  `${kind}-${index}${isBlock(index) && random.below(2) ? 'b' : ''}.example`;

const batches = Array.from({ length: Math.ceil(BODIES / SIZE) }, (_, index) => [index + 1]);

describe.each(batches)('batch %d', () => {
  beforeAll(async () => {
    root = temporaryFolder();
    for (const name of ['index.html', 'a', 'secret'])
      writeFileSync(join(root, name), `${MARKER} file`);
    caddy = await serveCaddyfile((port) => {
      bodies = Array.from({ length: SIZE }, () => randomBody(random, root, `127.0.0.1:${port}`));
      const sites = (kind: string, change = (body: string, _: number) => body) =>
        [...bodies.map(change)].map((body, index): TestSite => {
          const domain = `http://${kind}-${index}.example:${port}`;
          const other = `http://${kind}-${index}b.example:${port}`;
          const block = `${domain}, ${other} {\n${body}\n}`;
          return { domain, config: isBlock(index) ? block : body };
        });
      const naive = (body: string, index: number) =>
        [...guardsOf(index).flatMap(({ lines }) => lines), body].join('\n');
      const guarded = GUARDS.map((guards, kind) => {
        const those = sites('guarded').filter((_, index) => index % GUARDS.length === kind);
        return guardedSites(SNIPPETS, those, guards, version);
      });
      const references = GUARDS.map((guards, index) => {
        const site = { domain: `http://reference-${index}.example:${port}`, config: 'respond ok' };
        return guardedSites('', [site], guards, version);
      });
      return [
        '{\n\tadmin off\n}',
        SNIPPETS,
        `http://127.0.0.1:${port} {\n\trespond "${MARKER} upstream"\n}`,
        guardedSites(
          '',
          [...sites('plain'), ...sites('naive', naive).slice(0, NAIVE)],
          [],
          version,
        ),
        ...guarded,
        ...references,
      ].join('\n\n');
    });
  }, limit(120_000));
  afterAll(async () => {
    await caddy.stop();
    rmSync(root, { recursive: true, force: true });
  });

  test(`of ${SIZE} bodies, none answers a stranger, and the naive rendering shows what would`, async () => {
    let leaks = 0;
    for (const [index, body] of bodies.entries()) {
      const asked = someOf(10);
      const [answers, reference, naive] = await Promise.all([
        asStranger(hostOf('guarded', index), asked),
        asStranger(`reference-${index % GUARDS.length}.example`, asked),
        index < NAIVE ? asStranger(`naive-${index}.example`, asked) : '',
      ]);
      expect({ body, answers }).toEqual({ body, answers: reference });
      expect(reference.match(/HTTP\/1\.1 40[13] /g)).toHaveLength(asked.length);
      expect(answers).not.toContain(MARKER);
      if (naive.includes(MARKER)) leaks++;
    }
    expect(leaks).toBeGreaterThan(NAIVE / 2);
  });

  test('who may pass is answered by the body as without policies', async () => {
    let answered = 0;
    for (const [index, body] of bodies.entries()) {
      for (const asked of someOf(4)) {
        const [plain, guarded] = await Promise.all([
          asVisitor(`plain-${index}.example`, asked),
          asVisitor(`guarded-${index}.example`, asked),
        ]);
        const seen = guarded.replace('\r\nX-Policy: yes', '').replaceAll('guarded-', 'plain-');
        expect({ body, asked, seen }).toEqual({ body, asked, seen: plain });
        if (plain.includes(MARKER)) answered++;
      }
    }
    expect(answered).toBeGreaterThan(SIZE);
  });
});
