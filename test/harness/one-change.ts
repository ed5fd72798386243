/** One hub and agent, with a site if `CHANGE` is set: run under coverage, twice, it shows which files a change runs through. */
import { expect, test } from 'bun:test';
import { startOwner } from './owner.ts';
import { STILL } from './pace.ts';
import { limit } from './speed.ts';

test('a site is created', async () => {
  const owner = await startOwner({}, undefined, STILL);
  try {
    // What begins by itself with the program has been done once by then, with a change or without.
    await Bun.sleep(limit(1_500));
    await owner.call('GET', '/vhosts');
    await owner.call('GET', '/status');
    await Bun.sleep(limit(500));
    if (process.env.CHANGE) expect(await owner.create('plain')).toMatchObject({ id: 1 });
  } finally {
    await owner.stack.stop();
  }
});
