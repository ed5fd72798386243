/** What the figures of the last hours are computed from, and asked for by. */
import { describe, expect, test } from 'bun:test';
import {
  changeOf,
  hoursOf,
  hoursRequest,
  rangeUntil,
  statsRequest,
} from '../../../../src/features/statistics/web/hours.ts';
import { NO_FILTERS, parseFilters } from '../../../../src/web/logs/filter/filters.ts';

const NOW = new Date('2026-11-20T18:00:00.900Z');

describe('the change of a number', () => {
  test('is not shown without anything to compare with, or too small to see', () => {
    expect(changeOf(5, 0)).toBe('');
    expect(changeOf(5, null)).toBe('');
    expect(changeOf(null, 5)).toBe('');
    expect(changeOf(1001, 1000)).toBe('');
  });

  test('is in percent, with its sign', () => {
    expect(changeOf(110, 100)).toBe('+10 %');
    expect(changeOf(50, 100)).toBe('−50 %');
    expect(changeOf(0, 100)).toBe('−100 %');
    expect(changeOf(5_000, 100)).toBe('+4,900 %');
  });
});

describe('the last two hours', () => {
  const bucket = (ok: number, bad: number) => ({
    from: 'a',
    to: 'b',
    requests: { '1xx': 0, '2xx': ok, '3xx': 1, '4xx': 2, '5xx': bad, other: 0 },
    p50: 3,
    p95: null,
  });

  test('are not read from anything but two buckets', () => {
    expect(hoursOf({ buckets: [] })).toBeUndefined();
    expect(hoursOf({ buckets: [bucket(1, 0)] })).toBeUndefined();
  });

  test('are one request, and end with a whole second', () => {
    expect(rangeUntil(NOW, 1_000).to).toBe('2026-11-20T18:00:00.000Z');
    const query = new URLSearchParams(hoursRequest(NOW, 'a.example').split('?')[1]);
    expect(Object.fromEntries(query)).toEqual({
      domain: 'a.example',
      from: '2026-11-20T16:00:00.000Z',
      to: '2026-11-20T18:00:00.000Z',
      buckets: '2',
    });
  });

  test('count all requests, and only 5xx as errors', () => {
    const hours = hoursOf({ buckets: [bucket(10, 4), bucket(20, 5)] });
    expect(hours?.before).toEqual({
      from: 'a',
      to: 'b',
      requests: 17,
      errors: 4,
      p50: 3,
      p95: null,
    });
    expect(hours?.last.requests).toBe(28);
    expect(hours?.last.errors).toBe(5);
  });
});

test('the filters of the log are sent, without its page', () => {
  const filters = parseFilters(new URLSearchParams('domain=a&status=404&from=2026-11-20&page=2'));
  expect(statsRequest(filters, 60)).toBe(
    '/logs/stats?domain=a&status=404&from=2026-11-20T00%3A00%3A00.000Z&buckets=60',
  );
  const ofOne = { ...NO_FILTERS, agent: 'vps' };
  expect(statsRequest(ofOne, 9)).toBe('/logs/stats?agent=vps&buckets=9');
});
