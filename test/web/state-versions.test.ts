/** What has changed in the list of states since a version of it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createVersions } from '../../src/hub/watch/sites/versions.ts';
import { STATE, type VhostState } from '../../src/hub/watch/sites/view.ts';
import { changedStates } from '../../src/web/sites/use-states.ts';
import fc from '../harness/generated.ts';
import { type Owner, startOwner } from '../harness/owner.ts';
import { ask } from '../harness/stack.ts';

const site = (id: number, more: Partial<VhostState> = {}): VhostState => ({
  ...(STATE as VhostState),
  ...{ id, domain: `s${id}.example`, ...more },
});
const idsOf = (states: readonly VhostState[]) => states.map(({ id }) => id);

test.each([
  ['nothing', () => ''],
  ['rubbish', () => '💥'],
  ['another run of the hub', () => createVersions()([site(1)])('').version],
  ['a version to come', (now: string) => now.replace(/\d+$/, (number) => `${Number(number) + 1}`)],
  ['none of it', (now: string) => now.replace(/\d+$/, '0')],
  ['a number that is none', (now: string) => now.replace(/\d+$/, 'NaN')],
  ['a part of a version', (now: string) => now.replace(/\d+$/, '1.5')],
  ['another spelling', (now: string) => now.replace(/(\d+)$/, '0$1')],
  ['more than a version', (now: string) => `${now} `],
  ['the number alone', (now: string) => now.replace(/^.*\./, '')],
])('since %s, it is whole', (_, sinceOf) => {
  const note = createVersions();
  note([site(2)]);
  const changes = note([site(1)]);
  const { version } = changes('');
  expect(changes(version)).toMatchObject({ version, whole: false, states: [] });
  const whole = changes(sinceOf(version));
  expect([whole.whole, idsOf(whole.states), whole.version]).toEqual([true, [1], version]);
});

test('removed sites are forgotten if they are many', () => {
  const note = createVersions();
  const many = Array.from({ length: 1_001 }, (_, id) => site(id + 1));
  const all = note(many)('').version;
  const few = note(many.slice(1_000))(all);
  expect([few.whole, few.removed.length]).toEqual([false, 1_000]);
  const none = note([]);
  expect(none(all)).toMatchObject({ whole: true, states: [], removed: [] });
  expect(none(few.version)).toMatchObject({ whole: true, states: [] });
  expect(none(none('').version).whole).toBe(false);
});

test('what is another at each look is no change, and not shown', () => {
  const note = createVersions();
  const [address, upstream] = [STATE.addresses[0], STATE.upstreams[0]];
  const looked = (checkedAt: string, latencyMs: number, up = true) => {
    const moving = { lastChecked: checkedAt, latencyMs, requests: latencyMs };
    const known = {
      addresses: [{ ...address, checkedAt }],
      upstreams: [{ ...upstream, ...moving, up }],
    } as Pick<VhostState, 'addresses' | 'upstreams'>;
    const agents = [{ ...site(1), name: 'twin', ...known }];
    return [site(1, { ...known, agents })];
  };
  const { version, states } = note(looked('2026-11-20T18:00:00.000Z', 1))('');
  expect(JSON.stringify(states)).not.toMatch(/2026-11-20T18:00|"(latencyMs|requests)":1/);
  const later = note(looked('2026-11-20T18:00:30.000Z', 2))(version);
  expect(later).toEqual({ version, whole: false, states: [], removed: [] });
  expect(note(looked('2026-11-20T18:01:00.000Z', 2, false))(version).states).toHaveLength(1);
});

test('what a client has made of all changes is the whole, whichever it asked for', () => {
  const sites = fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 6 }), fc.boolean()), {
    selector: ([id]) => id,
  });
  // Each look, and which of the clients ask at it. One may use an answer that was on its way for longer.
  const looks = fc.array(fc.tuple(sites, fc.array(fc.nat(2)), fc.boolean()), { minLength: 1 });
  fc.assert(
    fc.property(looks, (all) => {
      const note = createVersions();
      type Known = ReturnType<typeof changedStates>;
      const clients = [0, 1, 2].map(() => ({ version: '', states: new Map() as Known }));
      let late = note([])('');
      const take = (client: (typeof clients)[number], changes: typeof late) => {
        client.states = changedStates(client.states, changes);
        client.version = changes.version;
      };
      for (const [at, [some, asking, isLate]] of all.entries()) {
        const states = some.map(([id, enabled]) => site(id, { enabled }));
        const changes = note(states);
        const whole = changes('');
        for (const one of at === all.length - 1 ? [0, 1, 2] : asking) {
          const client = clients[one] as (typeof clients)[number];
          const answer = changes(client.version);
          take(client, answer);
          const known = [...client.states.values()].toSorted((a, b) => a.id - b.id);
          expect(known as unknown).toEqual(whole.states.toSorted((a, b) => a.id - b.id));
          if (isLate) take(client, late);
          late = answer;
        }
      }
    }),
  );
});

describe('/vhosts/state', () => {
  type Changes = ReturnType<ReturnType<ReturnType<typeof createVersions>>>;
  let owner: Owner;
  let viewer: Record<string, string>;
  const get = (query = '', headers: Record<string, string> = {}) =>
    owner.call<Changes>('GET', `/vhosts/state${query}`, undefined, headers);
  const since = async (version: string, query = '') =>
    (await get(`?since=${encodeURIComponent(version)}${query}`)).body;
  const ifNot = (tag: string | null) => get('', { 'If-None-Match': tag ?? '' });

  beforeAll(async () => {
    owner = await startOwner({ UPSTREAM_PROBE: 'false' });
    for (const name of ['a', 'b', 'c']) await owner.create(name);
    const account = { name: 'V', email: 'v@example.org', password: 'a long passphrase' };
    await owner.call('POST', '/users', { ...account, role: 'viewer' });
    const { body } = await ask<{ token: string }>(`${owner.stack.hub}/auth/sign-in/email`, {
      json: account,
    });
    viewer = { Authorization: `Bearer ${body.token}` };
  });
  afterAll(() => owner.stack.stop());

  test('refuses strangers and unknown agents, whatever version they have', async () => {
    const { version } = await since('');
    const tag = { 'If-None-Match': `W/"${version}"` };
    expect((await get('', { ...tag, Authorization: '' })).status).toBe(401);
    expect((await get('?agent=nobody', tag)).status).toBe(404);
    expect((await get('?agent=nobody&since=', { 'If-None-Match': '*' })).status).toBe(404);
  });

  test('is whole for a version that it does not know, as after a restart', async () => {
    const before = await since('');
    for (const rubbish of ['x', '-1', '%', `${before.version}1`, 'x'.repeat(5_000)]) {
      expect(await since(rubbish)).toMatchObject({ whole: true, removed: [] });
      expect((await ifNot(rubbish)).status).toBe(200);
    }
    await owner.stack.restart();
    const after = await since(before.version);
    expect([after.whole, after.states.length]).toEqual([true, 3]);
    expect((await ifNot(`W/"${before.version}"`)).status).toBe(200);
  });

  test('is another one for another role, and for one agent', async () => {
    const owners = await since('');
    const theirs = await get(`?since=${owners.version}`, viewer);
    expect([theirs.status, theirs.body.whole]).toEqual([200, true]);
    const tag = { 'If-None-Match': `W/"${owners.version}"` };
    expect((await get('', { ...viewer, ...tag })).status).toBe(200);
    expect(await since(owners.version, '&agent=local')).toMatchObject({ whole: true });
    expect((await get('?agent=local', tag)).status).toBe(200);
    // An empty name is none.
    expect(await since(owners.version, '&agent=')).toMatchObject({ whole: false });
  });

  test('has no body while it is the same', async () => {
    const all = await get();
    const tag = all.headers.get('etag');
    expect(tag).toMatch(/^W\/"[\da-f-]{36}\.\d+"$/);
    for (const named of [tag, `"x", ${tag}`, tag?.slice(2) ?? '', '*']) {
      const { status, text, headers } = await ifNot(named);
      expect([status, text, headers.get('etag')]).toEqual([304, '', tag]);
    }
    expect((await ifNot('"x"')).text).toBe(all.text);
    await owner.create('d');
    expect((await ifNot(tag)).status).toBe(200);
  });

  test('is what has changed, and what is gone', async () => {
    const { version, states } = await since('');
    const [a, b] = states;
    expect(await since(version)).toEqual({ version, whole: false, states: [], removed: [] });
    await owner.call('PATCH', `/vhosts/${a?.id}/toggle`);
    await owner.call('DELETE', `/vhosts/${b?.id}`);
    const changes = await since(version);
    expect(changes).toMatchObject({ whole: false, removed: [b?.id] });
    expect(changes.states.map(({ id, enabled }) => [id, enabled])).toEqual([
      [a?.id as number, false],
    ]);
    expect(changes.version).not.toBe(version);
    const both = await get(`?since=${version}`, { 'If-None-Match': `W/"${changes.version}"` });
    expect([both.status, both.text]).toEqual([304, '']);
  });
});
