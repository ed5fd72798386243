import { expect, test } from 'bun:test';
import { loadOnce } from '../../src/shared/memoize.ts';

test('what was loaded is kept, and a failure is not', async () => {
  let loads = 0;
  const load = loadOnce(async () => {
    loads++;
    if (loads === 1) throw new Error('too many files are open');
    return loads;
  });
  expect(await load().catch(() => 'failed')).toBe('failed');
  expect([await load(), await load(), loads]).toEqual([2, 2, 2]);
});
