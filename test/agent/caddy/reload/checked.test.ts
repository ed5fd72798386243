/** What a reload may take over from the check before it. */
import { expect, test } from 'bun:test';
import {
  type CheckedKey,
  createChecked,
  type Prepared,
} from '../../../../agent/caddy/reload/prepare.ts';

const prepared: Prepared = { config: { apps: {} }, own: new Map() };
const key: CheckedKey = { text: 'text', probe: 'probe', program: 'v2.6.2' };

test.each<[string, Partial<CheckedKey>]>([
  ['another text', { text: 'other' }],
  ['another probe', { probe: 'other' }],
  ['no probe', { probe: undefined }],
  ['another program', { program: 'v2.11.4' }],
  ['a program that is not known', { program: null }],
])('nothing for %s', (_, other) => {
  const checked = createChecked();
  expect(checked.take(key)).toBeNull();
  checked.keep(key, prepared);
  expect(checked.take({ ...key, ...other })).toBeNull();
});

test('what was checked last, and that only once', () => {
  const checked = createChecked();
  const before = { ...key, text: 'before' };
  checked.keep(before, prepared);
  checked.keep(key, prepared);
  expect(checked.take(before)).toBeNull();
  expect(checked.take(key)).toBe(prepared);
  expect(checked.take(key)).toBeNull();
});
