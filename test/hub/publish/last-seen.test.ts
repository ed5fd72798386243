/** By how much two clocks differ, as far as an answer can show it. */
import { expect, test } from 'bun:test';
import { skewOf } from '../../../src/hub/publish/target/last-seen.ts';

const at = (milliseconds: number) => new Date(milliseconds).toISOString();

test.each([
  ['a time that is none', 'yesterday', null],
  ['a clock that may be right', at(1_500), 0],
  ['a clock that is right at either end', at(1_000), 0],
  ['a clock that is ahead', at(5_000), 3_000],
  ['a clock that is behind', at(400), -600],
])('%s', (_, now, skew) => {
  expect(skewOf(now, 1_000, 2_000)).toBe(skew);
});
