/** The numbers of the plot. */
import { describe, expect, test } from 'bun:test';
import {
  barWords,
  marksOf,
  plotData,
  totals,
} from '../../../../src/features/statistics/web/plots/plot-data.ts';
import { tickNames } from '../../../../src/features/statistics/web/plots/ticks.ts';
import type { Bucket, Entry, LogStats } from '../../../../src/web/lib/types.ts';

describe('the plot', () => {
  const NONE = { '1xx': 0, '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0, other: 0 };
  const bucket = (
    minute: number,
    requests: Partial<Bucket['requests']>,
    p: number | null,
  ): Bucket => ({
    from: `2026-11-21T10:0${minute}:00.000Z`,
    to: `2026-11-21T10:0${minute + 1}:00.000Z`,
    requests: { ...NONE, ...requests },
    p50: p,
    p95: p,
  });
  const stats = (buckets: Bucket[]): LogStats => ({
    from: buckets[0]?.from ?? null,
    to: buckets.at(-1)?.to ?? null,
    requests: 0,
    buckets,
    domains: [],
    statuses: [],
    latest: { requests: 0, paths: [], ips: [], userAgents: [] },
  });

  test('has one mark for changes that are nearer than a finger can tell', () => {
    const at = (id: number, minute: number) =>
      ({ id, createdAt: `2026-11-21T10:0${minute}:30.000Z` }) as Entry;
    const given = stats([0, 1, 2, 3].map((minute) => bucket(minute, {}, null)));
    const entries = [at(1, 0), at(2, 1), at(3, 3), at(4, 7)];
    const ids = (least?: number) =>
      marksOf(given, entries, least).map((mark) => [mark.at, mark.entries.map(({ id }) => id)]);
    expect(ids()).toEqual([
      [0.125, [1]],
      [0.375, [2]],
      [0.875, [3]],
    ]);
    expect(ids(0.3)).toEqual([
      [0.125, [1, 2]],
      [0.875, [3]],
    ]);
  });

  test('is not drawn without data', () => {
    expect(plotData(stats([]))).toBeUndefined();
  });

  test('is stacked, with a gap where there were no requests', () => {
    const given = stats([bucket(0, { '2xx': 3, '5xx': 2, other: 1 }, 1.5), bucket(1, {}, null)]);
    const data = plotData(given);
    expect(data?.stacked).toEqual([
      [3, 0],
      [3, 0],
      [3, 0],
      [4, 0],
      [4, 0],
      [6, 0],
    ]);
    expect(data?.p95).toEqual([1.5, null]);
    expect(data?.times.map((time) => new Date(time * 1000).toISOString())).toEqual([
      '2026-11-21T10:00:30.000Z',
      '2026-11-21T10:01:30.000Z',
    ]);
    expect(totals(given)).toEqual({ ...NONE, '2xx': 3, '5xx': 2, other: 1 });
  });

  test('has a width even if all requests are at the same moment', () => {
    const at = '2026-11-21T10:00:00.000Z';
    const data = plotData({ ...stats([bucket(0, {}, null)]), from: at, to: at });
    expect(data && data.to > data.from).toBe(true);
  });

  test('names each day at its start', () => {
    const noon = new Date(2026, 10, 21, 12).getTime() / 1000;
    expect(tickNames([noon, noon + 60], 60)).toEqual(['12:00\n11-21', '12:01']);
    expect(tickNames([noon, noon + 15], 15)).toEqual(['12:00:00\n11-21', '12:00:15']);
    expect(tickNames([noon + 0.5], 0.5)).toEqual(['12:00:00.500']);
    expect(tickNames([noon], 86_400)).toEqual(['11-21']);
  });
});

test('the length of a bar is said in round numbers, and as about if it is none', () => {
  const words = (milliseconds: number) => {
    const to = new Date(Date.UTC(2026, 10, 21) + milliseconds).toISOString();
    const bucket = { from: '2026-11-21T00:00:00.000Z', to } as Bucket;
    return barWords({ buckets: [bucket] });
  };
  expect(barWords({ buckets: [] })).toBe('');
  expect(words(300_000)).toBe(', a bar is 5 min');
  expect(words(2 * 86_400_000)).toBe(', a bar is 2 days');
  expect(words(440_000)).toBe(', a bar is about 7.3 min');
  expect(words(482)).toBe(', a bar is about 0.5 s');
  expect(words(20)).toBe('');
});
