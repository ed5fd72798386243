/** What the dashboard says of checks: shares of right answers, and a site whose check fails. */
import { expect, test } from 'bun:test';
import { heightOf, percentOf } from '../../src/features/uptime/web/span.ts';
import { healthOf } from '../../src/web/sites/problem.ts';

test.each([
  [null, '–'],
  [0, '0.00 %'],
  [0.99996, '99.99 %'],
  [1 - 1e-9, '99.99 %'],
  [1, '100 %'],
])('a share of %p is %s', (share, words) => {
  expect(percentOf(share)).toBe(words);
});

test('bars show a single wrong answer, and nothing of what is not known', () => {
  expect([null, 1, 0.9999, 0.5, 0].map(heightOf)).toEqual([undefined, '100%', '75%', '50%', '0%']);
});

test('a site whose check fails is not live', () => {
  const check = { failingSince: '2026-11-22T10:30:00.000Z', reason: 'GET / answered 502' };
  const state = { addresses: [{ served: true }], check } as never;
  expect(healthOf({ enabled: true, agents: [] }, undefined, state)).toEqual({
    level: 'bad',
    label: 'failing',
    text: 'GET / answered 502',
  });
  expect(healthOf({ enabled: false, agents: [] }, undefined, state).level).toBe('off');
});

test('a site that an explanation found failing is not live, whatever else is less grave', () => {
  const failing = { since: '2026-11-22T10:30:00.000Z', cause: 'SPEAKS_TLS', words: 'It is HTTPS.' };
  const state = { addresses: [{ served: true }], check: null, failing } as never;
  const of = { enabled: true, agents: [] };
  const found = { level: 'bad', label: 'failing', text: 'It is HTTPS.' } as const;
  expect(healthOf(of, undefined, state)).toEqual(found);
  expect(healthOf(of, { level: 'warn', label: 'not renewed', text: 'x' }, state)).toEqual(found);
  const down = { level: 'bad', label: 'down', text: 'x' } as const;
  expect(healthOf(of, down, state)).toEqual(down);
  expect(healthOf({ ...of, enabled: false }, undefined, state).level).toBe('off');
});
