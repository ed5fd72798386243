/** Requests that are sent again with their `Idempotency-Key`. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Body, type Owner, startOwner } from '../../harness/owner.ts';

let owner: Owner;

beforeAll(async () => {
  owner = await startOwner();
  await owner.create('base');
});
afterAll(() => owner.stack.stop());

const send = <T = Body>(path: string, key: string, json: unknown, more = {}) =>
  owner.call<T>('POST', path, json, { 'Idempotency-Key': key, ...more });
const site = (name: string) => ({ domain: `http://${name}.example`, config: `respond ${name}` });

describe('a key', () => {
  test('that is none is 400, and nothing is made', async () => {
    const before = await owner.everything();
    for (const key of ['', 'two words', 'k'.repeat(256), 'gr\u00fcn']) {
      const refused = await send('/vhosts', key, site('none'));
      expect([key, refused.status, refused.body.code]).toEqual([key, 400, 'INVALID_REQUEST']);
    }
    const stranger = await send('/vhosts', 'a', site('none'), { Authorization: 'Bearer nobody' });
    expect(stranger.status).toBe(401);
    expect(await owner.everything()).toEqual(before);
  });

  test('that came with another body or query is 422, which does not show the first one', async () => {
    expect((await send('/vhosts', 'taken', site('first'))).status).toBe(201);
    const before = await owner.everything();
    for (const [path, json] of [
      ['/vhosts', site('second')],
      ['/vhosts', { ...site('first'), enabled: false }],
      ['/vhosts?require=all', site('first')],
    ] as const) {
      const refused = await send(path, 'taken', json);
      expect([refused.status, refused.body.code]).toEqual([422, 'KEY_REUSED']);
      expect(refused.text).not.toContain('first');
    }
    expect(await owner.everything()).toEqual(before);
  });

  test('is one account’s or token’s, and one route’s', async () => {
    const made = await owner.call<{ token: string }>('POST', '/tokens', {
      ...{ name: 'scripts', scope: 'write' },
    });
    const token = { Authorization: `Bearer ${made.body.token}` };
    const other = await send('/vhosts', 'taken', site('by-token'), token);
    expect([other.status, other.body.domain]).toEqual([201, 'http://by-token.example']);
    const operations = [{ op: 'create', ...site('bulk') }];
    expect((await send('/vhosts/bulk', 'taken', { operations })).status).toBe(200);
  });

  test('of a request that was refused can be used again', async () => {
    const refused = await send('/vhosts', 'again', { ...site('again'), config: 'respnd' });
    expect([refused.status, refused.body.code]).toEqual([502, 'PROXY_REJECTED']);
    const made = await send('/vhosts', 'again', site('again'));
    expect([made.status, made.body.domain]).toEqual([201, 'http://again.example']);
  });
});

describe('a retry', () => {
  test('gets the first answer, also after later changes, and changes nothing', async () => {
    const block = { recipe: 'block', values: { networks: ['203.0.113.9'] } };
    const document = (await owner.call('GET', '/export')).body;
    const proxyfile = 'http://imported.example {\n\trespond imported\n}\n';
    const bulk = {
      operations: [
        { op: 'create', ...site('b-1') },
        { op: 'create', ...site('b-2') },
      ],
    };
    for (const [path, json, status] of [
      ['/restore?replace=true', document, 200],
      ['/vhosts', site('one'), 201],
      ['/vhosts/bulk', bulk, 200],
      ['/policies', { name: 'p-1', ...block }, 201],
      ['/import', { proxyfile, preamble: 'keep' }, 200],
    ] as const) {
      const first = await send(path, 'retry', json);
      expect([path, first.status]).toEqual([path, status]);
      await owner.create(`between-${path.replaceAll(/[^a-z]/g, '')}`);
      const before = await owner.everything();
      const again = await send(path, 'retry', json);
      expect([path, again.status, again.text]).toEqual([path, status, first.text]);
      expect(again.headers.get('etag')).toBe(first.headers.get('etag'));
      expect(await owner.everything()).toEqual(before);
    }
  });

  test('with the fields in another order is the same request', async () => {
    const { domain, config } = site('order');
    const first = await send('/vhosts', 'order', { domain, config });
    const again = await send('/vhosts', 'order', { config, domain });
    expect([again.status, again.text]).toEqual([201, first.text]);
  });

  test('that comes while the first is under way waits for it', async () => {
    const all = await Promise.all(
      Array.from({ length: 5 }, () => send('/vhosts', 'together', site('together'))),
    );
    expect(new Set(all.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(all[0]?.status).toBe(201);
    const log = await owner.changelog(`?domain=${encodeURIComponent('http://together.example')}`);
    expect(log.length).toBe(1);
  });

  test('is tried again if the first, which it waited for, was refused', async () => {
    const wrong = { ...site('wrong'), config: 'respnd' };
    const all = await Promise.all([1, 2, 3].map(() => send('/vhosts', 'refused', wrong)));
    expect(all.map(({ status }) => status)).toEqual([502, 502, 502]);
  });
});
