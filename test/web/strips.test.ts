/** What a strip of bars says of a site, in words. */
import { expect, test } from 'bun:test';
import { localTime } from '../../src/web/lib/format.ts';
import { barWords, endingNow, stripWords } from '../../src/web/parts/strip-words.ts';

const DAY = { from: '2026-11-20T00:00:00.000Z', to: '2026-11-21T00:00:00.000Z' };
const stripOf = (bars: string, changes: number[] = []) => ({
  bars: bars.padEnd(60, bars.at(-1)),
  changes,
  label: 'Last 24 hours',
  ...DAY,
});
/** As a person reads it, wherever the test runs. */
const at = (iso: string) => localTime(iso).slice(0, 16);

test('a strip without a failure says the best that is known', () => {
  expect(stripWords(stripOf('?nu'))).toBe('Last 24 hours: up');
  expect(stripWords(stripOf('on'))).toBe('Last 24 hours: no requests');
  expect(stripWords(stripOf('?'))).toBe('Last 24 hours: not known');
  expect(stripWords(stripOf('o'))).toBe('Last 24 hours: off or not there yet');
});

test('a strip with failures says how many there were, when the last one was, and how many changes', () => {
  const last = at('2026-11-20T00:48:00.000Z');
  expect(stripWords(stripOf('fufu', [1, 3, 4]))).toBe(
    `Last 24 hours: failing in 2 of 60 spans, last from ${last}; 3 changes`,
  );
  expect(stripWords(stripOf('u', [59]))).toBe('Last 24 hours: up; 1 change');
});

test('a bar says from when to when, what it was, and if the site was changed', () => {
  const [from, to] = [at('2026-11-20T00:24:00.000Z'), at('2026-11-20T00:48:00.000Z')];
  expect(barWords(stripOf('ufn', [1]), 1)).toBe(`${from} to ${to}: failing, changed`);
  expect(barWords(stripOf('unf'), 1)).toBe(`${from} to ${to}: no requests`);
});

test('only the last bar of a site that fails now says so', () => {
  const { bars } = endingNow(stripOf('un'), true);
  expect(bars).toBe(`${stripOf('un').bars.slice(0, 59)}f`);
  expect(endingNow(stripOf('un'), false)).toEqual(stripOf('un'));
});
