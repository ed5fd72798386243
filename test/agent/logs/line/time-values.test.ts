import { describe, expect, test } from 'bun:test';
import { parseDuration, parseTime } from '../../../../agent/logs/line/time-values.ts';

const iso = (value: unknown) => {
  const time = parseTime(value);
  return time === undefined ? undefined : new Date(time).toISOString();
};

describe('times', () => {
  test.each([undefined, null, true, {}, [[]], '', 'soon', '2026-13-40T00:00:00Z', 1e300])(
    '%p is not a time',
    (value) => {
      expect(iso(value)).toBeUndefined();
    },
  );

  test.each([
    [1795212767.620665, '620'],
    [1795212767.62, '620'],
    [1795212767.7289999, '728'],
    [1795212767620.665, '620'],
    [1795212767620665, '620'],
    [1795212767620665000, '620'],
    ['2026-11-20T22:12:47.620Z', '620'],
    ['2026-11-20T23:12:47.620+0100', '620'],
    ['2026-11-20T22:12:47Z', '000'],
    ['2026-11-20T20:42:47.620665123-01:30', '620'],
    ['2026/11/20 22:12:47', '000'],
    ['2026/11/20 22:12:47.620', '620'],
    ['2026/11/20 22:12:47.620665123', '620'],
    ['20/Nov/2026:23:12:47 +0100', '000'],
    ['Fri, 20 Nov 2026 22:12:47 GMT', '000'],
  ])('%p', (value, ms) => {
    expect(iso(value)).toBe(`2026-11-20T22:12:47.${ms}Z`);
  });
});

describe('durations in milliseconds', () => {
  test.each([
    [undefined, 0],
    ['', 0],
    ['fast', 0],
    ['5parsecs', 0],
    [Number.POSITIVE_INFINITY, 0],
    [0, 0],
    [0.5, 500],
    [2, 2000],
    [1_500_000, 1.5],
    ['0s', 0],
    ['1.5ms', 1.5],
    ['250µs', 0.25],
    ['250μs', 0.25],
    ['10ns', 0.00001],
    ['1h1m2.5s', 3_662_500],
  ])('%p is %p', (value, ms) => {
    expect(parseDuration(value)).toBeCloseTo(ms, 9);
  });
});
