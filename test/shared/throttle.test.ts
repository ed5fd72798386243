/** The throttle of everything that may happen only so often. */
import { expect, test } from 'bun:test';
import { Failure } from '../../src/shared/failure.ts';
import { createThrottle } from '../../src/shared/throttle.ts';

const secondsUntilFree = (call: () => void): number | undefined => {
  try {
    call();
  } catch (error) {
    if (error instanceof Failure && error.code === 'RATE_LIMITED') return error.retryAfter;
    throw error;
  }
  return undefined;
};

test('a key has a limited number of attempts in any window', () => {
  let at = 0;
  const throttle = createThrottle(2, 10_000, () => at);
  throttle.take('a');
  at = 4_000;
  throttle.take('a');
  expect(secondsUntilFree(() => throttle.take('a'))).toBe(6);
  expect(secondsUntilFree(() => throttle.check('b'))).toBeUndefined();
  at = 9_500;
  expect(secondsUntilFree(() => throttle.check('a'))).toBe(1);
  at = 10_000;
  throttle.take('a');
  expect(secondsUntilFree(() => throttle.take('a'))).toBe(4);
});

test('an attempt that is only tried is refused without a failure, and then not counted', () => {
  let at = 0;
  const throttle = createThrottle(1, 10, () => at, { message: 'Too many questions.' });
  expect(throttle.tryTake('a')).toBe(true);
  at = 5;
  expect([throttle.tryTake('a'), throttle.tryTake('b')]).toEqual([false, true]);
  expect(() => throttle.take('a')).toThrow('Too many questions.');
  at = 10;
  expect(throttle.tryTake('a')).toBe(true);
});

test('exhausted are those without an attempt left, the latest first', () => {
  let at = 0;
  const throttle = createThrottle(2, 10, () => at);
  const back = throttle.take('a');
  for (const key of ['b', 'b', 'c', 'd', 'd', 'a']) throttle.take(key);
  expect(throttle.exhausted(9)).toEqual(['a', 'd', 'b']);
  expect(throttle.exhausted(2)).toEqual(['a', 'd']);
  back();
  expect(throttle.exhausted(9)).toEqual(['d', 'b']);
  at = 10;
  expect(throttle.exhausted(9)).toEqual([]);
});

test('an attempt that is undone does not count; a second undo changes nothing', () => {
  const throttle = createThrottle(1, 10, () => 0);
  const back = throttle.take('a');
  back();
  expect(throttle.size()).toBe(0);
  throttle.take('a');
  expect(secondsUntilFree(() => throttle.take('a'))).toBe(1);
});

test('the least recently used keys are forgotten at the limit', () => {
  const throttle = createThrottle(2, 10, () => 0, { maxKeys: 100 });
  throttle.take('kept');
  for (let other = 0; other < 1_000; other++) {
    throttle.take(`other ${other}`);
    if (other === 50) throttle.take('kept');
    if (other === 140) expect(secondsUntilFree(() => throttle.check('kept'))).toBe(1);
  }
  expect(throttle.size()).toBe(100);
  expect(secondsUntilFree(() => throttle.check('kept'))).toBeUndefined();
});
