/** The list of states, for clients that poll it: it has no body while nothing has changed. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { stateTag } from '../../../src/hub/watch/sites/state-text.ts';
import { STATE, type VhostState } from '../../../src/hub/watch/sites/view.ts';
import { forAllTests } from '../../harness/for-tests.ts';
import { startOwner } from '../../harness/owner.ts';
import { ask, until } from '../../harness/stack.ts';

const site = (id: number, more: Partial<VhostState> = {}): VhostState => ({
  ...(STATE as VhostState),
  id,
  domain: `s${id}.example`,
  ...more,
});

describe('the tag', () => {
  test('is another one for each list', () => {
    const [a, b] = [site(1), site(2)];
    const lists = [[], [a], [b], [a, b], [b, a], [a, a], [a, site(2, { enabled: false })]];
    expect(new Set(lists.map((list) => stateTag(list))).size).toBe(lists.length);
    expect(stateTag([site(1), site(2)])).toBe(stateTag([a, b]));
  });

  test('does not change with what is different at each look', () => {
    const [address, upstream] = [STATE.addresses[0], STATE.upstreams[0]];
    const looked = (checkedAt: string, latencyMs: number, up = true) => {
      const unsteady = { lastChecked: checkedAt, latencyMs, requests: latencyMs };
      const known = {
        addresses: [{ ...address, checkedAt }],
        upstreams: [{ ...upstream, ...unsteady, up }],
      } as Pick<VhostState, 'addresses' | 'upstreams'>;
      const agents = [{ ...site(1), name: 'twin', ...known }];
      return [site(1, { ...known, agents })];
    };
    const tag = stateTag(looked('2026-11-20T18:00:00.000Z', 1));
    expect(stateTag(looked('2026-11-20T18:00:30.000Z', 2))).toBe(tag);
    expect(stateTag(looked('2026-11-20T18:01:00.000Z', 2, false))).not.toBe(tag);
  });
});

describe('/vhosts/state', () => {
  const owner = forAllTests(() => startOwner({ UPSTREAM_PROBE: 'false' }));
  let viewer: Record<string, string>;
  const get = (query = '', headers: Record<string, string> = {}) =>
    owner.call<VhostState[]>('GET', `/vhosts/state${query}`, undefined, headers);
  const tagNow = async () => (await get()).headers.get('etag') ?? '';
  const ifNot = (tag: string, headers: Record<string, string> = {}) =>
    get('', { ...headers, 'If-None-Match': tag });

  beforeAll(async () => {
    for (const name of ['a', 'b', 'c']) await owner.create(name);
    const account = { name: 'V', email: 'v@example.org', password: 'a long passphrase' };
    await owner.call('POST', '/users', { ...account, role: 'viewer' });
    const { body } = await ask<{ token: string }>(`${owner.stack.hub}/auth/sign-in/email`, {
      json: account,
    });
    viewer = { Authorization: `Bearer ${body.token}` };
  });

  test('refuses strangers and unknown agents, whatever tag they have', async () => {
    const tag = { 'If-None-Match': await tagNow() };
    expect((await get('', { ...tag, Authorization: '' })).status).toBe(401);
    expect((await get('?agent=nobody', tag)).status).toBe(404);
    expect((await get('?agent=nobody', { 'If-None-Match': '*' })).status).toBe(404);
  });

  test('has a body for a tag that it does not know', async () => {
    for (const rubbish of ['x', '-1', '%', 'W/""', 'x'.repeat(5_000)]) {
      const { status, body } = await ifNot(rubbish);
      expect([status, body.length]).toEqual([200, 3]);
    }
  });

  test('has no body while it is the same, and has one once it is not', async () => {
    const all = await until(async () => {
      const found = await get();
      return (await ifNot(found.headers.get('etag') ?? '')).status === 304 && found;
    }, 'states that are the same');
    const tag = all.headers.get('etag') ?? '';
    expect(tag).toMatch(/^W\/"[\da-z]+"$/);
    for (const named of [tag, `"x", ${tag}`, tag.slice(2), '*']) {
      const { status, text, headers } = await ifNot(named);
      expect([status, text, headers.get('etag')]).toEqual([304, '', tag]);
    }
    expect((await ifNot('"x"')).text).toBe(all.text);
    const [a, b] = all.body;
    await owner.call('PATCH', `/vhosts/${a?.id}/toggle`);
    const toggled = await ifNot(tag);
    expect([toggled.status, toggled.body[0]?.enabled]).toEqual([200, false]);
    await owner.call('DELETE', `/vhosts/${b?.id}`);
    const fewer = await ifNot(toggled.headers.get('etag') ?? '');
    expect([fewer.status, fewer.body.length]).toEqual([200, 2]);
    await owner.create('d');
    expect((await ifNot(fewer.headers.get('etag') ?? '')).body).toHaveLength(3);
  });

  test('is for a viewer what a viewer sees, whoever has polled it before', async () => {
    // Nothing listens there, and the words of that are not for viewers.
    const { id } = await owner.create('e', 'reverse_proxy 127.0.0.1:9');
    await owner.served('e');
    const errorIn = (list: VhostState[]) => list.find((one) => one.id === id)?.errors.upstream;
    await until(async () => errorIn((await get()).body));
    expect(errorIn((await ifNot('"x"')).body)).toMatchObject({ name: 'e.example' });
    for (const _ of [1, 2]) {
      const { status, body } = await ifNot('"x"', viewer);
      expect([status, errorIn(body)]).toEqual([200, null]);
    }
    expect((await ifNot(await tagNow(), viewer)).status).toBe(200);
  });
});
