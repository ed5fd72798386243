/** Restoring a document onto a hub that has sites already. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { forFile } from '../../harness/for-file.ts';
import { type Body, startOwner } from '../../harness/owner.ts';

type Snapshot = { preamble: string; vhosts: { domain: string; config: string }[] };

const owner = await forFile(startOwner());
const list = async () => (await owner.call<Body[]>('GET', '/vhosts')).body;
const entries = async () => (await owner.changelog()).map(({ action, domain }) => [action, domain]);

beforeAll(async () => {
  for (const name of ['one', 'two', 'three', 'four']) await owner.create(name);
  await owner.call('DELETE', '/vhosts/3');
});

describe('a restore', () => {
  test('of one’s own export changes nothing, and so keeps ids and history', async () => {
    const before = await owner.everything();
    const { body: saved } = await owner.call<Snapshot>('GET', '/export');
    const restored = await owner.call<Snapshot>('POST', '/restore?replace=true', saved);
    expect([restored.status, restored.body]).toEqual([200, saved]);
    expect(await owner.everything()).toEqual(before);
  });

  test('changes what differs, deletes what is gone, and adds what is new between', async () => {
    const { body: saved } = await owner.call<Snapshot>('GET', '/export');
    const [first, second, ...rest] = saved.vhosts;
    if (!first || !second) throw new Error('there are too few sites');
    await owner.call('DELETE', '/vhosts/2');
    await owner.call('PUT', '/vhosts/1', { config: 'respond changed' });
    await owner.create('surplus');
    const answer = await owner.call<Snapshot>('POST', '/restore?replace=true', saved);
    expect([answer.status, answer.body]).toEqual([200, saved]);
    const ids = new Map((await list()).map(({ domain, id }) => [domain, id]));
    expect(ids.get(first.domain)).toBe(1);
    expect(rest.map(({ domain }) => ids.get(domain))).toEqual([4]);
    expect((await entries()).slice(0, 3)).toEqual([
      ['create', second.domain],
      ['update', first.domain],
      ['delete', 'http://surplus.example'],
    ]);
    const log = await owner.changelog();
    expect((await owner.call('POST', `/changelog/${log[1]?.id}/revert`)).status).toBe(200);
    expect(await owner.served('one')).toBe('changed');
  });

  test('in another order renders in that order', async () => {
    const { body: saved } = await owner.call<Snapshot>('GET', '/export');
    const vhosts = saved.vhosts.toReversed();
    const answer = await owner.call<Snapshot>('POST', '/restore?replace=true', {
      ...saved,
      vhosts,
    });
    expect(answer.body.vhosts.map(({ domain }) => domain)).toEqual(
      vhosts.map(({ domain }) => domain),
    );
    await owner.stack.restart();
    expect((await owner.call<Snapshot>('GET', '/export')).body.vhosts).toEqual(vhosts);
  });
});
