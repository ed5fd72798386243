/** Who waits for whom. */
import { expect, test } from 'bun:test';
import { createGate, shareNext } from '../../src/shared/async.ts';

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

test('what runs alone waits for what came before, and lets nothing overtake it', async () => {
  const { shared, alone } = createGate();
  const events: string[] = [];
  const job = (name: string, error?: Error) => async () => {
    events.push(name);
    await Bun.sleep(0);
    events.push(`${name} ended`);
    if (error) throw error;
  };
  const failed = shared(job('a', new Error('a')));
  const jobs = [shared(job('b')), alone(job('load')), shared(job('c')), alone(job('next'))];
  await expect(failed).rejects.toThrow('a');
  await Promise.all(jobs);
  const ended = ['load', 'load ended', 'c', 'c ended', 'next', 'next ended'];
  expect(events).toEqual(['a', 'b', 'a ended', 'b ended', ...ended]);
});
