import { describe, expect, test } from 'bun:test';
import {
  appendFileSync,
  chmodSync,
  linkSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { listSegments } from '../../../../agent/logs/files/segments.ts';
import { packSegment } from '../../../../agent/logs/storage/pack-segment.ts';
import { anyLines, random } from '../lines.ts';
import { ALL, keeperOf, lines, ROLL, temporaryFolders, temporaryLogs } from '../temp.ts';

const newFolder = temporaryFolders();
const logWith = temporaryLogs();

/** The only rolled segment of a folder. */
async function rollIn(folder: string) {
  const segment = (await listSegments(join(folder, 'access.log')))?.find(({ live }) => !live);
  if (!segment) throw new Error('there is no rolled segment');
  return segment;
}

describe('what is not packed', () => {
  test('a file that was written to after it was listed', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, ROLL), lines('/a'));
    const segment = await rollIn(folder);
    appendFileSync(join(folder, ROLL), lines('/b'));
    await packSegment(segment);
    expect(readdirSync(folder)).toEqual([ROLL]);
    expect(readFileSync(join(folder, ROLL), 'utf8')).toBe(lines('/a', '/b'));
  });

  test('a file that has another name too', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, ROLL), lines('/a'));
    linkSync(join(folder, ROLL), join(folder, 'other'));
    await packSegment(await rollIn(folder));
    expect(readdirSync(folder).sort()).toEqual([ROLL, 'other'].sort());
  });

  test('the live file, and one that Caddy is compressing', async () => {
    const { at } = logWith({
      'access.log': lines('/a'),
      [ROLL]: lines('/b'),
      [`${ROLL}.gz`]: gzipSync(lines('/b')).subarray(0, 20),
    });
    await keeperOf(at('access.log')).run();
    expect(readdirSync(at('.')).sort()).toEqual(['access.log', ROLL, `${ROLL}.gz`].sort());
  });
});

test('a packed segment is standard Zstandard, in small frames that end at line ends', async () => {
  const folder = newFolder();
  const path = join(folder, ROLL);
  const bytes = Buffer.concat([anyLines(random(7), 4000, 1795212767), Buffer.from('half a line')]);
  writeFileSync(path, bytes);
  chmodSync(path, 0o640);
  const { mtimeMs } = statSync(path);
  await packSegment(await rollIn(folder));
  expect(readdirSync(folder)).toEqual([`${ROLL}.zst`]);
  const packed = readFileSync(`${path}.zst`);
  expect(zstdDecompressSync(packed).equals(bytes)).toBe(true);
  const { mode, mtimeMs: packedTime } = statSync(`${path}.zst`);
  expect(mode & 0o777).toBe(0o640);
  expect(Math.abs(packedTime - mtimeMs)).toBeLessThan(1);
  // By hand, as the format's description says.
  expect(packed.readUInt32LE(packed.length - 4)).toBe(0x8f92eab1);
  const frames = packed.readUInt32LE(packed.length - 9);
  let [at, stored, end] = [packed.length - 9 - frames * 8, 0, 0];
  expect(packed.readUInt32LE(at - 8)).toBe(0x184d2a5e);
  for (let i = 0; i < frames; i++, at += 8) {
    const size = packed.readUInt32LE(at);
    const frame = zstdDecompressSync(packed.subarray(stored, stored + size));
    expect(frame.length).toBe(packed.readUInt32LE(at + 4));
    expect(frame.length).toBeLessThanOrEqual(1 << 20);
    stored += size;
    end += frame.length;
    if (i < frames - 1) expect(frame.at(-1)).toBe(10);
    if (i < frames - 1) expect(frame.length).toBeGreaterThanOrEqual(1 << 15);
  }
  expect(end).toBe(bytes.length);
  expect(frames).toBeGreaterThan(4);
});

test.skipIf(!Bun.which('zstdcat'))('zstdcat reads a packed segment', async () => {
  const folder = newFolder();
  const bytes = anyLines(random(8), 3000, 1795212767);
  writeFileSync(join(folder, ROLL), bytes);
  await packSegment(await rollIn(folder));
  const { stdout } = Bun.spawnSync(['zstdcat', join(folder, `${ROLL}.zst`)]);
  expect(stdout.equals(bytes)).toBe(true);
});

test('a line that is longer than any frame, and an empty file', async () => {
  const long = lines(`/${'x'.repeat(3 << 20)}`);
  for (const text of [long + lines('/b'), '']) {
    const { at, logs } = logWith({ [ROLL]: text });
    await keeperOf(at('access.log')).run();
    expect(readdirSync(at('.'))).toEqual([`${ROLL}.zst`]);
    expect(zstdDecompressSync(readFileSync(at(`${ROLL}.zst`))).toString()).toBe(text);
    expect((await logs.page(ALL)).total).toBe(text ? 2 : 0);
  }
});

test('a history in all forms, packed between two pages', async () => {
  const old = (hour: number) => ROLL.replace('T22', `T${hour}`);
  const { at, paths } = logWith({
    'access.log': lines('/g'),
    [ROLL]: lines('/e', '/f'),
    [old(21)]: lines('/d'),
    [`${old(20)}.gz`]: gzipSync(lines('/c')),
    [`${old(19)}.zst`]: zstdCompressSync(lines('/b')),
    [`${old(18)}.zst.tmp`]: 'left by a killed agent',
    [old(17)]: lines('/a').trimEnd(),
  });
  const all = '/g /f /e /d /c /b /a';
  expect(await paths()).toBe(all);
  await keeperOf(at('access.log')).run();
  expect(readdirSync(at('.')).sort()).toEqual(
    [
      'access.log',
      ...[ROLL, old(21), old(20), old(19), old(17)].map((roll) => `${roll}.index`),
      `${ROLL}.zst`,
      `${old(21)}.zst`,
      `${old(20)}.gz`,
      `${old(19)}.zst`,
      `${old(17)}.zst`,
    ].sort(),
  );
  expect(await paths()).toBe(all);
  expect(await paths({ path: '/e' })).toBe('/e');
});
