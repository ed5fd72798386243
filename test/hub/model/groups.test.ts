/** The changes of one request as one group, which is undone as a whole or not at all. */
import { describe, expect, test } from 'bun:test';
import { forFile } from '../../harness/for-file.ts';
import { type Body, type Entry, startOwner } from '../../harness/owner.ts';

type Grouped = { group: number; summary: string; count: number; entries: (Entry & Body)[] };
type Refusal = { code: string; detail: string; changes?: number[] };

const owner = await forFile(startOwner());

const groups = async (query = '') =>
  (await owner.call<Grouped[]>('GET', `/changelog?grouped=true${query}`)).body;
const newest = async () => (await groups())[0] as Grouped;
const revert = (group: number) => owner.call<Refusal>('POST', `/changelog/groups/${group}/revert`);
const bulk = (operations: object[]) => owner.call('POST', '/vhosts/bulk', { operations });
const site = (name: string, more: object = {}) => ({
  op: 'create',
  domain: `http://${name}.example`,
  config: `respond ${name}`,
  ...more,
});
const idOf = async (name: string) => {
  const { body } = await owner.call<Body[]>('GET', '/vhosts');
  return body.find(({ domain }) => domain === `http://${name}.example`)?.id ?? 0;
};
/** All that a revert has to bring back; when something changed last is no part of it. */
const sites = async () =>
  (await owner.call<{ updatedAt: string }[]>('GET', '/vhosts')).body.map(
    ({ updatedAt: _, ...rest }) => rest,
  );

describe('undoing a group', () => {
  test('that is none is 404, and needs somebody signed in', async () => {
    for (const id of ['0', 'x', '99999']) {
      const refused = await owner.call('POST', `/changelog/groups/${id}/revert`);
      expect([id, refused.status]).toEqual([id, 404]);
    }
  });

  test('is refused as a whole if one of its things has changed since, and names it and the change', async () => {
    await bulk([site('kept'), site('moved'), site('moved-too')]);
    const { group, entries } = await newest();
    const [moved, movedToo] = [await idOf('moved'), await idOf('moved-too')];
    await owner.call('PUT', `/vhosts/${moved}`, { config: 'respond later' });
    await owner.call('DELETE', `/vhosts/${movedToo}`);
    const [deletion, update] = await owner.changelog();
    const before = await owner.everything();
    const refused = await revert(group);
    expect([refused.status, refused.body.code]).toEqual([409, 'CHANGED_SINCE']);
    expect(refused.body.detail).toBe(
      'Changed since: http://moved.example, http://moved-too.example.',
    );
    expect(refused.body.changes).toEqual([update?.id, deletion?.id] as number[]);
    expect(refused.body.detail).not.toContain('kept');
    expect(await owner.everything()).toEqual(before);
    expect(entries.map(({ domain }) => domain)).toEqual(
      ['kept', 'moved', 'moved-too'].map((name) => `http://${name}.example`),
    );
  });

  test('is refused if a site has got the policy that it would delete', async () => {
    const policy = { name: 'mine', recipe: 'maintenance', values: {} };
    expect((await owner.call('POST', '/policies', policy)).status).toBe(201);
    const { group } = await newest();
    await owner.create('tenant');
    await owner.call('PUT', `/vhosts/${await idOf('tenant')}`, { policies: ['mine'] });
    const before = await owner.everything();
    const refused = await revert(group);
    expect([refused.status, refused.body.code]).toEqual([409, 'POLICY_IN_USE']);
    expect(refused.body.detail).toContain('http://tenant.example');
    expect(await owner.everything()).toEqual(before);
  });

  test('undoes all of it in one publish, and the undo is a group that can be undone', async () => {
    await bulk([site('a'), site('b', { enabled: false }), site('c')]);
    const [a, b, c] = [await idOf('a'), await idOf('b'), await idOf('c')];
    const before = await sites();
    const done = await bulk([
      { op: 'update', id: a, config: 'respond second', tags: ['x'] },
      { op: 'update', id: a, config: 'respond third' },
      { op: 'toggle', id: b },
      { op: 'delete', id: c },
      site('c', { config: 'respond new' }),
      site('passing'),
    ]);
    expect(done.status).toBe(200);
    await bulk([{ op: 'delete', id: await idOf('passing') }]);
    await revert((await newest()).group);
    expect((await newest()).summary).toBe('Undo: Created http://passing.example');
    const after = await sites();
    const { group, count, entries } = (await groups())[2] as Grouped;
    expect([count, entries.length]).toEqual([6, 5]);
    expect((await revert(group)).status).toBe(200);
    expect(await sites()).toEqual(before);
    expect(await owner.served('a')).toBe('a');
    expect(await owner.served('c')).toBe('c');
    expect(await owner.served('passing')).toBe('');
    const status = await owner.call<{ lastPublish: { changes: number } }>('GET', '/status');
    expect(status.body.lastPublish.changes).toBe(1);

    const undo = await newest();
    expect(undo.group).toBeGreaterThan(group);
    expect(undo.summary).toStartWith('Undo: ');
    expect((await revert(undo.group)).status).toBe(200);
    expect(await sites()).toEqual(after);
    expect(await owner.served('a')).toBe('third');
    expect(await owner.served('c')).toBe('new');
    expect((await revert(undo.group)).body.code).toBe('CHANGED_SINCE');
  });

  test('undoes a restore that replaced everything, also a policy by another one of its name', async () => {
    const policy = { name: 'door', recipe: 'maintenance', values: { text: 'first' } };
    await owner.call('POST', '/policies', policy);
    await owner.call('PUT', `/vhosts/${await idOf('a')}`, { policies: ['door'] });
    const before = await sites();
    const document = {
      version: 1,
      preamble: (await owner.call<{ config: string }>('GET', '/preamble')).body.config,
      policies: [{ name: 'door', recipe: 'block', values: { networks: ['203.0.113.9'] } }],
      vhosts: [
        { domain: 'http://other.example', config: 'respond other', upstream: '', enabled: true },
        {
          domain: 'http://a.example',
          config: 'respond restored',
          upstream: '',
          enabled: true,
          policies: ['door'],
        },
      ],
    };
    expect((await owner.call('POST', '/restore?replace=true', document)).status).toBe(200);
    expect(await owner.served('a')).toBe('restored');
    const { group } = await newest();
    const { status, body } = await revert(group);
    expect([status, body.detail]).toEqual([200, undefined] as never);
    expect(await sites()).toEqual(before);
    expect(await owner.served('a')).toBe('first');
    expect(await owner.served('other')).toBe('');
  });
});

describe('a policy among several changes', () => {
  const door = (more: object) => ({ op: 'policy', name: 'new-door', recipe: 'allow', ...more });

  test('is refused with the number of its operation, and nothing is made', async () => {
    const a = await idOf('a');
    const before = await owner.everything();
    const put = { op: 'update', id: a, policies: ['new-door'] };
    const values = { networks: ['private_ranges'] };
    for (const [operations, status, code, field] of [
      [[door({ values: { networks: ['nonsense'] } }), put], 400, 'INVALID_REQUEST', 'networks.0'],
      [[put, door({ values })], 400, 'INVALID_REQUEST', 'policies'],
      [[door({ values }), door({ values })], 409, 'POLICY_TAKEN', 'name'],
      [[{ op: 'policy', id: 999, values }], 404, 'NOT_FOUND', undefined],
    ] as const) {
      const refused = await owner.call<Refusal & { field: string }>('POST', '/vhosts/bulk', {
        operations,
      });
      expect([refused.status, refused.body.code, refused.body.field]).toEqual([
        status,
        code,
        field,
      ] as never);
      expect(refused.body.detail).toMatch(/^operation [12]: /);
    }
    expect(await owner.everything()).toEqual(before);
  });

  test('is created and put on a site in one group, and undone with it', async () => {
    const a = await idOf('a');
    const before = await sites();
    const values = { networks: ['203.0.113.0/24'] };
    const { body } = await owner.call<{ results: { id: number; name?: string }[] }>(
      ...(['POST', '/vhosts/bulk'] as const),
      { operations: [door({ values }), { op: 'update', id: a, policies: ['new-door'] }] },
    );
    expect(body.results).toMatchObject([{ name: 'new-door', vhosts: [a] }, { id: a }]);
    expect(await owner.served('a')).not.toContain('first');
    const { group, summary, count } = await newest();
    expect([summary, count]).toEqual([
      'Created the policy new-door and changed http://a.example',
      2,
    ]);
    expect((await revert(group)).status).toBe(200);
    expect(await sites()).toEqual(before);
    expect((await owner.call('GET', '/policies')).text).not.toContain('new-door');
    expect(await owner.served('a')).toBe('first');
  });
});

describe('the changelog in groups', () => {
  test('has each request once, and its first entries; a filter finds whole groups', async () => {
    await bulk([1, 2, 3, 4, 5, 6, 7].map((number) => site(`many-${number}`)));
    const [first, second] = await groups();
    expect(first).toMatchObject({ summary: 'Created 7 sites', count: 7, userName: 'Ada' });
    expect(first?.entries.map(({ domain }) => domain)).toEqual(
      [1, 2, 3, 4, 5].map((number) => `http://many-${number}.example`),
    );
    expect((await groups(`&before=${first?.group}`))[0]).toEqual(second as Grouped);
    const found = await groups(`&domain=${encodeURIComponent('http://many-7.example')}`);
    expect(found.map(({ group, count, entries }) => [group, count, entries.length])).toEqual([
      [first?.group ?? 0, 7, 1],
    ]);
    expect(await groups('&user=nobody')).toEqual([]);
    const own = await owner.changelog(`?group=${first?.group}`);
    expect(own.map(({ domain }) => domain)).toEqual(
      [7, 6, 5, 4, 3, 2, 1].map((number) => `http://many-${number}.example`),
    );
    for (const entry of own) expect(entry).not.toHaveProperty('summary');
    for (const query of ['grouped=1', 'group=x', 'group=0']) {
      expect((await owner.call('GET', `/changelog?${query}`)).status).toBe(400);
    }
  });

  test('changes that are published together but were sent apart are groups of their own', async () => {
    await Promise.all(['apart-1', 'apart-2', 'apart-3'].map((name) => owner.create(name)));
    expect((await groups()).slice(0, 3).map(({ count }) => count)).toEqual([1, 1, 1]);
  });

  test('says in one line what was done', async () => {
    const [one, two] = [await idOf('many-1'), await idOf('many-2')];
    const policy = { name: 'blocked', recipe: 'block', values: { networks: ['203.0.113.9'] } };
    const made = await owner.call('POST', '/policies', policy);
    const put = (policies: string[]) =>
      bulk([one, two].map((id) => ({ op: 'update', id, policies })));
    await put(['blocked']);
    const networks = ['203.0.113.9', '198.51.100.0/24'];
    await owner.call('PUT', `/policies/${made.body.id}`, { values: { networks } });
    await put([]);
    await owner.call('PATCH', `/vhosts/${one}/toggle`);
    await bulk([
      { op: 'delete', id: one },
      { op: 'update', id: two, config: 'respond x' },
    ]);
    await bulk([
      { op: 'policy', name: 'thieves', recipe: 'block', values: { networks: ['192.0.2.66'] } },
      { op: 'update', id: two, policies: ['thieves'] },
    ]);
    await owner.call('PUT', '/preamble', {
      config: `${(await owner.call<{ config: string }>('GET', '/preamble')).body.config}\n# x`,
    });
    const lines = (await groups()).slice(0, 8).map(({ summary }) => summary);
    expect(lines.toReversed()).toEqual([
      'Created the policy blocked',
      'Put the policy blocked on 2 sites',
      'Blocked 198.51.100.0/24 on 2 sites',
      'Took the policy blocked off 2 sites',
      'Turned off http://many-1.example',
      'Deleted http://many-1.example and changed http://many-2.example',
      'Blocked 192.0.2.66 on 1 site',
      'Changed the preamble',
    ]);
  });
});
