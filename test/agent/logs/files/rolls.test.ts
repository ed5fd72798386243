import { describe, expect, test } from 'bun:test';
import { appendFileSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { createLogs } from '../../../../agent/logs/logs.ts';
import { line } from '../lines.ts';
import { ALL, keeperOf, lines, ROLL, temporaryFolders, temporaryLogs } from '../temp.ts';

const newFolder = temporaryFolders();
const logWith = temporaryLogs();

describe('growing, rolling, compressing', () => {
  test('appended lines are found at once', async () => {
    const { paths, at } = logWith({ 'access.log': '' });
    for (let i = 0; i < 20; i++) {
      appendFileSync(at('access.log'), lines(`/${i}`));
      expect((await paths()).startsWith(`/${i}`)).toBe(true);
    }
  });

  test('concurrent calls share the work and agree', async () => {
    const { paths } = logWith({ 'access.log': lines('/a', '/b'), [ROLL]: lines('/c') });
    const answers = await Promise.all(Array.from({ length: 50 }, () => paths()));
    expect(new Set(answers)).toEqual(new Set(['/b /a /c']));
  });

  test('every step of a roll keeps the entries: rename, new file, compress, remove', async () => {
    const { paths, at } = logWith({ 'access.log': lines('/a', '/b') });
    expect(await paths()).toBe('/b /a');
    appendFileSync(at('access.log'), lines('/c'));
    renameSync(at('access.log'), at(ROLL));
    expect(await paths()).toBe('/c /b /a');
    writeFileSync(at('access.log'), lines('/d'));
    expect(await paths()).toBe('/d /c /b /a');
    const packed = gzipSync(lines('/a', '/b', '/c'));
    writeFileSync(at(`${ROLL}.gz`), packed.subarray(0, 20));
    expect(await paths()).toBe('/d /c /b /a');
    writeFileSync(at(`${ROLL}.gz`), packed);
    rmSync(at(ROLL));
    expect(await paths()).toBe('/d /c /b /a');
    rmSync(at(`${ROLL}.gz`));
    expect(await paths()).toBe('/d');
  });

  test.each([
    ['.gz', gzipSync],
    ['.zst', zstdCompressSync],
  ])(
    'a file that was written to, rolled and compressed to %s between two calls',
    async (suffix, pack) => {
      const { paths, at } = logWith({ 'access.log': lines('/a', '/b') });
      await paths();
      writeFileSync(at(ROLL + suffix), pack(lines('/a', '/b', '/c') + line()));
      writeFileSync(at('access.log'), lines('/d'));
      expect(await paths()).toBe('/d / /c /b /a');
    },
  );

  test('the last line of a rolled file counts without a newline, but not if the line continues later', async () => {
    const { paths, at } = logWith({ [ROLL]: lines('/a') + lines('/b').trimEnd() });
    expect(await paths()).toBe('/b /a');
    appendFileSync(at(ROLL), `garbage\n${lines('/c')}`);
    expect(await paths()).toBe('/c /a');
  });

  test('a truncated file is read again, even if it is larger than before', async () => {
    const { paths, at } = logWith({ 'access.log': lines('/a', '/b') });
    await paths();
    writeFileSync(at('access.log'), lines('/c'));
    expect(await paths()).toBe('/c');
    writeFileSync(at('access.log'), lines('/d', '/e', '/f'));
    expect(await paths()).toBe('/f /e /d');
  });

  test('a replaced file is read again', async () => {
    const { paths, at } = logWith({ 'access.log': lines('/a', '/b') });
    await paths();
    const before = statSync(at('access.log')).ino;
    writeFileSync(at('new'), lines('/c', '/d'));
    renameSync(at('new'), at('access.log'));
    expect(statSync(at('access.log')).ino).not.toBe(before);
    expect(await paths()).toBe('/d /c');
  });

  test('a folder that is created later', async () => {
    const folder = join(newFolder(), 'later');
    const logs = createLogs({ file: join(folder, 'access.log') });
    expect((await logs.page(ALL)).total).toBe(0);
    mkdirSync(folder);
    writeFileSync(join(folder, 'access.log'), lines('/a'));
    expect((await logs.page(ALL)).total).toBe(1);
  });
});

test.each(['gzip', 'packing'])(
  'rolling, %s and removing files during queries loses and repeats nothing',
  async (form) => {
    const { logs, at } = logWith({ 'access.log': '' });
    let written = 0;
    let done = false;

    async function write(): Promise<void> {
      for (let roll = 0; roll < 12; roll++) {
        for (let i = 0; i < 40; i++) {
          appendFileSync(at('access.log'), lines(`/${written++}`));
          if (i % 10 === 0) await Bun.sleep(0);
        }
        const name = ROLL.replace('03.468', `03.${100 + roll}`);
        renameSync(at('access.log'), at(name));
        if (roll % 2) await Bun.sleep(0);
        writeFileSync(at('access.log'), '');
        if (form === 'packing') {
          await keeperOf(at('access.log')).run();
          continue;
        }
        const packed = gzipSync(await Bun.file(at(name)).bytes());
        writeFileSync(at(`${name}.gz`), packed.subarray(0, packed.length >> 1));
        await Bun.sleep(0);
        writeFileSync(at(`${name}.gz`), packed);
        rmSync(at(name));
      }
      done = true;
    }

    async function ask(): Promise<void> {
      let seen = 0;
      while (!done) {
        const before = written;
        const { total, logs: entries } = await logs.page({ page: 1, pageSize: 30 });
        expect(total).toBeGreaterThanOrEqual(Math.max(seen, before));
        expect(total).toBeLessThanOrEqual(written);
        const expected = Array.from({ length: Math.min(30, total) }, (_, i) => `/${total - 1 - i}`);
        expect(entries.map(({ path }) => path)).toEqual(expected);
        seen = total;
      }
    }

    await Promise.all([write(), ask(), ask(), ask()]);
    const { total } = await logs.page(ALL);
    expect(total).toBe(written);
  },
);
