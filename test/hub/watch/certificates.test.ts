/** Which certificates are due, and which renew themselves. */
import { expect, test } from 'bun:test';
import { endingOf, isLate } from '../../../src/hub/watch/sites/certificates.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.parse('2026-11-20T12:00:00.000Z');

/** @param lifetime in milliseconds, like `left` */
const certificate = (lifetime: number, left: number, more: object = {}) => ({
  id: 1,
  domain: 'a.example',
  name: 'a.example',
  issuer: 'x',
  notBefore: new Date(NOW + left - lifetime),
  notAfter: new Date(NOW + left),
  automated: true,
  authority: 'public' as const,
  ...more,
});
const own = (left: number, lifetime = 12 * HOUR_MS) =>
  certificate(lifetime, left, { authority: 'internal' });
const stepCa = (left: number) => certificate(DAY_MS, left, { authority: 'other' });
const byHand = (left: number) => certificate(365 * DAY_MS, left, { automated: false });

test.each([
  ['one of Caddy’s own authority', own(11 * HOUR_MS)],
  ['one that Caddy is about to renew', own(4 * HOUR_MS)],
  ['one of Caddy’s own authority that lasts a month', own(10 * DAY_MS, 30 * DAY_MS)],
  ['one of a day from another authority', stepCa(9 * HOUR_MS)],
  ['one of six days', certificate(6 * DAY_MS, 3 * DAY_MS)],
  ['one with weeks left', certificate(90 * DAY_MS, 15 * DAY_MS)],
  ['one from a file with weeks left', byHand(15 * DAY_MS)],
])('%s is not due', (_, one) => {
  expect(endingOf([one], NOW)).toEqual([]);
  expect(isLate(one, NOW)).toBe(false);
});

test.each([
  ['one of Caddy’s own authority that was not renewed', own(HOUR_MS), 0],
  ['one of Caddy’s own authority that has expired', own(-HOUR_MS), -1],
  ['one of a day that was not renewed', stepCa(3 * HOUR_MS), 0],
  ['one of 90 days that was not renewed', certificate(90 * DAY_MS, 13 * DAY_MS), 13],
  ['one from a file', byHand(13 * DAY_MS), 13],
])('%s is due, and late', (_, one, daysLeft) => {
  expect(endingOf([one], NOW)).toMatchObject([{ name: 'a.example', daysLeft, overdue: true }]);
  expect(isLate(one, NOW)).toBe(true);
});

test('one that a public authority signed for a few weeks is due, but not late', () => {
  const one = certificate(45 * DAY_MS, 10 * DAY_MS);
  expect(endingOf([one], NOW)).toMatchObject([{ daysLeft: 10, overdue: false }]);
  expect(isLate(one, NOW)).toBe(false);
});
