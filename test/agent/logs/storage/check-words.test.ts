import { describe, expect, test } from 'bun:test';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { CHECK_AGENT } from '../../../../agent/logs/line/entry.ts';
import { createCheckWords } from '../../../../agent/logs/storage/check-words.ts';
import { temporaryFolders } from '../temp.ts';

const newFolder = temporaryFolders();
const newFile = () => join(newFolder(), 'access.log');
const isOwn = (address: string) => address === '127.0.0.1';
/** A start of the agent at a time. */
const startAt = (file: string, time: number) => {
  const words = createCheckWords(file, isOwn, () => time);
  const isCheck = (word: string, at: number, address = '127.0.0.1') =>
    words.isCheck(word, at, address);
  return { ...words, isCheck, word: words.userAgent().slice(CHECK_AGENT.length) };
};

test('each start makes another word, and the earlier ones count for their own time only', () => {
  const file = newFile();
  const first = startAt(file, 1_000);
  const second = startAt(file, 2_000);
  const third = startAt(file, 3_000);
  expect(first.word).toMatch(/^[0-9a-f]{16}$/);
  expect(new Set([first, second, third].map(({ word }) => word)).size).toBe(3);
  for (const time of [2_000, 2_999]) {
    expect(third.isCheck(first.word, time)).toBe(false);
    expect(third.isCheck(second.word, time)).toBe(true);
  }
  expect(third.isCheck(second.word, 3_000)).toBe(false);
  expect(third.isCheck(first.word, 1_999)).toBe(true);
  expect(third.isCheck(third.word, 1e15)).toBe(true);
  expect(third.isCheck(third.word, Number.NaN)).toBe(true);
  expect(third.isCheck('0123456789abcdef', 1_500)).toBe(false);
  expect(third.isCheck('', 1_500)).toBe(false);
});

test('a word that was told to somebody else hides no visitor', () => {
  const { word, isCheck } = startAt(newFile(), 1_000);
  for (const address of ['203.0.113.9', '2001:db8::9', '', '127.0.0.1, 203.0.113.9']) {
    expect([address, isCheck(word, 2_000, address)]).toEqual([address, false]);
  }
  expect(isCheck(word, 2_000)).toBe(true);
});

test('is stored for the agent alone, and forgotten with the last entry of its time', () => {
  const file = newFile();
  const first = startAt(file, 1_000);
  const second = startAt(file, 2_000);
  startAt(file, 3_000).forgetBefore(1_999);
  expect(startAt(file, 4_000).isCheck(first.word, 1_500)).toBe(true);
  startAt(file, 5_000).forgetBefore(2_000);
  const last = startAt(file, 6_000);
  expect(last.isCheck(first.word, 1_500)).toBe(false);
  expect(last.isCheck(second.word, 2_500)).toBe(true);
  expect(statSync(`${file}.checks`).mode & 0o777).toBe(0o600);
  last.forgetBefore(Number.POSITIVE_INFINITY);
  expect([last.isCheck(second.word, 2_500), last.isCheck(last.word, 7_000)]).toEqual([false, true]);
  expect(readdirSync(join(file, '..'))).toEqual(['access.log.checks']);
});

test('is stored by the first check if the folder did not exist at the start', () => {
  const folder = newFolder();
  const file = join(folder, 'logs', 'access.log');
  const first = createCheckWords(file, isOwn, () => 1_000);
  expect(readdirSync(folder)).toEqual([]);
  mkdirSync(join(folder, 'logs'));
  const word = first.userAgent().slice(CHECK_AGENT.length);
  expect(startAt(file, 2_000).isCheck(word, 1_500)).toBe(true);
});

test('a thousand starts are enough', () => {
  const file = newFile();
  const words = Array.from({ length: 1_002 }, (_, at) => ({ word: `${at}`, from: at }));
  writeFileSync(`${file}.checks`, JSON.stringify(words));
  startAt(file, 5_000);
  const kept = JSON.parse(readFileSync(`${file}.checks`, 'utf8'));
  expect([kept.length, kept[0]]).toEqual([1_000, { word: '3', from: 3 }]);
});

describe('starts without the earlier ones, if their file', () => {
  test.each<[string, (path: string) => void]>([
    ['is no list', (path) => writeFileSync(path, '{"word":"a","from":1}')],
    ['is cut', (path) => writeFileSync(path, '[{"word":"a","fr')],
    ['holds other things', (path) => writeFileSync(path, '[1,null,{"word":1,"from":1}]')],
    ['is a link', (path) => symlinkSync('/etc/passwd', path)],
    ['is too long', (path) => writeFileSync(path, `[${' '.repeat(1 << 20)}]`)],
  ])('%s', (_, spoil) => {
    const file = newFile();
    spoil(`${file}.checks`);
    const { word } = startAt(file, 1_000);
    expect(JSON.parse(readFileSync(`${file}.checks`, 'utf8'))).toEqual([{ word, from: 1_000 }]);
  });
});
