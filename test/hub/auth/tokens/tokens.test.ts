import { describe, expect, test } from 'bun:test';
import { isTokenText, makeTokenText } from '../../../../src/hub/auth/tokens/tokens.ts';
import { inDatabase } from '../../../harness/database.ts';
import { forFile } from '../../../harness/for-file.ts';
import { ask, signUp, startStack } from '../../../harness/stack.ts';

type Token = { id: string; name: string; token: string; code: string; lastUsedAt: string | null };

const stack = await forFile(startStack());

const owner = await signUp(stack);

const call = <T = Token>(method: string, path: string, headers = owner.headers, json?: unknown) =>
  ask<T>(`${stack.hub}${path}`, { method, headers, json });

async function make(input: object) {
  const made = await call('POST', '/tokens', owner.headers, { name: 'script', ...input });
  return { ...made, headers: { Authorization: `Bearer ${made.body.token}` } };
}
const vhost = (name: string) => ({ domain: `http://${name}.example`, config: 'respond 1' });

describe('a token is not created', () => {
  test.each<[string, object]>([
    ['without a name', { name: ' ' }],
    ['with a name that is too long', { name: 'x'.repeat(101) }],
    ['with an unknown scope', { scope: 'admin' }],
    ['with an expiry in the past', { expiresAt: '2020-01-01T00:00:00.000Z' }],
    ['with an expiry that is not a time', { expiresAt: '2030-99-99T00:00:00Z' }],
    ['with an expiry without a zone', { expiresAt: '2999-01-01T00:00:00' }],
  ])('%s', async (_, input) => {
    const answer = await make(input);
    expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_REQUEST']);
  });
});

/** What every route refuses to a token of too small a scope: see matrix.test.ts. */
describe('a token cannot', () => {
  test('sign anybody up, or be a session, whatever its scope', async () => {
    for (const scope of ['read', 'write']) {
      const { headers } = await make({ scope });
      const json = { name: 'Eve', email: 'eve@example.org', password: 'a long passphrase' };
      expect((await call('POST', '/auth/sign-up/email', headers, json)).status).toBe(403);
      expect((await call('GET', '/auth/get-session', headers)).text).toBe('null');
    }
  });

  test('be one of more than 50 of an account', async () => {
    const made: string[] = [];
    let last = await make({});
    for (; last.status === 201; last = await make({})) made.push(last.body.id);
    expect(last).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
    expect(last.text).toContain('at most 50 tokens');
    expect((await call<Token[]>('GET', '/tokens')).body).toHaveLength(50);
    for (const id of made) expect((await call('DELETE', `/tokens/${id}`)).status).toBe(200);
  });

  test('be made for somebody else by naming them', async () => {
    const eve = { name: 'Eve', email: 'eve@example.org', password: 'a long passphrase' };
    const json = { ...eve, role: 'owner' };
    const { id } = (await call<{ id: string }>('POST', '/users', owner.headers, json)).body;
    const input = { name: 'hers', userId: id, user: { id }, createdBy: id };
    expect((await ask(`${stack.hub}/tokens`, { json: input })).status).toBe(401);
    expect((await make(input)).status).toBe(201);
    expect((await call('GET', '/tokens')).text).toContain('"hers"');
    const signedIn = await ask<{ token: string }>(`${stack.hub}/auth/sign-in/email`, { json: eve });
    const hers = { Authorization: `Bearer ${signedIn.body.token}` };
    expect((await call('GET', '/tokens', hers)).text).toBe('[]');
  });

  test('be deleted by guessing its id, or be used once it is deleted', async () => {
    const { body, headers } = await make({ expiresAt: '2999-01-01T00:00:00Z' });
    expect((await call('GET', '/vhosts', headers)).status).toBe(200);
    expect((await call('DELETE', `/tokens/${body.id}x`)).status).toBe(404);
    expect((await call('DELETE', `/tokens/${body.id}`)).status).toBe(200);
    expect((await call('GET', '/vhosts', headers)).status).toBe(401);
  });
});

test('a token acts in its owner’s name, and the changelog names it', async () => {
  const { status, body, headers } = await make({ name: 'deploy', scope: 'write' });
  expect([status, body.token]).toEqual([201, expect.stringMatching(/^sbx_[0-9A-Za-z]{38}$/)]);
  expect((await call('POST', '/vhosts', headers, vhost('token'))).status).toBe(201);
  expect((await call('POST', '/vhosts', owner.headers, vhost('person'))).status).toBe(201);
  const { body: log } = await call<{ userId: string; userName: string; via: string | null }[]>(
    'GET',
    '/changelog',
    headers,
  );
  expect(log.slice(0, 2).map(({ via, userId, userName }) => [via, userId, userName])).toEqual([
    [null, owner.userId, 'Ada'],
    ['deploy', owner.userId, 'Ada'],
  ]);
});

test('it is shown once, stored as a hash, and its last use is recorded', async () => {
  const { body, headers } = await make({ name: 'seen' });
  const listed = async () =>
    (await call<Token[]>('GET', '/tokens')).body.find(({ id }) => id === body.id);
  expect(await listed()).toMatchObject({ name: 'seen', scope: 'read', lastUsedAt: null });
  await call('GET', '/vhosts', headers);
  const used = (await listed())?.lastUsedAt;
  expect(used).toEqual(expect.any(String));
  await call('GET', '/vhosts', headers);
  expect((await listed())?.lastUsedAt).toBe(used as string);
  expect((await call('GET', '/tokens')).text).not.toContain(body.token);
  const stored = inDatabase(stack.dataDir, (db) => db.query('SELECT * FROM api_tokens').all());
  expect(JSON.stringify(stored)).not.toContain(body.token);
});

describe('a token’s text', () => {
  test('has a checksum that detects typing mistakes', () => {
    for (let round = 0; round < 50; round++) {
      const text = makeTokenText();
      expect(isTokenText(text)).toBe(true);
      const at = 4 + (round % 38);
      const other = text[at] === 'a' ? 'b' : 'a';
      expect(isTokenText(text.slice(0, at) + other + text.slice(at + 1))).toBe(false);
    }
  });

  test.each(['', 'sbx_', `sbx_${'0'.repeat(38)}`, 'ghp_0123'])('%p is not a token', (text) => {
    expect(isTokenText(text)).toBe(false);
  });

  test('ends in the CRC-32 of its random part in base62', () => {
    // zlib's crc32 of 32 zeros, written in base62.
    expect(isTokenText(`sbx_${'0'.repeat(32)}2wjyrI`)).toBe(true);
  });
});
