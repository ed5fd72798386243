/** Requests that are sent again with their `Idempotency-Key`. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { answers } from '../../../src/hub/db/schema.ts';
import { dropAnswers, findAnswer, keepAnswer } from '../../../src/hub/model/answers.ts';
import { inDatabase, startDatabase } from '../../harness/database.ts';
import { forFile } from '../../harness/for-file.ts';
import { type Body, startOwner } from '../../harness/owner.ts';

const owner = await forFile(startOwner());

beforeAll(() => owner.create('base'));

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
      name: 'scripts',
      scope: 'write',
    });
    const token = { Authorization: `Bearer ${made.body.token}` };
    const other = await send('/vhosts', 'taken', site('by-token'), token);
    expect([other.status, other.body.domain]).toEqual([201, 'http://by-token.example']);
    const operations = [{ op: 'create', ...site('bulk') }];
    expect((await send('/vhosts/bulk', 'taken', { operations })).status).toBe(200);
  });

  test('of a token is not that of a later one with the same name', async () => {
    const asToken = async () => {
      const { body } = await owner.call<{ id: number; token: string }>('POST', '/tokens', {
        name: 'ci',
        scope: 'write',
      });
      return { id: body.id, headers: { Authorization: `Bearer ${body.token}` } };
    };
    const first = await asToken();
    expect((await send('/vhosts', 'ci', site('ci'), first.headers)).status).toBe(201);
    await owner.call('DELETE', `/tokens/${first.id}`);
    const second = await asToken();
    const again = await send('/vhosts', 'ci', site('ci'), second.headers);
    expect([again.status, again.body.code]).toEqual([409, 'DOMAIN_TAKEN']);
    const other = await send('/vhosts', 'ci', site('ci-2'), second.headers);
    expect([other.status, other.body.domain]).toEqual([201, 'http://ci-2.example']);
  });

  test('whose answer was too large to keep is 422, and changes nothing', async () => {
    expect((await send('/vhosts', 'large', site('large'))).status).toBe(201);
    const last = 'SELECT key FROM answers ORDER BY rowid DESC LIMIT 1';
    inDatabase(owner.stack.dataDir, (db) =>
      db.run(`UPDATE answers SET body = NULL WHERE key = (${last})`),
    );
    const before = await owner.everything();
    const again = await send('/vhosts', 'large', site('large'));
    expect([again.status, again.body.code]).toEqual([422, 'KEY_REUSED']);
    expect(again.text).toContain('was accepted');
    expect(await owner.everything()).toEqual(before);
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

describe('what is stored of answers', () => {
  test('cannot be read without the key', async () => {
    await send('/vhosts', 'secret', site('secret'));
    const rows = inDatabase(owner.stack.dataDir, (db) =>
      db.query('SELECT * FROM answers').all(),
    ) as { body: Uint8Array | null }[];
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) {
      expect(Buffer.from(row.body ?? []).toString()).not.toContain('example');
      expect(JSON.stringify({ ...row, body: null })).not.toContain('example');
    }
  });

  test('is bounded for each account or token: the oldest go, and their keys stay', () => {
    const { db, stop } = startDatabase();
    const now = Date.now();
    const keep = (key: string, whose: string, bytes: number, at: number) =>
      keepAnswer(
        db,
        {
          key,
          whose,
          request: '',
          status: 200,
          body: Buffer.alloc(bytes),
          createdAt: new Date(now + at),
        },
        1_000,
      );
    const kept = (...keys: string[]) =>
      keys.map((key) => findAnswer(db, key, new Date(now))?.body?.length ?? null);
    keep('a', 'one', 400, 0);
    keep('b', 'one', 400, 1);
    keep('else', 'two', 900, 2);
    expect(kept('a', 'b', 'else')).toEqual([400, 400, 900]);
    keep('c', 'one', 400, 3);
    expect(kept('a', 'b', 'c', 'else')).toEqual([null, 400, 400, 900]);
    keep('d', 'one', 1_001, 4);
    expect(kept('a', 'b', 'c', 'd', 'else')).toEqual([null, null, null, null, 900]);
    expect(findAnswer(db, 'd', new Date(now))?.status).toBe(200);
    // A day later, with the next change.
    dropAnswers(db, new Date(now + 24 * 3_600_000 + 3));
    expect(
      db
        .select()
        .from(answers)
        .all()
        .map(({ key }) => key),
    ).toEqual(['d']);
    stop();
  });
});
