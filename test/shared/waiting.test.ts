/** Who waits for whom. */
import { expect, test } from 'bun:test';
import { shareNext } from '../../src/shared/async.ts';

test('nobody gets what was loaded before they asked, and those who wait share one load', async () => {
  const loads: PromiseWithResolvers<number>[] = [];
  const load = shareNext(() => {
    const one = Promise.withResolvers<number>();
    loads.push(one);
    return one.promise;
  });
  const first = load();
  await Bun.sleep(0);
  const waiting = [load(), load()];
  loads[0]?.reject(new Error('none'));
  await expect(first).rejects.toThrow('none');
  await Bun.sleep(0);
  const last = load();
  loads[1]?.resolve(2);
  expect(await Promise.all(waiting)).toEqual([2, 2]);
  await Bun.sleep(0);
  loads[2]?.resolve(3);
  expect(await last).toBe(3);
  expect(loads).toHaveLength(3);
});
