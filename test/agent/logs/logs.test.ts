import { describe, expect, test } from 'bun:test';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createLogs } from '../../../agent/logs/logs.ts';
import { line } from './lines.ts';
import { ALL, lines, ROLL, temporaryFolders, temporaryLogs } from './temp.ts';

const newFolder = temporaryFolders();
const logWith = temporaryLogs();

describe('what is not in the log', () => {
  test('without a folder or file, or with an empty file', async () => {
    const nowhere = createLogs({ file: join(newFolder(), 'no', 'access.log') });
    const empty = { logs: [], total: 0, page: 2, pageSize: 5 };
    expect(await nowhere.page({ page: 2, pageSize: 5 })).toEqual(empty);
    expect(await logWith({}).paths()).toBe('');
    expect(await logWith({ 'access.log': '', [`${ROLL}.gz`]: '', [ROLL]: '' }).paths()).toBe('');
  });

  test('an unfinished last line, until its newline is written', async () => {
    const { paths, at } = logWith({ 'access.log': lines('/a') + line({ request: { uri: '/b' } }) });
    expect(await paths()).toBe('/a');
    appendFileSync(at('access.log'), '\n');
    expect(await paths()).toBe('/b /a');
  });

  test('pages past the end', async () => {
    const { logs } = logWith({ 'access.log': lines('/a', '/b', '/c') });
    expect(await logs.page({ page: 3, pageSize: 2 })).toMatchObject({ logs: [], total: 3 });
    const far = await logs.page({ page: 999_999_999_999_999, pageSize: 500 });
    expect(far).toMatchObject({ logs: [], total: 3, page: 999_999_999_999_999 });
  });

  test('a closed log', async () => {
    const { logs } = logWith({ 'access.log': lines('/a') });
    logs.close();
    await expect(logs.page(ALL)).rejects.toThrow('closed');
  });
});

describe('damaged files', () => {
  test('a truncated gzip file is read up to its end', async () => {
    const many = lines(...Array.from({ length: 2000 }, (_, i) => `/${(i * 7919) % 104729}`));
    const packed = gzipSync(many);
    const { logs } = logWith({ [`${ROLL}.gz`]: packed.subarray(0, packed.length - 9) });
    expect((await logs.page(ALL)).total).toBeGreaterThan(1000);
  });

  test('a file that is not gzip is ignored', async () => {
    const { paths } = logWith({ [`${ROLL}.gz`]: 'nonsense', 'access.log': lines('/a') });
    expect(await paths()).toBe('/a');
  });
});

describe('lines', () => {
  test('longer than a block, and of 5 MB', async () => {
    const long = `/${'x'.repeat(5_000_000)}`;
    const { logs } = logWith({ 'access.log': lines('/a', long, '/b', `/${'y'.repeat(1 << 20)}`) });
    const { logs: entries, total } = await logs.page(ALL);
    expect(total).toBe(4);
    expect(entries.map(({ path }) => path.length)).toEqual([(1 << 20) + 1, 2, long.length, 2]);
    expect((await logs.page({ page: 3, pageSize: 1 })).logs[0]?.path).toBe(long);
  });

  test('too long to be kept are ignored', async () => {
    const giant = Buffer.alloc(65 << 20, 'x');
    const { paths, at } = logWith({ 'access.log': lines('/a') });
    appendFileSync(at('access.log'), giant);
    appendFileSync(at('access.log'), `\n${lines('/b')}`);
    expect(await paths()).toBe('/b /a');
  });

  test('with carriage returns, U+2028 and invalid UTF-8', async () => {
    const bytes = Buffer.from(lines('/a', '/\u2028', '/c').replaceAll('\n', '\r\n'));
    bytes[bytes.indexOf('/c') + 1] = 0xff;
    expect(await logWith({ 'access.log': bytes }).paths()).toBe('/\ufffd /\u2028 /a');
  });
});

test('during the first indexing, queries are answered from the newest segments', async () => {
  const folder = newFolder();
  const file = join(folder, 'access.log');
  for (let i = 0; i < 6; i++) {
    const uris = Array.from({ length: 3000 }, (_, n) => `/${i}/${n}`);
    const name = i === 5 ? 'access.log' : `access-2026-11-20T22-17-03.46${i}.log.gz`;
    writeFileSync(join(folder, name), i === 5 ? lines(...uris) : gzipSync(lines(...uris)));
  }
  const logs = createLogs({ file, timeout: 0 });
  logs.warm();
  const totals: number[] = [];
  for (;;) {
    const { partial, total, logs: entries } = await logs.page({ page: 1, pageSize: 1 });
    totals.push(total);
    // All of a segment, or nothing of it.
    expect(total % 3000).toBe(0);
    expect(entries[0]?.path).toBe(total === 0 ? undefined : '/5/2999');
    if (!partial) break;
  }
  expect(totals[0]).toBeLessThan(18_000);
  expect(totals.at(-1)).toBe(18_000);
  expect(totals).toEqual(totals.toSorted((a, b) => a - b));
  logs.close();
});
