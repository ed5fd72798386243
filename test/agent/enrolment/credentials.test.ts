/** The hashes that an enrolled agent keeps, and what a kill between two steps of a rotation leaves. */
import { beforeEach, describe, expect, test } from 'bun:test';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Credentials, createCredentials } from '../../../agent/enrolment/credentials.ts';
import { tokenHash } from '../../../src/shared/bearer.ts';
import { temporaryFolder } from '../../harness/stack.ts';

const HUB = { hub: 'a'.repeat(32), term: 2 };
const [FIRST, SECOND, THIRD] = ['first', 'second', 'third'].map((name) => name.repeat(8)) as [
  string,
  string,
  string,
];
let file: string;
let credentials: Credentials;
let lines: string[];
const open = () => createCredentials(file, (event) => lines.push(event));
beforeEach(() => {
  file = join(temporaryFolder(), 'enrolment.json');
  lines = [];
  credentials = open();
});

const isKnown = (token: string) => credentials.isKnown(tokenHash(token));
/** As after a kill at any later moment: only what is on disk counts. */
const restart = () => {
  credentials = open();
};

test('before the first enrolment there is no hub, no valid token, and nothing to rotate', () => {
  expect(credentials.enrolled()).toBeNull();
  expect(isKnown('')).toBe(false);
  expect(() => credentials.rotate(FIRST)).toThrow('no hub is enrolled');
});

test.each([
  ['empty', ''],
  ['cut', '{"hub":"a'],
  ['without a hash', JSON.stringify({ ...HUB, token: 'x', previous: null })],
  ['of another kind', '[]'],
])('a file that is %s is refused', (_, text) => {
  writeFileSync(file, text);
  expect(open).toThrow(`${file} is damaged`);
});

test('no token is in the file, which only its owner can read', () => {
  credentials.enrol(HUB, FIRST);
  credentials.rotate(SECOND);
  const text = readFileSync(file, 'utf8');
  for (const token of [FIRST, SECOND]) expect(text).not.toContain(token);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('another enrolment ends all tokens of the one before', () => {
  credentials.enrol(HUB, FIRST);
  credentials.rotate(SECOND);
  const other = { hub: 'b'.repeat(32), term: 1 };
  credentials.enrol(other, THIRD);
  restart();
  expect(credentials.enrolled()).toEqual(other);
  expect([isKnown(FIRST), isKnown(SECOND), isKnown(THIRD)]).toEqual([false, false, true]);
});

describe('forgetting', () => {
  beforeEach(() => {
    credentials.enrol(HUB, FIRST);
    credentials.rotate(SECOND);
  });

  test.each([
    ['another hub', { hub: 'b'.repeat(32), term: 9 }],
    ['an older copy of the hub', { ...HUB, term: 1 }],
  ])('is not for %s', (_, hub) => {
    expect(() => credentials.forget(hub)).toThrow('Another hub was enrolled since.');
    restart();
    expect([isKnown(FIRST), isKnown(SECOND)]).toEqual([true, true]);
  });

  test('leaves no token valid, also after a kill, and an enrolment begins anew', () => {
    credentials.forget({ ...HUB, term: 3 });
    expect([isKnown(FIRST), isKnown(SECOND)]).toEqual([false, false]);
    restart();
    expect([isKnown(FIRST), isKnown(SECOND), isKnown('')]).toEqual([false, false, false]);
    expect(credentials.enrolled()).toEqual(HUB);
    credentials.enrol(HUB, THIRD);
    expect([isKnown(FIRST), isKnown(THIRD)]).toEqual([false, true]);
  });
});

describe('a rotation', () => {
  beforeEach(() => credentials.enrol(HUB, FIRST));
  const rotate = (token: string) => () => credentials.rotate(token);
  const use = (token: string) => () => void isKnown(token);

  test.each<[string, (() => void)[], [boolean, boolean, boolean]]>([
    ['nothing yet', [], [true, false, false]],
    ['the next token is stored', [rotate(SECOND)], [true, true, false]],
    ['it is stored once more', [rotate(SECOND), rotate(SECOND)], [true, true, false]],
    ['only the old one is used', [rotate(SECOND), use(FIRST)], [true, true, false]],
    ['the next one is used', [rotate(SECOND), use(SECOND)], [false, true, false]],
    [
      'a third replaces one that was not used',
      [rotate(SECOND), rotate(THIRD)],
      [true, false, true],
    ],
    [
      'a third follows one that was used',
      [rotate(SECOND), use(SECOND), rotate(THIRD)],
      [false, true, true],
    ],
  ])('after which %s leaves these tokens valid, also after a kill', (_, steps, valid) => {
    for (const step of steps) step();
    restart();
    // The newest last: to use it ends the others.
    const found = [isKnown(FIRST), isKnown(SECOND), isKnown(THIRD)];
    expect(found).toEqual(valid);
    expect(credentials.enrolled()).toEqual(HUB);
  });

  test('is refused whole by a disk that cannot be written to', () => {
    // Stands in for a full disk: this time, the temporary file cannot be made.
    mkdirSync(`${file}.part`);
    expect(rotate(SECOND)).toThrow();
    expect([isKnown(FIRST), isKnown(SECOND)]).toEqual([true, false]);
  });

  test('whose end cannot be written keeps the hub in, and ends with a later request', () => {
    credentials.rotate(SECOND);
    mkdirSync(`${file}.part`);
    expect([isKnown(SECOND), isKnown(FIRST)]).toEqual([true, true]);
    expect(lines).toEqual(['previous token still valid']);
    expect([isKnown(SECOND), isKnown(FIRST)]).toEqual([true, false]);
  });
});
