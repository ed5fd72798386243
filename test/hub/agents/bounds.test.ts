/** How long the hub waits for an agent. */
import { expect, test } from 'bun:test';
import { checksDeadline, DEADLINE_MS, trialDeadline } from '../../../src/hub/agents/bounds.ts';
import { TRIAL_MS } from '../../../src/shared/wire/checks.ts';

const checksOf = (count: number, within?: number) =>
  Array.from({ length: count }, () => ({
    name: 'a.example',
    port: 80,
    check: { path: '/', ...(within !== undefined && { within }) },
  }));
const trial = { proxyfile: '', change: true };

test('a trial may take as long as its sites, and no longer than an agent lets it run', () => {
  const whole = trialDeadline({ ...trial, checks: checksOf(1, 15) });
  expect(whole).toBe(checksDeadline({ checks: checksOf(1, 15) }));
  expect(whole - trialDeadline({ ...trial, checks: checksOf(1, 1) })).toBe(14_000);
  expect(trialDeadline({ ...trial, checks: checksOf(10_000) })).toBeGreaterThan(TRIAL_MS);
  expect(trialDeadline({ ...trial, checks: checksOf(10_000) })).toBeLessThan(DEADLINE_MS);
});

test('that of a preview may wait for others first', () => {
  expect(trialDeadline({ proxyfile: '', checks: checksOf(1) })).toBe(DEADLINE_MS);
});
