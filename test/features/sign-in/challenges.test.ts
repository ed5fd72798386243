import { beforeEach, expect, test } from 'bun:test';
import { createChallenges, SECONDS } from '../../../src/features/sign-in/challenges.ts';
import { challenges as table } from '../../../src/features/sign-in/tables.ts';
import { users } from '../../../src/hub/db/accounts-schema.ts';
import { openDatabase } from '../../../src/hub/db/open.ts';
import { folderForFile, forFile } from '../../harness/for-file.ts';

const folder = folderForFile();
const database = await forFile(openDatabase(folder));
const { db } = database;

let at: number;
const challenges = createChallenges({ db, now: () => new Date(at) });
const count = () => db.select().from(table).all().length;
const of = (userId: string) => ({ userId, data: { a: 1 } });

beforeEach(() => {
  at = Date.parse('2026-11-23T10:00:00Z');
  db.delete(table).run();
  db.delete(users).run();
  const made = { createdAt: new Date(at), updatedAt: new Date(at), passwordHash: '' };
  for (const id of ['ada', 'bob']) {
    db.insert(users)
      .values({ id, name: id, email: id, ...made })
      .run();
  }
});

test('none is found by a wrong id, as another kind, or by what is stored', () => {
  const id = challenges.begin('two_factor', of('ada'));
  const stored = db.select().from(table).get()?.idHash ?? '';
  expect(challenges.find('two_factor', null)).toBeNull();
  expect(challenges.find('two_factor', stored)).toBeNull();
  expect(challenges.find('passkey', id)).toBeNull();
  expect(challenges.take('passkey', id)).toBeNull();
  expect(challenges.find('two_factor', id)).toMatchObject({ ...of('ada'), failures: 0 });
});

test('none is taken twice', () => {
  const id = challenges.begin('passkey', {});
  expect(challenges.take('passkey', id)).toMatchObject({ userId: null, data: {} });
  expect(challenges.take('passkey', id)).toBeNull();
  expect(count()).toBe(0);
});

test.each(['two_factor', 'passkey'] as const)('a %s ends when its time is over', (kind) => {
  const id = challenges.begin(kind, {});
  at += SECONDS[kind] * 1000 - 1;
  expect(challenges.find(kind, id)).not.toBeNull();
  at += 1;
  expect(challenges.find(kind, id)).toBeNull();
  challenges.begin('two_factor', of('ada'));
  expect(count()).toBe(1);
});

test('one that began while the clock was ahead is not valid for longer', () => {
  const id = challenges.begin('passkey', {});
  at -= 1;
  expect(challenges.find('passkey', id)).toBeNull();
});

test('wrong answers are counted', () => {
  const id = challenges.begin('two_factor', of('ada'));
  challenges.fail(id);
  challenges.fail(id);
  expect(challenges.find('two_factor', id)?.failures).toBe(2);
});

test('an account that begins many loses its own oldest only', () => {
  const [bobs, anyones] = [
    challenges.begin('two_factor', of('bob')),
    challenges.begin('passkey', {}),
  ];
  const ids = Array.from({ length: 21 }, () => {
    at += 1;
    return challenges.begin('two_factor', of('ada'));
  });
  expect(challenges.find('two_factor', ids[0] ?? '')).toBeNull();
  expect(challenges.find('two_factor', ids[1] ?? '')).not.toBeNull();
  expect(challenges.find('two_factor', bobs)).not.toBeNull();
  expect(challenges.find('passkey', anyones)).not.toBeNull();
  expect(count()).toBe(21);
});

/** As many of nobody as there may be. @param left until they end, in milliseconds */
function fill(left: number): void {
  const expiresAt = new Date(at + left);
  const row = { kind: 'oidc', userId: null, data: {}, failures: 0, expiresAt };
  const many = Array.from({ length: 5000 }, (_, one) => ({ ...row, idHash: `${one}` }));
  for (let from = 0; from < many.length; from += 1000) {
    db.insert(table)
      .values(many.slice(from, from + 1000))
      .run();
  }
}

test('those of one kind push out none of another, however long they last', () => {
  const [passkey, own] = [challenges.begin('passkey', {}), challenges.begin('passkey', of('ada'))];
  for (let one = 0; one < 21; one++) challenges.begin('two_factor', of('ada'));
  fill(SECONDS.oidc * 1000);
  challenges.begin('oidc', {});
  const later = challenges.begin('passkey', {});
  for (const id of [passkey, own, later]) expect(challenges.find('passkey', id)).not.toBeNull();
});

test('an anonymous one of a passkey is in no table: 6,000 of strangers push out none', () => {
  const mine = challenges.begin('passkey', { data: { challenge: 'abc' } });
  for (let n = 0; n < 6_000; n++) challenges.begin('passkey', {});
  expect(count()).toBe(0);
  expect(challenges.find('passkey', mine)?.data).toEqual({ challenge: 'abc' });
});

test('an anonymous one is found by nothing but what the hub gave', () => {
  const id = challenges.begin('passkey', { data: { challenge: 'abc' } });
  const bytes = Buffer.from(id, 'base64url');
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(challenges.find('passkey', changed.toString('base64url'))).toBeNull();
  }
  const of2 = createChallenges({ db, now: () => new Date(at) });
  expect(of2.find('passkey', id)).toBeNull();
  for (const kind of ['two_factor', 'passkey_new', 'oidc'] as const) {
    expect(challenges.find(kind, id)).toBeNull();
  }
  expect(challenges.take('passkey', id)).not.toBeNull();
  for (const again of [id, `${id}=`, `${id}==`, `${id} `]) {
    expect(challenges.take('passkey', again)).toBeNull();
  }
});

test('those of nobody push out neither an account’s nor grow without end', () => {
  const adas = challenges.begin('passkey_new', of('ada'));
  fill(1000);
  const mine = challenges.begin('oidc', {});
  expect(count()).toBe(5001);
  expect(challenges.find('oidc', mine)).not.toBeNull();
  expect(challenges.find('passkey_new', adas)).not.toBeNull();
});
