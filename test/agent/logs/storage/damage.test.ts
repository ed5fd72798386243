/** What a damaged file of the access log leaves, and who learns of it. */
import { describe, expect, test } from 'bun:test';
import {
  mkdirSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { withSource } from '../../../../agent/logs/files/open-source.ts';
import { writeSeekTable } from '../../../../agent/logs/files/seek-table.ts';
import { listSegments } from '../../../../agent/logs/files/segments.ts';
import { createLogs } from '../../../../agent/logs/logs.ts';
import { ALL, keeperOf, lines, ROLL, temporaryLogs } from '../temp.ts';

const logWith = temporaryLogs();
const COUNT = 2000;
const many = lines(...Array.from({ length: COUNT }, (_, i) => `/${i}`));
const PACKED = `${ROLL}.zst`;
const OLDER = ROLL.replace('T22', 'T21');

/** When damaged files were written, in seconds since 1970. */
const WRITTEN = 1_795_212_767;

/** Overwrites the middle of a file, with the time it had, as a failing disk does. */
function damage(path: string): void {
  const bytes = readFileSync(path);
  bytes.fill(0x55, bytes.length >> 1, (bytes.length >> 1) + 40);
  writeFileSync(path, bytes);
  utimesSync(path, WRITTEN, WRITTEN);
}

/** Logs of a folder after a start, which tell of damage. */
function started(file: string) {
  const told: string[][] = [];
  const logs = createLogs({
    file,
    timeout: 20_000,
    onDamaged: (names) => void told.push([...names]),
  });
  return { logs, told };
}

describe('a damaged file', () => {
  test.each([
    ['packed', PACKED],
    ['gzip', `${ROLL}.gz`],
    ['Zstandard without a table', PACKED],
  ])('in %s shortens answers, which say so, also after a restart', async (form, name) => {
    const plain = { 'access.log': lines('/new'), [OLDER]: lines('/old') };
    const { at } = logWith(
      form === 'packed'
        ? { ...plain, [ROLL]: many }
        : { ...plain, [name]: form === 'gzip' ? gzipSync(many) : zstdCompressSync(many) },
    );
    if (form === 'packed') await keeperOf(at('access.log')).run();
    damage(at(name));
    for (let start = 0; start < 2; start++) {
      const { logs, told } = started(at('access.log'));
      const page = await logs.page(ALL);
      expect(page.partial).toBe(true);
      expect(page.total).toBeLessThan(COUNT + 2);
      expect(page.logs[0]?.path).toBe('/new');
      expect((await logs.page({ ...ALL, path: '/old' })).logs.length).toBe(1);
      const range = { buckets: 2 };
      expect((await logs.stats(range)).partial).toBe(true);
      expect((await logs.activity(range)).partial).toBe(true);
      await logs.page(ALL);
      expect(told).toEqual([[name]]);
      // What is newer than the file is complete.
      const from = statSync(at(name)).mtimeMs + 1;
      expect((await logs.page({ ...ALL, from })).partial).toBeUndefined();
      expect((await logs.activity({ ...range, from })).partial).toBeUndefined();
      logs.close();
    }
  });

  test('that was whole when it was indexed is indexed again', async () => {
    const { at } = logWith({ [ROLL]: many });
    await keeperOf(at('access.log')).run();
    utimesSync(at(PACKED), WRITTEN, WRITTEN);
    for (const isRestarted of [false, true]) {
      const before = started(at('access.log'));
      const page = { page: 1, pageSize: 50 };
      if (!isRestarted) {
        expect((await before.logs.page(page)).total).toBe(COUNT);
        damage(at(PACKED));
      }
      const { total, partial, logs } = await before.logs.page({ ...page, path: '/5' });
      expect([partial, total, logs.length]).toEqual([
        true,
        expect.any(Number),
        Math.min(50, total),
      ]);
      const { body } = await before.logs.export({}, 'ndjson');
      expect((await new Response(body).text()).split('\n').length).toBeLessThan(COUNT);
      const all = await before.logs.page({ page: 1, pageSize: 500 });
      expect(all.total).toBeLessThan(COUNT);
      expect(all.logs.length).toBe(Math.min(500, all.total));
      expect(before.told).toEqual([[PACKED]]);
      before.logs.close();
    }
  });

  test('does not matter to a page that lies elsewhere in the same block', async () => {
    const { at } = logWith({ [ROLL]: many });
    await keeperOf(at('access.log')).run();
    utimesSync(at(PACKED), WRITTEN, WRITTEN);
    const { logs, told } = started(at('access.log'));
    const oldest = { page: COUNT / 50, pageSize: 50 };
    const whole = await logs.page(oldest);
    expect(whole.logs.at(-1)?.path).toBe('/0');
    damage(at(PACKED));
    expect(await logs.page(oldest)).toEqual(whole);
    expect(told).toEqual([]);
    logs.close();
  });

  test('that is repaired in place, with the size and time that it had, is whole again', async () => {
    const { at } = logWith({ [ROLL]: many });
    await keeperOf(at('access.log')).run();
    const whole = readFileSync(at(PACKED));
    const read = async () => {
      utimesSync(at(PACKED), WRITTEN, WRITTEN);
      const [segment] = (await listSegments(at('access.log'))) ?? [];
      return (
        segment && withSource(segment, async (source) => (await source.slice(0, 1 << 20)).length)
      );
    };
    const bytes = await read();
    // The size of the first frame, in the table at the end.
    const broken = Buffer.from(whole);
    broken.writeUInt32LE(1, broken.length - 9 - 8 * broken.readUInt32LE(broken.length - 9) + 4);
    writeFileSync(at(PACKED), broken);
    expect(await read()).toBeLessThan(bytes ?? 0);
    writeFileSync(at(PACKED), whole);
    expect(await read()).toBe(bytes);
  });

  test('that is deleted is forgotten', async () => {
    const { at } = logWith({ 'access.log': lines('/new'), [`${ROLL}.gz`]: gzipSync(many) });
    truncateSync(at(`${ROLL}.gz`), 2_000);
    const { logs, told } = started(at('access.log'));
    expect((await logs.page(ALL)).partial).toBe(true);
    await Bun.file(at(`${ROLL}.gz`)).delete();
    expect((await logs.page(ALL)).partial).toBeUndefined();
    expect(told).toEqual([[`${ROLL}.gz`], []]);
    logs.close();
  });
});

const BOMB = Buffer.alloc(256 << 20);
test.each([
  ['holds', () => zstdCompressSync(BOMB)],
  ['says that it holds', () => Bun.zstdCompressSync(BOMB)],
  [
    'is followed by one that holds',
    () => Buffer.concat([Bun.zstdCompressSync(Buffer.alloc(1000)), Bun.zstdCompressSync(BOMB)]),
  ],
])('a frame that %s more than its table says is damaged, and is not unpacked', async (_, make) => {
  const { at } = logWith({});
  const bomb = make();
  const table = writeSeekTable([[bomb.length, 1000]]);
  mkdirSync(at('.'), { recursive: true });
  writeFileSync(at(PACKED), Buffer.concat([bomb, table]));
  const [segment] = (await listSegments(at('access.log'))) ?? [];
  if (!segment) throw new Error('no segment');
  const before = process.memoryUsage.rss();
  const read = await withSource(segment, async (source) => {
    const pieces = await Promise.all(Array.from({ length: 4 }, () => source.slice(0, 1000)));
    return [pieces.map(({ length }) => length), source.isDamaged()];
  });
  expect(read).toEqual([[0, 0, 0, 0], true]);
  expect(process.memoryUsage.rss() - before).toBeLessThan(128 << 20);
});
