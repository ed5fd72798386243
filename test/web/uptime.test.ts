/** How a site answered its check, in words and as bars, and what is suggested as one. */
import { describe, expect, test } from 'bun:test';
import { suggestedBy } from '../../src/web/sites/form/suggest-check.tsx';
import { healthOf } from '../../src/web/sites/problem.ts';
import { spanOf, summaryOf } from '../../src/web/sites/uptime.ts';
import { pathsOf, percentOf } from '../../src/web/sites/uptime-bars.tsx';

const NOW = new Date('2026-11-22T10:30:00.000Z');
const bucket = (hoursAgo: number, asked: number, failed: number, p50: number | null = 10) => ({
  from: new Date(Date.UTC(2026, 10, 22, 10 - hoursAgo)).toISOString(),
  ...{ asked, failed, p50, p95: p50 === null ? null : 4 * p50 },
});

describe('a share', () => {
  test.each([
    [null, '–'],
    [0, '0.00 %'],
    [0.99996, '99.99 %'],
    [1 - 1e-9, '99.99 %'],
    [1, '100 %'],
  ])('of %p is %s', (share, words) => {
    expect(percentOf(share)).toBe(words);
  });
});

describe('the bars', () => {
  const buckets = [
    bucket(800, 60, 60),
    bucket(24, 60, 0, 30),
    bucket(23, 60, 3, 20),
    bucket(1, 60, 0),
    bucket(0, 30, 30, null),
  ];

  test('are of the last hours, without what is older, or not known', () => {
    const span = spanOf({ buckets }, { hours: 1, count: 24, now: NOW });
    expect(span.bars).toEqual([0.95, ...Array.from({ length: 21 }, () => null), 1, 0]);
    expect([span.asked, span.share, span.p50, span.p95]).toEqual([150, 117 / 150, 10, 80]);
    expect(span.titles[1]).toEndWith(': not known');
    expect(span.titles[0]).toEndWith(': 3 of 60 wrong');
    expect(span.titles[22]).toEndWith(': all 60 right');
    const words = summaryOf(span);
    expect(words).toStartWith('78.00 % of 150 answers right, median 10 ms, p95 up to 80 ms. ');
    expect(words).toContain('3 of 60 wrong; ');
    expect(words).toEndWith(': 30 of 30 wrong');
  });

  test('are of the last times 24 hours', () => {
    const span = spanOf({ buckets }, { hours: 24, count: 30, now: NOW });
    expect(span.bars.slice(28)).toEqual([1, 117 / 150]);
    expect(span.bars.slice(0, 28)).toEqual(Array.from({ length: 28 }, () => null));
  });

  test('say that nothing is known', () => {
    const span = spanOf({ buckets: [] }, { hours: 1, count: 24, now: NOW });
    expect([summaryOf(span), span.share, span.p50]).toEqual(['not known', null, null]);
  });

  test('show a single wrong answer, and nothing of what is not known', () => {
    expect(pathsOf([null, 1])).toEqual({ right: 'M48.0 0.0h36.0v24.0h-36.0z', wrong: '' });
    expect(pathsOf([0.9999])).toEqual({
      right: 'M0.0 6.0h72.0v18.0h-72.0z',
      wrong: 'M0.0 0.0h72.0v6.0h-72.0z',
    });
    expect(pathsOf([0])).toEqual({ right: '', wrong: 'M0.0 0.0h72.0v24.0h-72.0z' });
  });
});

describe('what is suggested as a check', () => {
  const tried = (...statuses: (number | null)[]) =>
    statuses.map((status) => ({
      ...{ vhost: 'a.example', passed: true, status },
      detail: 'Nothing listens on port 80',
    }));

  test.each([
    [[502], null, 'GET / answers 502 now: nothing to suggest.'],
    [[200, null], null, 'Nothing listens on port 80: nothing to suggest.'],
    [[200, 302], null, 'The proxies answer differently: 200, 302.'],
    [[204, 204], { path: '/' }, 'GET / answers 204 now.'],
    [[302], { path: '/', status: 302 }, 'GET / answers 302 now.'],
  ])('by %j', (statuses, check, words) => {
    expect(suggestedBy(tried(...statuses) as never)).toEqual({ check, words });
  });
});

test('a site whose check fails is not live', () => {
  const check = { failingSince: NOW.toISOString(), reason: 'GET / answered 502' };
  const state = { addresses: [{ served: true }], check } as never;
  expect(healthOf({ enabled: true, agents: [] }, undefined, state)).toEqual({
    ...{ level: 'bad', label: 'failing', text: 'GET / answered 502' },
  });
  expect(healthOf({ enabled: false, agents: [] }, undefined, state).level).toBe('off');
});
