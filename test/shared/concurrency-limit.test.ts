import { expect, test } from 'bun:test';
import { createConcurrencyLimit } from '../../src/shared/async.ts';
import { Failure } from '../../src/shared/failure.ts';

const full = () => new Failure('RATE_LIMITED', 'Too many.');

test('a few jobs run at once, some wait, and the rest are refused', async () => {
  const limited = createConcurrencyLimit({ concurrency: 2, maxWaiting: 3, full });
  const gates: (() => void)[] = [];
  let running = 0;
  let highest = 0;
  const job = async () => {
    highest = Math.max(highest, ++running);
    await new Promise<void>((resolve) => gates.push(resolve));
    running--;
    return 'done';
  };
  const jobs = Array.from({ length: 5 }, () => limited(job));
  await expect(limited(job)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  for (let done = 0; done < 5; done++) {
    while (gates.length === 0) await Promise.resolve();
    gates.shift()?.();
  }
  expect(await Promise.all(jobs)).toEqual(Array(5).fill('done'));
  expect(highest).toBe(2);
});

test('a job that fails frees its slot', async () => {
  const limited = createConcurrencyLimit({ concurrency: 1, maxWaiting: 1 });
  const fails = limited(() => Promise.reject(new Error('no')));
  const works = limited(async () => 1);
  await expect(fails).rejects.toThrow('no');
  expect(await works).toBe(1);
  expect(await limited(async () => 2)).toBe(2);
});
