/** One hub and agent, with a site if `CHANGE` is set: run under coverage, twice, it shows which files a change runs through. */
import { expect, test } from 'bun:test';
import { startOwner } from './owner.ts';

test('a site is created', async () => {
  const owner = await startOwner();
  try {
    await owner.call('GET', '/vhosts');
    if (process.env.CHANGE) expect(await owner.create('plain')).toMatchObject({ id: 1 });
  } finally {
    await owner.stack.stop();
  }
});
