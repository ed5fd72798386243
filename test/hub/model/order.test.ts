/** The order of sites, which is the same in memory, in the database and so after a restart. */
import { expect, test } from 'bun:test';
import { openDatabase } from '../../../src/hub/db/open.ts';
import type { Change } from '../../../src/hub/model/changes.ts';
import { createStore } from '../../../src/hub/model/store.ts';
import {
  createChange,
  deleteChange,
  recreateChange,
} from '../../../src/hub/model/vhost-changes.ts';
import { temporaryFolder } from '../../harness/stack.ts';

const time = new Date('2026-11-01T00:00:00Z');
const author = { userId: 'a', userName: 'Ada', via: null };

test('a site that comes back stands before one that was made at its place meanwhile', async () => {
  const database = openDatabase(temporaryFolder());
  const store = createStore(database);
  let set = store.load();
  async function make<T>(change: Change<T>): Promise<T> {
    const plan = await change(set, time);
    if ('done' in plan) throw new Error('nothing was changed');
    store.commit([{ author, plan }], time);
    set = plan.next;
    return plan.result;
  }
  const site = (domain: string) => createChange({ domain, config: 'respond', upstream: '' });

  await make(site('http://first.example'));
  const gone = await make(site('http://gone.example'));
  await make(deleteChange(gone.id));
  const later = await make(site('http://later.example'));
  expect(later.position).toBe(gone.position);
  await make(recreateChange(gone));

  const domains = ['http://first.example', 'http://gone.example', 'http://later.example'];
  expect(set.vhosts.map(({ domain }) => domain)).toEqual(domains);
  expect(store.load().vhosts.map(({ domain }) => domain)).toEqual(domains);
  database.close();
});
