import { expect, test } from 'bun:test';
import { createWarnings } from '../../agent/warnings.ts';

test('a warning is logged when it is new, and listed until it is cleared', () => {
  const logged: unknown[] = [];
  const warnings = createWarnings((event, fields, level) => logged.push([event, fields, level]));
  warnings.set('disk', null);
  expect(warnings.list()).toEqual([]);
  warnings.set('disk', 'The disk is full.');
  warnings.set('user', 'Caddy runs as root.');
  warnings.set('disk', 'The disk is full.');
  expect(warnings.list()).toEqual(['The disk is full.', 'Caddy runs as root.']);
  warnings.set('disk', 'The disk is almost full.');
  warnings.set('user', null);
  expect(warnings.list()).toEqual(['The disk is almost full.']);
  warnings.set('user', 'Caddy runs as root.');
  expect(logged).toEqual(
    ['disk is full', 'Caddy runs as root', 'disk is almost full', 'Caddy runs as root'].map(
      (part) => ['warning', { warning: expect.stringContaining(part) }, 'warn'],
    ),
  );
});
