/** How a site answered its check, in words and as bars. */
import { describe, expect, test } from 'bun:test';
import { spanOf, summaryOf } from '../../../../src/features/uptime/web/span.ts';

const NOW = new Date('2026-11-22T10:30:00.000Z');
const bucket = (hoursAgo: number, asked: number, failed: number, p50: number | null = 10) => ({
  from: new Date(Date.UTC(2026, 10, 22, 10 - hoursAgo)).toISOString(),
  asked,
  failed,
  p50,
  p95: p50 === null ? null : 4 * p50,
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
});
