import { describe, expect, test } from 'bun:test';
import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { createLogs } from '../../../../agent/logs/logs.ts';
import { anyLines, random } from '../lines.ts';
import { allEntries } from '../reference.ts';
import { ALL, keeperOf, lines, ROLL, temporaryLogs } from '../temp.ts';

const logWith = temporaryLogs();
const INDEX = `${ROLL}.index`;

/** What a new start answers. */
async function restarted(file: string, filter = {}) {
  const logs = createLogs({ file });
  const answer = await logs.page({ ...ALL, ...filter });
  logs.close();
  return answer;
}

describe('a stored index that is not used', () => {
  const two = lines('/a', '/b');
  const cases: [string, (path: string, other: Buffer) => void][] = [
    ['of another segment', (path, other) => writeFileSync(path, other)],
    ['that is cut', (path) => writeFileSync(path, readFileSync(path).subarray(0, -1))],
    ['that is empty', (path) => writeFileSync(path, '')],
    ['that is missing', (path) => rmSync(path)],
    ['that is not one', (path) => writeFileSync(path, 'sbxidx04 and then nothing of the sort')],
    ['of a segment that was written to', (path) => utimesSync(path.slice(0, -6), 1, 1)],
  ];
  test.each(cases)('%s', async (_, spoil) => {
    const other = logWith({ [ROLL]: lines('/c', '/d', '/e') });
    await other.paths();
    const { at, paths } = logWith({ 'access.log': '', [ROLL]: two });
    expect(await paths()).toBe('/b /a');
    spoil(at(INDEX), readFileSync(other.at(INDEX)));
    expect((await restarted(at('access.log'))).total).toBe(2);
  });

  test('with any byte changed', async () => {
    const { at, paths } = logWith({ 'access.log': '', [ROLL]: two });
    await paths();
    const index = readFileSync(at(INDEX));
    for (let i = 0; i < index.length; i += 13) {
      const spoilt = Buffer.from(index);
      spoilt[i] = (spoilt[i] as number) ^ 1;
      writeFileSync(at(INDEX), spoilt);
      expect((await restarted(at('access.log'))).logs.map(({ path }) => path)).toEqual([
        '/b',
        '/a',
      ]);
    }
    // It was replaced by a good one.
    expect(readFileSync(at(INDEX)).equals(index)).toBe(true);
  });
});

test.each([
  ['plain', (bytes: Buffer) => bytes, ''],
  ['gzip', gzipSync, '.gz'],
  ['zstd of another program', zstdCompressSync, '.zst'],
  ['packed', (bytes: Buffer) => bytes, ''],
])('a restart does not read a %s segment that has an index', async (form, pack, suffix) => {
  const { at, logs } = logWith({
    'access.log': '',
    [ROLL + suffix]: pack(anyLines(random(5), 5000, 1795212767)),
  });
  const name = form === 'packed' ? `${ROLL}.zst` : ROLL + suffix;
  if (form === 'packed') await keeperOf(at('access.log')).run();
  utimesSync(at(name), 1795212767, 1795212767);
  const { total } = await logs.page(ALL);
  logs.close();
  const again = await restarted(at('access.log'), { domain: 'a.example', pageSize: 1 });
  const truth = allEntries(at('access.log'));
  expect(total).toBe(truth.length);
  expect(again.total).toBe(truth.filter(({ key }) => key === 'a.example').length);
  // Damaged in the middle, without a trace in its size, time, beginning and end.
  const bytes = readFileSync(at(name));
  const third = Math.floor(bytes.length / 3);
  bytes.fill(0x20, third, 2 * third);
  writeFileSync(at(name), bytes);
  utimesSync(at(name), 1795212767, 1795212767);
  expect((await restarted(at('access.log'), { page: 1_000_000 })).total).toBe(total);
  rmSync(at(INDEX));
  expect((await restarted(at('access.log'), { page: 1_000_000 })).total).toBeLessThan(total);
});
