// proof: attack
/**
 * Sets of thousands of sites in one change. There is no clock here: others get their turn while such
 * a change is prepared, and what takes quadratic time does not finish before the test's end.
 */
import { expect, spyOn, test } from 'bun:test';
import { splitCaddyfile } from '../../src/features/import/caddyfile/split.ts';
import { type Change, sequence } from '../../src/hub/model/changes.ts';
import { assertContained } from '../../src/hub/model/containment.ts';
import { preambleChange } from '../../src/hub/model/preamble-changes.ts';
import { restoreChange } from '../../src/hub/model/snapshot/snapshot.ts';
import { EMPTY_SET, type SiteSet } from '../../src/hub/model/vhost.ts';
import {
  createChange,
  deleteChange,
  toggleChange,
  updateChange,
} from '../../src/hub/model/vhost-changes.ts';
import { some } from '../harness/full.ts';

const fields = (at: number) => ({ domain: `s${at}.example`, config: 'respond a', upstream: '' });
const sites = (count: number) => Array.from({ length: count }, (_, at) => fields(at));

async function planned(change: Change<unknown>, set = EMPTY_SET): Promise<SiteSet> {
  const plan = await change(set, new Date());
  return 'done' in plan ? set : plan.next;
}

/** How often others got a turn while a job was done. */
async function turns(job: () => unknown): Promise<number> {
  let count = 0;
  const ticker = setInterval(() => count++, 0);
  await job();
  clearInterval(ticker);
  return count;
}

test('ten thousand sites in one change are compared by their addresses, not with each other', async () => {
  const creates = sites(10_000).map(createChange);
  expect((await planned(sequence(creates))).vhosts).toHaveLength(10_000);
  const twice = sequence([...creates, createChange({ ...fields(7), domain: 'S7.example' })]);
  // Not by `rejects`, which waits where it stands: here, between two turns, there would be no further one.
  const refusal = await planned(twice).catch((error: unknown) => error);
  expect(refusal).toHaveProperty('message', 'Another site (s7.example) already has this domain.');
});

test('many sites are replaced by as many without copying the list for each', async () => {
  const count = some(10_000, 100_000);
  const copies = spyOn(Array.prototype, 'toSpliced');
  const set = await planned(sequence(sites(count).map(createChange)));
  const vhosts = sites(count).map((site) => ({ ...site, config: 'respond b', enabled: true }));
  const restored = (all: typeof vhosts) =>
    planned(restoreChange({ version: 1, preamble: '', vhosts: all }, true), set);
  const changed = await restored(vhosts);
  expect([changed.vhosts.length, changed.vhosts[0]?.id]).toEqual([count, 1]);
  const others = vhosts.map((site) => ({ ...site, domain: `other-${site.domain}` }));
  expect((await restored(others)).vhosts[0]?.id).toBe(count + 1);
  const { length } = copies.mock.calls;
  copies.mockRestore();
  expect(length).toBe(0);
});

test('others get their turn while many sites are planned, checked and taken from a file', async () => {
  const set = { ...EMPTY_SET, ...(await planned(sequence(sites(20_000).map(createChange)))) };
  const updates = set.vhosts.map(({ id }) => updateChange(id, { config: 'respond b' }));
  const file = set.vhosts.map(({ domain, config }) => `${domain} {\n\t${config}\n}\n`).join('');
  const jobs = {
    create: () => planned(sequence(sites(20_000).map(createChange))),
    update: () => planned(sequence(updates.slice(0, 3_000)), set),
    check: () => assertContained(set.vhosts, set, { heredocs: true, importBlocks: true }),
    split: () => splitCaddyfile(file),
  };
  for (const [name, job] of Object.entries(jobs)) {
    expect([name, (await turns(job)) > 0]).toEqual([name, true]);
  }
});

test('a set stays as it is while changes are planned on top of it', async () => {
  const set = await planned(sequence(sites(3).map(createChange)));
  const before = structuredClone(set);
  const all = [
    createChange(fields(3)),
    toggleChange(1),
    deleteChange(2),
    updateChange(3, { domain: 'other.example' }),
  ];
  const next = await planned(sequence<unknown>(all), set);
  expect(set).toEqual(before);
  expect(next.vhosts.map(({ domain }) => domain)).toEqual([
    's0.example',
    'other.example',
    's3.example',
  ]);
  await expect(planned(sequence<unknown>([...all, toggleChange(9)]), set)).rejects.toThrow(
    'There is no such site.',
  );
  // A finished list is no draft any more.
  await planned(deleteChange(1), next);
  expect(next.vhosts).toHaveLength(3);
  await planned(createChange({ ...fields(0), domain: 'S1.example' }), next);
  await expect(planned(sequence([createChange(fields(1))]), set)).rejects.toThrow('s1.example');
});

test('addresses are compared under the preamble of their own step', async () => {
  const set = await planned(sequence(sites(2).map(createChange)));
  const back = sequence<unknown>([
    createChange(fields(2)),
    preambleChange('{\n\temail a@b.example\n}'),
    deleteChange(1),
    preambleChange(''),
    createChange(fields(0)),
  ]);
  expect((await planned(back, set)).vhosts.map(({ id }) => id)).toEqual([2, 3, 4]);
});
