/** Documents that are made to harm: refused with their place, and nobody else waits long for them. */
import { describe, expect, test } from 'bun:test';
import { forFile } from '../../harness/for-file.ts';
import { type Body, startOwner } from '../../harness/owner.ts';
import { ask } from '../../harness/stack.ts';

type Applied = Body & { changes: { name: string }[]; digest: string; field?: string };

const owner = await forFile(startOwner());
await owner.create('first');
const send = (raw: string) =>
  ask<Applied>(`${owner.stack.hub}/apply`, { raw, headers: owner.headers });
const apply = (document: object) => send(JSON.stringify({ source: 'home', ...document }));
const answers = { config: 'respond yes' };
const at = 'http://a.example';
const named = (count: number, thing: (at: number) => object) =>
  Object.fromEntries(Array.from({ length: count }, (_, one) => [`p${one}`, thing(one)]));
const nested = (depth: number): object => (depth === 0 ? {} : { deeper: nested(depth - 1) });

describe('refused, with nothing changed:', () => {
  const user = (name: string) => ({ name, password: `the password of ${name}` });
  const guard = (names: string[]) => ({ recipe: 'basic-auth', values: { users: names.map(user) } });
  const tag = '"tags":["\\ud800"]';
  const lone = '"check":{"path":"/","contains":"\\udc00"}';
  const open = `{"source":"home","sites":{"${at}":{"config":"respond yes",`;

  test.each<[string, string | object, string]>([
    ['a source that is not Unicode', '{"source":"a\\ud800"}', 'source'],
    ['a tag that is not Unicode', `${open}${tag}}}}`, `sites["${at}"].tags.0`],
    ['a check that is not Unicode', `${open}${lone}}}}`, `sites["${at}"].check.contains`],
    [
      'a prototype as a field',
      `${open}"__proto__":{"upstream":"x"}}}}`,
      `sites["${at}"].__proto__`,
    ],
    [
      'a prototype as a policy',
      '{"source":"home","policies":{"__proto__":{"recipe":"maintenance"}}}',
      'policies["__proto__"].name',
    ],
    [
      'a misspelled field of a check',
      { sites: { [at]: { ...answers, check: { path: '/', contians: 'yes' } } } },
      `sites["${at}"].check.contians`,
    ],
    [
      'a deep check',
      { sites: { [at]: { ...answers, check: { path: '/', ...nested(20) } } } },
      `sites["${at}"].check.deeper`,
    ],
    [
      'control characters in a name',
      { sites: { 'http://a\u0007.example': answers } },
      'sites["http://a\\u0007.example"].domain',
    ],
    [
      'more passwords to hash than one policy may have',
      {
        policies: {
          one: guard(['ada']),
          two: guard(Array.from({ length: 50 }, (_, n) => `u${n}`)),
        },
      },
      'policies',
    ],
    [
      'more policies than anybody has',
      { policies: named(1_001, () => ({ recipe: 'maintenance' })) },
      'policies',
    ],
    [
      'passwords beside a mistake',
      { policies: { one: guard(['ada']), two: { recipe: 'none' } } },
      'policies["two"].recipe',
    ],
  ])('%s', async (_, document, field) => {
    const before = await owner.everything();
    const refused = await (typeof document === 'string' ? send(document) : apply(document));
    expect([refused.status, refused.body.code, refused.body.field]).toEqual([
      400,
      'INVALID_REQUEST',
      field,
    ]);
    expect(refused.text).not.toContain('the password of');
    expect(await owner.everything()).toEqual(before);
  });
});

test('names of an object are names like others, and come out as they went in', async () => {
  const raw = `{"source":"names","sites":{"__proto__":${JSON.stringify(answers)},"constructor":${JSON.stringify(answers)}}}`;
  const made = await send(raw);
  expect(made.body.changes.map(({ name }) => name)).toEqual(['__proto__', 'constructor']);
  expect((await send(raw)).body.changes).toEqual([]);
  const { text } = await owner.call('GET', '/export?format=yaml&source=names');
  expect(text).toContain('__proto__');
  expect(text).toContain('constructor');
});

test('of two that expect the same, exactly one is applied', async () => {
  for (const round of [1, 2, 3, 4, 5]) {
    const document = { sites: { [at]: { config: `respond ${round}` } } };
    const { digest } = (await apply({ ...document, dryRun: true })).body;
    expect(digest).toBeString();
    const both = [0, 1].map(() => apply({ ...document, expects: digest }));
    const done = (await Promise.all(both)).map(({ status, body }) => [status, body.code]);
    expect(done.toSorted()).toEqual([
      [200, undefined],
      [412, 'STALE'],
    ]);
  }
});

test('thousands of sites keep nobody else waiting', async () => {
  const sites = Object.fromEntries(
    Array.from({ length: 2_000 }, (_, one) => [`http://m${one}.example`, answers]),
  );
  let isDone = false;
  const planned = apply({ source: 'many', sites, dryRun: true }).finally(() => {
    isDone = true;
  });
  let answered = 0;
  while (!isDone) {
    expect((await ask(`${owner.stack.hub}/health`)).status).toBe(200);
    answered++;
  }
  const plan = await planned;
  expect([plan.status, plan.body.changes.length]).toEqual([200, 2_000]);
  expect(answered).toBeGreaterThan(5);
});
