import { expect, test } from 'bun:test';
import { latencyOf, latencyStep } from '../../../../agent/logs/line/latency.ts';

test('a latency is stored to within 6.25 %', () => {
  for (const value of [-1, 0, 1e-9]) expect(latencyStep(value)).toBe(0);
  expect(latencyStep(1e12)).toBe(255);
  for (let ms = 0.001; ms < 4e6; ms *= 1.013) {
    const stored = latencyOf(latencyStep(ms));
    expect(Math.abs(stored / ms - 1)).toBeLessThan(0.07);
  }
});
