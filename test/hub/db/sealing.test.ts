/** Sealing: what it refuses, what it gives back, and when its key may be made. */
import { beforeEach, expect, test } from 'bun:test';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { twoFactors } from '../../../src/features/sign-in/tables.ts';
import { users } from '../../../src/hub/db/accounts-schema.ts';
import { agents } from '../../../src/hub/db/schema.ts';
import { createSealing, type Sealing } from '../../../src/hub/db/sealing.ts';
import { startDatabase } from '../../harness/database.ts';
import { forEachTest } from '../../harness/for-tests.ts';

const AT = new Date('2026-11-23T09:00:00.000Z');
const SECRET = 'a secret, ünïcode 😀';
const OF = 'two_factors ada secret';

let file: string;
const database = forEachTest(startDatabase);
let sealing: Sealing;

beforeEach(() => {
  file = join(database.folder, 'secret-key');
  sealing = createSealing(database.db, file);
});

/** Stores a secret, as an account has it. */
function store(): Buffer {
  const secret = sealing.seal(SECRET, OF);
  const times = { createdAt: AT, updatedAt: AT };
  database.db
    .insert(users)
    .values({ id: 'ada', name: 'Ada', email: 'ada@example.org', passwordHash: 'x', ...times })
    .run();
  const more = { codes: [], verified: true, lastStep: 0, failures: 0 };
  database.db
    .insert(twoFactors)
    .values({ userId: 'ada', secret, ...more })
    .run();
  return secret;
}

const enrol = () =>
  database.db
    .insert(agents)
    .values({
      name: 'vps',
      url: 'https://127.0.0.1:9',
      fingerprint: 'a3'.repeat(32),
      preamble: '',
      generation: 1,
      paused: false,
      createdAt: AT,
      updatedAt: AT,
    })
    .run();

const refusal = (words: string) =>
  expect.objectContaining({ code: 'SECRET_KEY_UNUSABLE', message: expect.stringContaining(words) });

const PASSWD = 'signalbox passwd EMAIL --reset-factors';

test.each([
  ['missing', 'is missing', () => rmSync(file)],
  ['empty', 'is damaged', () => writeFileSync(file, '')],
  ['cut', 'is damaged', () => writeFileSync(file, 'abc')],
  ['of NULs', 'is damaged', () => writeFileSync(file, '\0'.repeat(43))],
  ['a folder', 'is a folder', () => Bun.spawnSync(['sh', '-c', `rm ${file} && mkdir ${file}`])],
  ['another one', 'is not the key', () => writeFileSync(file, `${'A'.repeat(43)}\n`)],
])(
  'with something sealed, a key that is %s opens and seals nothing, and stays',
  (_, words, spoil) => {
    const sealed = store();
    expect(sealing.fault()).toBeNull();
    copyFileSync(file, `${file}.kept`);
    spoil();
    const before = statSync(file, { throwIfNoEntry: false })?.ino;
    for (const attempt of [
      () => sealing.open(sealed, OF),
      () => sealing.seal(SECRET, OF),
      () => sealing.key.make(true),
    ]) {
      expect(attempt).toThrow(refusal(words));
    }
    expect(sealing.fault()).toContain(words);
    expect(statSync(file, { throwIfNoEntry: false })?.ino).toBe(before);
    rmSync(file, { recursive: true, force: true });
    renameSync(`${file}.kept`, file);
    expect([sealing.open(sealed, OF), sealing.fault()]).toEqual([SECRET, null]);
  },
);

test('what to do names what was sealed, and nothing else', () => {
  store();
  rmSync(file);
  expect(sealing.fault()).toContain(PASSWD);
  expect(sealing.fault()).not.toContain('agent');
  expect(sealing.fault()).not.toContain('channel');
  expect(sealing.fault()).not.toContain(database.folder);
  database.db.delete(twoFactors).run();
  expect(sealing.fault()).toBeNull();
  enrol();
  expect(sealing.fault()).toContain('invite this hub again from each agent');
  expect(sealing.fault()).not.toContain(PASSWD);
});

test('with an agent enrolled, a missing key is made only to invite it again', () => {
  enrol();
  expect(() => sealing.seal(SECRET, OF)).toThrow(refusal('is missing'));
  expect(() => sealing.key.make(false)).toThrow(refusal('is missing'));
  expect(existsSync(file)).toBe(false);
  sealing.key.make(true);
  expect(sealing.key.read()).toHaveLength(32);
});

test('a key that nothing needs is no fault, and is made when something does', () => {
  expect(sealing.fault()).toBeNull();
  expect(() => sealing.key.read()).toThrow(refusal('is missing'));
  expect(existsSync(file)).toBe(false);
  const sealed = sealing.seal(SECRET, OF);
  expect(sealing.open(sealed, OF)).toBe(SECRET);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).toMatch(/^[\w-]{43}\n$/);
  const key = sealing.key.read();
  sealing.key.make(false);
  expect(sealing.key.read()).toEqual(key);
  // Rolled back: nothing is sealed with it.
  writeFileSync(file, `${'A'.repeat(43)}\n`);
  expect(sealing.open(sealing.seal(SECRET, OF), OF)).toBe(SECRET);
});

test('it opens only as what it is, and only unchanged', () => {
  const sealed = store();
  expect(sealed.includes('a secret')).toBe(false);
  expect(() => sealing.open(sealed, 'two_factors bob secret')).toThrow(refusal('changed'));
  for (const at of sealed.keys()) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(() => sealing.open(changed, OF)).toThrow(refusal('secret'));
    expect(() => sealing.open(sealed.subarray(0, at), OF)).toThrow(refusal('secret'));
  }
  expect(sealing.open(sealed, OF)).toBe(SECRET);
});

test('the same text is never sealed to the same bytes', () => {
  const all = new Set(Array.from({ length: 50 }, () => sealing.seal('', OF).toString('hex')));
  expect(all.size).toBe(50);
});

test('a key that cannot be read is a fault', () => {
  store();
  chmodSync(file, 0);
  // Root reads it all the same.
  expect(sealing.fault()).toEqual(
    process.getuid?.() === 0 ? null : expect.stringContaining('permission'),
  );
});
