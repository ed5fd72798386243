import { afterEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeOldCopies, replaceWhole, writeDurably } from '../../../src/shared/system/files.ts';
import { fill, mayMount, mountSmall, unmount } from '../../harness/mount.ts';
import { temporaryFolder } from '../../harness/stack.ts';

const folder = temporaryFolder();
const file = join(folder, 'secret');
afterEach(() => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
});

test('a file that cannot be written in full stays as it was, and nothing is left beside it', () => {
  writeFileSync(file, 'old');
  expect(() =>
    replaceWhole(file, (part) => {
      writeFileSync(part, 'half');
      throw new Error('cut');
    }),
  ).toThrow('cut');
  expect([readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual(['old', ['secret']]);
});

test('what a crash left under the temporary name is in nobody’s way', () => {
  writeFileSync(`${file}.part`, 'half of an earlier one, and longer than this');
  writeDurably(file, 'new', 0o600);
  expect([readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual(['new', ['secret']]);
});

test('a folder in place of the file is left alone', () => {
  mkdirSync(file);
  expect(() => writeDurably(file, 'new', 0o600)).toThrow();
  expect(readdirSync(folder)).toEqual(['secret']);
});

describe.skipIf(!mayMount)('on a full disk', () => {
  test('there is no file, or still the old one', () => {
    expect(mountSmall(folder, 'size=64k')).toBe(true);
    try {
      writeDurably(file, 'old', 0o600);
      const empty = fill(folder);
      const other = join(folder, 'other');
      for (const path of [file, other]) {
        expect(() => writeDurably(path, 'new', 0o600)).toThrow('ENOSPC');
      }
      expect([readFileSync(file, 'utf8'), existsSync(other)]).toEqual(['old', false]);
      empty();
      writeDurably(file, 'new', 0o600);
      expect(readFileSync(file, 'utf8')).toBe('new');
    } finally {
      unmount(folder);
    }
  });
});

test('of the copies of a file, the last five stay, and what has another name', () => {
  const folder = temporaryFolder();
  const stamps = [1, 2, 3, 4, 5, 6, 7].map((day) => `2026-11-0${day}T10-00-00-000Z`);
  for (const stamp of stamps) writeFileSync(join(folder, `Caddyfile.changed-${stamp}`), '');
  const others = ['Caddyfile', 'Caddyfile.before-signalbox', 'Caddyfile2.changed-2020'];
  for (const name of others) writeFileSync(join(folder, name), '');
  removeOldCopies(join(folder, 'Caddyfile.changed-'));
  const left = stamps.slice(2).map((stamp) => `Caddyfile.changed-${stamp}`);
  expect(readdirSync(folder).toSorted()).toEqual([...others, ...left].toSorted());
  removeOldCopies(join(folder, 'missing', 'Caddyfile.changed-'));
  rmSync(folder, { recursive: true });
});
