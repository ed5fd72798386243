/** What a reload may take over from the check before it. */
import { expect, test } from 'bun:test';
import { createChecked } from '../../../agent/caddy/checked.ts';

const config = { apps: {} };

test.each<[string, string, string | undefined]>([
  ['another text', 'other', 'probe'],
  ['another probe', 'text', 'other'],
  ['no probe', 'text', undefined],
])('nothing for %s', (_, text, probe) => {
  const checked = createChecked();
  expect(checked.take('text', 'probe')).toBeNull();
  checked.keep('text', 'probe', config);
  expect(checked.take(text, probe)).toBeNull();
});

test('what was checked last, and that only once', () => {
  const checked = createChecked();
  checked.keep('before', undefined, config);
  checked.keep('text', undefined, config);
  expect(checked.take('before', undefined)).toBeNull();
  expect(checked.take('text', undefined)).toBe(config);
  expect(checked.take('text', undefined)).toBeNull();
});
