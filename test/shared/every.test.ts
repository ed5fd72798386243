/** Jobs that are repeated, and pauses that grow. */
import { expect, test } from 'bun:test';
import { every, growing } from '../../src/shared/every.ts';
import { until } from '../harness/stack.ts';

test('a job runs at once, and again only after it has ended', async () => {
  let running = 0;
  let most = 0;
  let times = 0;
  const jobs = every({ pause: 1 }, async () => {
    most = Math.max(most, ++running);
    await Bun.sleep(3);
    running--;
    times++;
  });
  expect(times + running).toBe(0);
  jobs.begin();
  expect(running).toBe(1);
  await until(() => times > 3, 'several times');
  await jobs.end();
  expect([most, running]).toEqual([1, 0]);
});

test('its end waits for the one under way, and none comes later', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let times = 0;
  const jobs = every({ pause: 0 }, () => {
    times++;
    return promise;
  });
  jobs.begin();
  let hasEnded = false;
  const ended = jobs.end().then(() => {
    hasEnded = true;
  });
  await Bun.sleep(1);
  expect(hasEnded).toBe(false);
  resolve();
  await ended;
  await Bun.sleep(5);
  expect(times).toBe(1);
});

test('one that was never begun, or has not come to its first time, ends at once and does nothing', async () => {
  let times = 0;
  const count = () => ++times;
  await every({ pause: 0 }, count).end();
  const later = every({ pause: 0, first: 5 }, count);
  later.begin();
  expect(times).toBe(0);
  await later.end();
  await Bun.sleep(10);
  expect(times).toBe(0);
});

test('the pause may be another one each time', async () => {
  const asked: number[] = [];
  let times = 0;
  const pause = () => {
    asked.push(times);
    return 0;
  };
  const jobs = every({ pause }, () => ++times);
  jobs.begin();
  await until(() => times >= 3, 'three times');
  await jobs.end();
  expect(asked.slice(0, 3)).toEqual([1, 2, 3]);
});

test.each([
  [0, 10],
  [1, 10],
  [2, 20],
  [4, 80],
  [5, 100],
  [2_000, 100],
])('after %d failures, the pause is %d', (failures, pause) => {
  expect(growing(failures, 10, 100)).toBe(pause);
});
