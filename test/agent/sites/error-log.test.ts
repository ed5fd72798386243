import { expect, test } from 'bun:test';
import { appendFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createErrorLog } from '../../../agent/sites/error-log.ts';
import { temporaryFolders } from '../logs/temp.ts';

const newFolder = temporaryFolders();
const newFile = () => join(newFolder(), 'errors.log');

test('a missing or unreadable log has no lines', async () => {
  const log = createErrorLog(newFile());
  expect([await log.read(), await log.read()]).toEqual([[], []]);
  const folder = createErrorLog(newFolder());
  expect(await folder.read()).toEqual([]);
  await Promise.all([log.close(), folder.close()]);
});

test('each line is read once, when its newline is there', async () => {
  const file = newFile();
  writeFileSync(file, 'one\ntw');
  const log = createErrorLog(file);
  expect(await log.read()).toEqual(['one']);
  expect(await log.read()).toEqual([]);
  appendFileSync(file, 'o\nthree\n');
  expect((await Promise.all([log.read(), log.read()])).flat()).toEqual(['two', 'three']);
  await log.close();
});

test('no line is lost when the log is rolled, even if the old file is removed', async () => {
  const file = newFile();
  writeFileSync(file, 'one\n');
  const log = createErrorLog(file);
  expect(await log.read()).toEqual(['one']);
  appendFileSync(file, 'two\n');
  renameSync(file, `${file}.1`);
  rmSync(`${file}.1`);
  expect(await log.read()).toEqual(['two']);
  writeFileSync(file, 'three\n');
  expect(await log.read()).toEqual(['three']);
  writeFileSync(file, '4\n');
  expect(await log.read()).toEqual(['4']);
  await log.close();
});

test('only the newest lines of a long log are read, none of them cut', async () => {
  const file = newFile();
  const lines = Array.from({ length: 60_000 }, (_, i) => `${i}`.padStart(40, '.'));
  writeFileSync(file, `${lines.join('\n')}\n`);
  const log = createErrorLog(file);
  const read = await log.read();
  expect(read.length).toBeGreaterThan(20_000);
  expect(read).toEqual(lines.slice(-read.length));
  await log.close();
});
