/** Numbers over time of which a part of the lines is read, because all would take too long. */
import { describe, expect, test } from 'bun:test';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { takeSample } from '../../../../agent/logs/answers/sample.ts';
import type { StatsFilter } from '../../../../agent/logs/answers/stats.ts';
import type { Block } from '../../../../agent/logs/index/block.ts';
import { createLogs } from '../../../../agent/logs/logs.ts';
import type { LogStats } from '../../../../src/shared/wire/logs.ts';
import { line } from '../lines.ts';
import { keeperOf, ROLL, temporaryFolders } from '../temp.ts';
import { START } from './growing-log.ts';

const newFolder = temporaryFolders();

describe('a sample', () => {
  const blockOf = (count: number, number: number): Block => ({
    number,
    start: number << 20,
    end: (number + 1) << 20,
    count,
    earliest: 0,
    latest: 1,
    timeless: 0,
    moments: () => null,
    places: () => Uint16Array.from({ length: count }, (_, place) => place),
  });
  const MIB = 1 << 20;
  // Newest first.
  const segments = [
    { blocks: [blockOf(1600, 99), blockOf(5, 98)] },
    { blocks: [] },
    { blocks: Array.from({ length: 98 }, (_, i) => blockOf(1000 + i, 97 - i)) },
  ];
  const all = segments.flatMap(({ blocks }) => blocks);
  const total = all.reduce((sum, { count }) => sum + count, 0);

  test('is all of it below the limit, whatever the blocks are', () => {
    expect(takeSample([], 1).of).toBe(1);
    const { of, blocks } = takeSample(segments, 100 * MIB);
    expect([of, ...segments.map((one) => blocks.get(one))]).toEqual([
      1,
      ...segments.map((one) => one.blocks),
    ]);
  });

  test.each([
    [90, 5],
    [39, 10],
    [10, 20],
    [9, 50],
    [1, 200],
  ])('below a limit of %d MiB has one of %d lines, none twice', (limit, of) => {
    const sample = takeSample(segments, limit * MIB);
    expect(sample.of).toBe(of);
    const chosen = segments.flatMap((one) => sample.blocks.get(one) ?? []);
    for (const { number, count, places } of chosen) {
      const block = all.find((each) => each.number === number);
      expect(places()).toHaveLength(count);
      expect(new Set(places()).size).toBe(count);
      expect(places()).toEqual(places().toSorted());
      expect(Math.max(...places())).toBeLessThan(block?.count ?? 0);
    }
    const read = chosen.reduce((sum, { count }) => sum + count, 0);
    expect(Math.abs(read * of - total)).toBeLessThan(total / 8);
  });

  test('of lines that are far apart costs one read each', () => {
    const sparse = { blocks: Array.from({ length: 100 }, (_, i) => blockOf(2, i)) };
    expect(takeSample([sparse], 4 * MIB).of).toBe(1);
    const { of, blocks } = takeSample([sparse], MIB);
    expect([of, blocks.get(sparse)?.length]).toEqual([10, 20]);
  });
});

/** Lines every tenth of a second, of an hour with a pause from 15 to 30 minutes. */
function hour(): string {
  const made: string[] = [];
  for (let i = 0; i < 36_000; i++) {
    if (i >= 9_000 && i < 18_000) continue;
    const uri = `/${i % 4 === 0 ? 'api' : 'files'}/${i % 50}`;
    const status = i % 10 === 0 ? 500 : 200;
    made.push(line({ ts: START + i / 10, status, duration: 0.002, request: { uri } }));
  }
  return `${made.join('\n')}\n`;
}

const requestsIn = ({ requests }: LogStats['buckets'][number]): number =>
  Object.values(requests).reduce((sum, count) => sum + count, 0);

/** About a sixth of the hour. */
const readLimit = 2 << 20;

describe('sampled numbers', () => {
  const text = hour();
  const folder = newFolder();
  const rolled = join(folder, ROLL);
  writeFileSync(rolled, text);
  const logs = createLogs({ file: join(folder, 'access.log'), timeout: 20_000, readLimit });
  const exact = createLogs({ file: join(folder, 'access.log'), timeout: 20_000 });

  test.each<[string, Partial<StatsFilter>]>([
    ['everything', {}],
    ['a status', { status: 500 }],
    ['a class of a domain', { statusClass: 2, domain: 'b.example' }],
    ['another domain', { domain: 'no.example' }],
    ['a range', { from: START * 1000 + 60_000, to: START * 1000 + 1_000_000 }],
    ['a path of another domain', { path: '/api', domain: 'no.example' }],
    ['an address that no block has', { ip: '192.0.2.1' }],
    ['a path in a short time', { path: '/api', from: START * 1000, to: START * 1000 + 60_000 }],
  ])('are never those of %s, which need few lines', async (_, filter) => {
    const found = await logs.stats({ ...filter, buckets: 12 });
    expect(found.sampled).toBeUndefined();
    expect(found).toEqual(await exact.stats({ ...filter, buckets: 12 }));
  });

  test('say so, are near the truth, and the same again', async () => {
    const filter = { path: '/api/', status: 500, buckets: 12 };
    const truth = await exact.stats(filter);
    expect(truth.sampled).toBeUndefined();
    expect(truth.requests).toBe(1350);
    expect([truth.latest.requests, truth.latest.partial]).toEqual([1350, undefined]);
    const found = await logs.stats(filter);
    expect(found.sampled).toEqual({ of: 20 });
    expect(found.requests % 20).toBe(0);
    expect(Math.abs(found.requests - 1350)).toBeLessThan(300);
    expect(found.buckets.reduce((sum, bucket) => sum + requestsIn(bucket), 0)).toBe(found.requests);
    expect(found.statuses).toEqual([{ status: 500, requests: found.requests }]);
    expect(found.domains).toEqual([{ domain: 'b.example', requests: found.requests }]);
    expect(found.latest.requests).toBe(found.requests);
    expect(found.latest.ips).toEqual([{ ip: '127.0.0.1', requests: found.requests }]);
    expect(found.latest.paths.map(({ path }) => path)).toContain('/api/20');
    expect(found.buckets.at(-1)?.p95).toBe(truth.buckets.at(-1)?.p95 ?? 0);
    expect(await logs.stats(filter)).toEqual(found);
    const restarted = createLogs({ file: join(folder, 'access.log'), readLimit });
    expect(await restarted.stats(filter)).toEqual(found);
    restarted.close();
  });

  test('do not take a time of which no line was read for one without requests', async () => {
    const filter = { method: 'GET', buckets: 360 };
    const [truth, found] = [await exact.stats(filter), await logs.stats(filter)];
    expect(found.sampled?.of).toBeGreaterThan(10);
    const unread = found.buckets.filter((bucket) => bucket.unread);
    expect(unread.length).toBeGreaterThan(0);
    for (const [at, bucket] of found.buckets.entries()) {
      const isQuiet = requestsIn(truth.buckets[at] ?? bucket) === 0;
      // The pause is known from the index, but for the ends of the blocks beside it.
      if (isQuiet) expect(requestsIn(bucket)).toBe(0);
      else expect(bucket.unread === true).toBe(requestsIn(bucket) === 0);
    }
    expect(truth.buckets.some((bucket) => bucket.unread)).toBe(false);
    const nothing = await logs.stats({ ...filter, method: 'PATCH' });
    expect(nothing.requests).toBe(0);
    expect(nothing.buckets.filter(({ unread }) => unread)).toHaveLength(unread.length);
  });

  test('are the same for every form of a file, and stay when the log grows', async () => {
    const filter = { q: '/7', buckets: 6, to: (START + 3600) * 1000, from: START * 1000 };
    const found = await logs.stats(filter);
    expect(found.sampled?.of).toBeGreaterThan(10);
    const others = [newFolder(), newFolder()] as const;
    writeFileSync(join(others[0], `${ROLL}.gz`), gzipSync(readFileSync(rolled)));
    writeFileSync(join(others[1], ROLL), text);
    await keeperOf(join(others[1], 'access.log')).run();
    for (const other of others) {
      const same = createLogs({ file: join(other, 'access.log'), timeout: 20_000, readLimit });
      expect(await same.stats(filter)).toEqual(found);
      same.close();
    }
    const later = Array.from({ length: 50 }, (_, i) => line({ ts: START + 4000 + i }));
    appendFileSync(join(folder, 'access.log'), `${later.join('\n')}\n`);
    expect(await logs.stats(filter)).toEqual(found);
    logs.close();
    exact.close();
  });
});
