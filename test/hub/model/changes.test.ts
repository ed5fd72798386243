/** Undo, If-Match, and several changes in one request. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { forFile } from '../../harness/for-file.ts';
import { type Body, type Entry, startOwner } from '../../harness/owner.ts';

const owner = await forFile(startOwner());

beforeAll(() => owner.create('base'));

describe('undo', () => {
  const latest = async () => (await owner.changelog())[0]?.id ?? 0;
  const revert = (id: number) => owner.call('POST', `/changelog/${id}/revert`);

  test('of an unknown entry is 404', async () => {
    for (const id of ['0', 'x', '99999']) {
      expect((await owner.call('POST', `/changelog/${id}/revert`)).status).toBe(404);
    }
  });

  test('of a create, a delete, an update and a toggle, each of which is a new change', async () => {
    const made = await owner.create('undo');
    const created = await latest();
    await owner.call('PUT', `/vhosts/${made.id}`, {
      config: 'respond new',
      upstream: '127.0.0.1:1',
    });
    const updated = await latest();
    const conflict = await revert(created);
    expect([conflict.status, conflict.body.code]).toEqual([409, 'REVERT_CONFLICT']);
    expect(conflict.body).toMatchObject({
      detail: `Changed since by entry ${updated}.`,
      changes: [updated],
    });
    expect((await revert(updated)).status).toBe(200);
    expect(await owner.served('undo')).toBe('undo');

    await owner.call('PATCH', `/vhosts/${made.id}/toggle`);
    const toggled = await latest();
    expect((await revert(toggled)).status).toBe(200);
    expect(await owner.served('undo')).toBe('undo');

    await owner.call('DELETE', `/vhosts/${made.id}`);
    const deleted = await latest();
    expect((await revert(deleted)).status).toBe(200);
    const back = await owner.call('GET', `/vhosts/${made.id}`);
    expect(back.body).toMatchObject({
      id: made.id,
      config: 'respond undo',
      upstream: '',
      enabled: true,
    });
    expect((await revert(deleted)).body.code).toBe('REVERT_CONFLICT');

    expect((await revert(created)).status).toBe(200);
    expect(await owner.served('undo')).toBe('');
    expect((await owner.changelog()).slice(0, 3).map(({ action }) => action)).toEqual([
      'delete',
      'create',
      'delete',
    ]);
  });

  test('of an update leaves fields alone that changed later', async () => {
    const made = await owner.create('fields');
    await owner.call('PUT', `/vhosts/${made.id}`, { config: 'respond second' });
    const second = await latest();
    await owner.call('PUT', `/vhosts/${made.id}`, { upstream: '127.0.0.1:5' });
    expect((await revert(second)).status).toBe(200);
    const now = await owner.call<{ config: string; upstream: string }>('GET', `/vhosts/${made.id}`);
    expect(now.body).toMatchObject({ config: 'respond fields', upstream: '127.0.0.1:5' });
  });

  test('of a delete is a conflict if the domain is taken by now', async () => {
    const made = await owner.create('later');
    await owner.call('DELETE', `/vhosts/${made.id}`);
    const deleted = await latest();
    await owner.create('later', 'respond other');
    const refused = await revert(deleted);
    expect([refused.status, refused.body.code]).toEqual([409, 'DOMAIN_TAKEN']);
  });

  test('the changelog has pages and a filter, and shows nothing private', async () => {
    const all = await owner.changelog();
    const [first, second] = all;
    const older = await owner.changelog(`?before=${first?.id}`);
    expect(older[0]).toEqual(second as Entry);
    const mine = await owner.changelog(`?domain=${encodeURIComponent('http://fields.example')}`);
    expect(new Set(mine.map(({ domain }) => domain))).toEqual(new Set(['http://fields.example']));
    const deleted = await owner.changelog('?action=delete');
    expect(deleted).toEqual(all.filter(({ action }) => action === 'delete'));
    expect(await owner.changelog('?action=&user=&domain=')).toEqual(all);
    for (const entry of all) expect(entry).not.toHaveProperty('before');
    for (const query of ['before=x', 'before=0', 'before=-1', 'action=x', 'action=create,delete']) {
      expect((await owner.call('GET', `/changelog?${query}`)).status).toBe(400);
    }
  });
});

describe('two people at the same time', () => {
  test('do not overwrite each other’s changes if they send If-Match', async () => {
    const made = await owner.call('POST', '/vhosts', {
      domain: 'http://shared.example',
      config: 'respond 1',
    });
    const tag = made.headers.get('etag') ?? '';
    expect(tag).toMatch(/^"[0-9a-f]{32}"$/);
    const path = `/vhosts/${made.body.id}`;
    expect((await owner.call('GET', path)).headers.get('etag')).toBe(tag);
    const mine = await owner.call('PUT', path, { config: 'respond 2' }, { 'If-Match': tag });
    expect(mine.status).toBe(200);
    const before = await owner.everything();
    for (const [method, where, json] of [
      ['PUT', path, { config: 'respond 3' }],
      ['DELETE', path, undefined],
      ['PATCH', `${path}/toggle`, undefined],
    ] as const) {
      const late = await owner.call(method, where, json, { 'If-Match': tag });
      expect([late.status, late.body.code]).toEqual([412, 'PRECONDITION_FAILED']);
    }
    expect(await owner.everything()).toEqual(before);
    const fresh = mine.headers.get('etag') ?? '';
    expect(
      (await owner.call('PATCH', `${path}/toggle`, undefined, { 'If-Match': `"x", ${fresh}` }))
        .status,
    ).toBe(200);
    expect((await owner.call('DELETE', path, undefined, { 'If-Match': '*' })).status).toBe(200);
  });
});

describe('several changes in one request', () => {
  test('are all refused if a site or a policy is not as the caller read it', async () => {
    const send = (body: object) =>
      owner.call<{ group?: number; code?: string; message?: string }>('POST', '/vhosts/bulk', body);
    const blocked = { name: 'seen', recipe: 'block', values: { networks: ['203.0.113.9'] } };
    const policy = (await owner.call('POST', '/policies', blocked)).body;
    const site = { domain: 'http://seen.example', config: 'respond seen', policies: ['seen'] };
    const vhost = (await owner.call('POST', '/vhosts', site)).body;
    const values = { networks: ['203.0.113.10'] };
    const operations = [
      { op: 'policy', id: policy.id, values },
      { op: 'update', id: vhost.id, policies: [] },
    ];
    const [{ id }, before] = [vhost, await owner.everything()];
    for (const [expects, name] of [
      [{ policies: [policy] }, 'policy seen'],
      [{ policies: [{ id: policy.id, name: 'other' }] }, 'policy seen'],
      [{ vhosts: [{ ...vhost, policies: [] }] }, `site ${site.domain}`],
      [{ vhosts: [{ id }, { id, policies: ['seen'], tags: ['x'] }] }, `site ${site.domain}`],
      [{ vhosts: [{ id, colour: 'red' }] }, `site ${site.domain}`],
    ] as const) {
      const { status, body } = await send({ operations, expects });
      expect([status, body.code]).toEqual([412, 'PRECONDITION_FAILED']);
      expect(body.message).toBe(`The ${name} has changed since you read it.`);
    }
    for (const expects of [{ vhosts: [{ id: 9999 }] }, { policies: [{ id: 9999 }] }]) {
      expect((await send({ operations, expects })).status).toBe(412);
    }
    for (const expects of [{ vhosts: {} }, { vhosts: [{ policies: [] }] }]) {
      expect((await send({ operations, expects })).status).toBe(400);
    }
    expect(await owner.everything()).toEqual(before);

    // All of it is compared with what is stored before the first operation.
    const seen = (await owner.call('GET', `/policies/${policy.id}`)).body;
    const sites = (await owner.call<Body[]>('GET', '/vhosts')).body;
    const { status, body } = await send({
      operations,
      expects: { vhosts: sites, policies: [seen] },
    });
    expect([status, body.code]).toEqual([200, undefined] as never);
    const [last] = await owner.changelog();
    expect(body.group).toBe((last as { group?: number }).group);
    expect((await send({ operations })).body.group).toBeUndefined();
  });

  const bulk = (operations: unknown) =>
    owner.call<{ results: Body[]; code?: string; detail?: string }>('POST', '/vhosts/bulk', {
      operations,
    });

  test('are all refused if one is', async () => {
    const before = await owner.everything();
    const good = { op: 'create', domain: 'http://b1.example', config: 'respond b1' };
    for (const [bad, status, words] of [
      [
        { op: 'create', domain: 'http://b2.example', config: 'respnd' },
        502,
        'in http://b2.example, line 1',
      ],
      [{ op: 'create', domain: 'http://b1.example', config: 'respond x' }, 409, 'operation 2'],
      [{ op: 'delete', id: 9_999 }, 404, 'operation 2'],
      [{ op: 'update', id: 1, config: '' }, 400, 'operation 2'],
    ] as const) {
      const refused = await bulk([good, bad]);
      expect(refused.status).toBe(status);
      expect(refused.body.detail).toContain(words);
    }
    for (const operations of [undefined, {}, [{}], [{ op: 'create' }]]) {
      expect((await bulk(operations)).status).toBe(400);
    }
    expect(await owner.everything()).toEqual(before);
  });

  test('are one publish, and each is recorded', async () => {
    const made = await owner.create('gone-soon');
    const answer = await bulk([
      { op: 'create', domain: 'http://b1.example', config: 'respond b1' },
      { op: 'create', domain: 'http://b2.example', config: 'respond b2', enabled: false },
      { op: 'update', id: 1, config: 'respond "base again"' },
      { op: 'toggle', id: 1 },
      { op: 'toggle', id: 1 },
      { op: 'delete', id: made.id },
    ]);
    expect(answer.status).toBe(200);
    expect(answer.body.results.length).toBe(6);
    expect(answer.body.results[5]).toEqual({ success: true } as never);
    expect(await owner.served('b1')).toBe('b1');
    expect(await owner.served('base')).toBe('base again');
    expect(await owner.served('gone-soon')).toBe('');
    expect((await owner.changelog()).slice(0, 6).map(({ action }) => action)).toEqual(
      ['create', 'create', 'update', 'toggle', 'toggle', 'delete'].toReversed(),
    );
    const status = await owner.call<{ lastPublish: { changes: number } }>('GET', '/status');
    expect(status.body.lastPublish.changes).toBe(1);
  });
});
