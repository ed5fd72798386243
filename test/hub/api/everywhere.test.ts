/** A policy that applies to every site, also to those that come later, however they come. */
import { describe, expect, test } from 'bun:test';
import { forFile } from '../../harness/for-file.ts';
import { type Body, type Owner, startOwner } from '../../harness/owner.ts';

type Policy = Body & { name: string; everywhere: boolean; vhosts: number[]; field?: string };
type Vhost = Body & { policies: string[]; except: string[]; field?: string };
type Document = { version: number; preamble: string; policies: object[]; vhosts: object[] };

/** A status of its own tells which policy answered. */
const values = (status: number) => ({ networks: ['127.0.0.1', '::1'], status });
const wide = (name: string, status: number) => ({
  name,
  recipe: 'block',
  values: values(status),
  everywhere: true,
});
const site = (name: string, more: object = {}) => ({
  domain: `http://${name}.example`,
  config: `respond ${name}`,
  ...more,
});

const [owner, other] = [await forFile(startOwner()), await forFile(startOwner())];

const policy = (method: string, path = '', json?: object, headers = {}) =>
  owner.call<Policy>(method, `/policies${path}`, json, headers);
const vhost = (method: string, path = '', json?: object, headers = {}) =>
  owner.call<Vhost>(method, `/vhosts${path}`, json, headers);
const bulk = (operations: object[]) => owner.call<Vhost>('POST', '/vhosts/bulk', { operations });
const undo = async (at = 0) =>
  owner.call<Body>('POST', `/changelog/${(await owner.changelog())[at]?.id}/revert`);
const statusOf = async (name: string, of = owner) =>
  (await of.stack.served(`${name}.example`)).status;
const idOf = async (name: string) =>
  (await owner.call<Vhost[]>('GET', '/vhosts')).body.find(
    ({ domain }) => domain === `http://${name}.example`,
  )?.id ?? 0;
const policyNamed = async (name: string) =>
  (await owner.call<Policy[]>('GET', '/policies')).body.find((one) => one.name === name) as Policy;

/** The policies and sites of both are gone again, so that each test begins with none. */
async function clear(of: Owner): Promise<void> {
  const { preamble } = (await of.call<Document>('GET', '/export')).body;
  const empty = { version: 1, preamble, policies: [], vhosts: [] };
  expect((await of.call('POST', '/restore?replace=true', empty)).status).toBe(200);
}

describe('refused, with nothing changed:', () => {
  test('what is no truth value, an unknown policy in `except`, and one that is there twice', async () => {
    expect((await policy('POST', '', { ...wide('narrow', 404), everywhere: false })).status).toBe(
      201,
    );
    const { id } = (await vhost('POST', '', site('kept', { except: ['narrow'] }))).body;
    const { id: of } = await policyNamed('narrow');
    const before = await owner.everything();
    for (const [method, path, json, field] of [
      ['POST', '/policies', { ...wide('no', 404), everywhere: 'yes' }, 'everywhere'],
      ['PUT', `/policies/${of}`, { everywhere: null }, 'everywhere'],
      ['POST', '/vhosts', site('no', { except: ['nobody'] }), 'except'],
      ['PUT', `/vhosts/${id}`, { except: ['narrow', 'narrow'] }, 'except'],
      ['PUT', `/vhosts/${id}`, { except: 'narrow' }, 'except'],
      ['POST', '/vhosts/bulk', { operations: [{ op: 'update', id, except: ['no'] }] }, 'except'],
    ] as const) {
      const refused = await owner.call<Vhost>(method, path, json);
      expect([path, refused.status, refused.body.code]).toEqual([path, 400, 'INVALID_REQUEST']);
      expect(refused.text).toContain(field);
    }
    const stale = { 'If-Match': '"stale"' };
    expect((await policy('PUT', `/${of}`, { everywhere: true }, stale)).status).toBe(412);
    expect((await vhost('PUT', `/${id}`, { except: [] }, stale)).status).toBe(412);
    expect(await owner.everything()).toEqual(before);
    await clear(owner);
  });

  test('to delete one while it applies to a site', async () => {
    await policy('POST', '', wide('in-use', 404));
    await vhost('POST', '', site('user'));
    const { id, vhosts } = await policyNamed('in-use');
    expect(vhosts).toEqual([await idOf('user')]);
    const before = await owner.everything();
    const refused = await policy('DELETE', `/${id}`);
    expect([refused.status, refused.body.code]).toEqual([409, 'POLICY_IN_USE']);
    expect(refused.body.detail).toContain('http://user.example');
    expect(refused.body.hint).toContain('turn `everywhere` off');
    expect(await owner.everything()).toEqual(before);
    expect((await policy('PUT', `/${id}`, { everywhere: false })).body.vhosts).toEqual([]);
    expect(await owner.served('user')).toBe('user');
    expect((await policy('DELETE', `/${id}`)).status).toBe(200);
    await clear(owner);
  });
});

describe('it guards', () => {
  test('sites of before, and all that are created, restored or undone later', async () => {
    await vhost('POST', '', site('old'));
    await vhost('POST', '', site('gone'));
    await vhost('DELETE', `/${await idOf('gone')}`);
    const saved = (await owner.call<Document>('GET', '/export')).body;
    const gone = (await owner.changelog())[0]?.id;
    expect((await policy('POST', '', wide('wall', 451))).body).toMatchObject({
      everywhere: true,
      vhosts: [await idOf('old')],
    });
    expect(await statusOf('old')).toBe(451);

    expect((await vhost('POST', '', site('new'))).body).toMatchObject({ policies: [], except: [] });
    expect((await bulk([{ op: 'create', ...site('many') }])).status).toBe(200);
    expect((await owner.call('POST', `/changelog/${gone}/revert`)).status).toBe(200);
    for (const name of ['old', 'new', 'many', 'gone']) {
      expect([name, await statusOf(name)]).toEqual([name, 451]);
    }
    expect((await policyNamed('wall')).vhosts).toHaveLength(4);
    // A document of before leaves the policies as they are, if it has none.
    const { policies: _, ...older } = saved;
    expect((await owner.call('POST', '/restore?replace=true', older)).status).toBe(200);
    expect(await statusOf('old')).toBe(451);
    // One that has others takes it off, though no site differs.
    expect((await owner.call('POST', '/restore?replace=true', saved)).status).toBe(200);
    expect(await statusOf('old')).toBe(200);
    const back = await undo();
    expect(back.text).not.toContain('code');
    expect(await statusOf('old')).toBe(451);
    expect((await owner.call<{ inStep: boolean }>('GET', '/status')).body.inStep).toBe(true);
    await clear(owner);
  });

  test('no site that leaves it out, until that is undone or the site names it', async () => {
    const made = await bulk([
      { op: 'policy', ...wide('wall', 451) },
      { op: 'create', ...site('out', { except: ['wall'] }) },
      { op: 'create', ...site('in') },
      { op: 'create', ...site('both', { except: ['wall'], policies: ['wall'] }) },
    ]);
    expect(made.status).toBe(200);
    expect([await statusOf('out'), await statusOf('in'), await statusOf('both')]).toEqual([
      200, 451, 451,
    ]);
    const id = await idOf('in');
    const tag = (await vhost('GET', `/${id}`)).headers.get('etag') ?? '';
    const left = await vhost('PUT', `/${id}`, { except: ['wall'] }, { 'If-Match': tag });
    expect(left.body.except).toEqual(['wall']);
    expect(left.headers.get('etag')).not.toBe(tag);
    expect(await owner.served('in')).toBe('in');
    const [entry] = await owner.changelog();
    expect(JSON.parse(entry?.diff ?? '')).toEqual({
      old: { except: [] },
      new: { except: ['wall'] },
    });
    expect((await undo()).status).toBe(200);
    expect(await statusOf('in')).toBe(451);
    // What is left out stays so while the policy is not everywhere, renamed, or deleted for a while.
    const wall = await policyNamed('wall');
    await policy('PUT', `/${wall.id}`, { everywhere: false, name: 'fence' });
    expect((await vhost('GET', `/${await idOf('out')}`)).body.except).toEqual(['fence']);
    await vhost('PUT', `/${await idOf('both')}`, { policies: [] });
    expect((await policy('DELETE', `/${wall.id}`)).status).toBe(200);
    const out = (await vhost('GET', `/${await idOf('out')}`)).body;
    expect(out.except).toEqual([]);
    expect((await vhost('PUT', `/${out.id}`, { except: [] })).body.except).toEqual([]);
    expect((await undo()).status).toBe(200);
    await policy('PUT', `/${wall.id}`, { everywhere: true });
    expect([await statusOf('out'), await statusOf('in'), await statusOf('both')]).toEqual([
      200, 451, 200,
    ]);
    await clear(owner);
  });

  test('before the policies of a site, the oldest first, unless the site names it', async () => {
    await policy('POST', '', wide('z-first', 410));
    await policy('POST', '', wide('a-second', 451));
    await policy('POST', '', { ...wide('own', 404), everywhere: false });
    await bulk([
      { op: 'create', ...site('ordered', { policies: ['own'] }) },
      { op: 'create', ...site('named', { policies: ['own', 'z-first'], except: ['a-second'] }) },
    ]);
    const order = [...(owner.stack.readProxyfile().match(/# policy .*/g) ?? [])];
    expect(order).toEqual(
      ['z-first', 'a-second', 'own', 'own', 'z-first'].map((name) => `# policy ${name}`),
    );
    expect([await statusOf('ordered'), await statusOf('named')]).toEqual([410, 404]);
    await clear(owner);
  });

  test('and is shown, before it goes live, with the sites that it concerns', async () => {
    await bulk([
      { op: 'create', ...site('shown') },
      { op: 'create', ...site('off', { enabled: false }) },
    ]);
    const { id } = (await policy('POST', '', { ...wide('soon', 451), everywhere: false })).body;
    const before = await owner.everything();
    const preview = await owner.call<Body & { vhosts: { domain: string }[] }>('POST', '/preview', {
      op: 'policy',
      id,
      everywhere: true,
    });
    expect(preview.body.valid).toBe(true);
    expect(preview.body.vhosts.map(({ domain }) => domain)).toEqual([
      'http://shown.example',
      'http://off.example',
    ]);
    expect(preview.body.diff).toContain('+\t\t# policy soon');
    expect(await owner.everything()).toEqual(before);
    expect((await policy('PUT', `/${id}`, { everywhere: true })).status).toBe(200);
    const [entry] = await owner.changelog();
    expect(JSON.parse(entry?.diff ?? '')).toEqual({
      old: { everywhere: false },
      new: { everywhere: true },
    });
    await vhost('PATCH', `/${await idOf('off')}/toggle`);
    expect(await statusOf('off')).toBe(451);
    await clear(owner);
  });
});

test('its creation is undone on all sites at once, alone and with the changes beside it', async () => {
  await vhost('POST', '', site('free'));
  const wall = (await policy('POST', '', wide('wall', 451))).body;
  expect(await statusOf('free')).toBe(451);
  expect((await undo()).status).toBe(200);
  expect(await owner.served('free')).toBe('free');
  expect((await undo()).status).toBe(200);
  expect([await statusOf('free'), (await policyNamed('wall')).id]).toEqual([451, wall.id]);
  await policy('PUT', `/${wall.id}`, { everywhere: false });
  await policy('DELETE', `/${wall.id}`);

  const id = await idOf('free');
  const fence = { op: 'policy', ...wide('fence', 410) };
  for (const beside of [
    [
      { op: 'update', id, policies: ['fence'], tags: ['x'] },
      { op: 'create', ...site('late') },
    ],
    // Of this, the proxy learns nothing.
    [{ op: 'update', id, tags: ['y'] }],
  ]) {
    expect((await bulk([fence, ...beside])).status).toBe(200);
    expect(await statusOf('free')).toBe(410);
    const [newest] = (await owner.call<{ group: number }[]>('GET', '/changelog?grouped=true')).body;
    const undone = await owner.call('POST', `/changelog/groups/${newest?.group}/revert`);
    expect(undone.status).toBe(200);
    expect([await statusOf('free'), await owner.served('late')]).toEqual([200, '']);
  }
  await clear(owner);
});

test('an export takes it to another hub, whose policies have other ids', async () => {
  await policy('POST', '', { ...wide('other', 404), everywhere: false });
  await bulk([
    { op: 'policy', ...wide('wall', 451) },
    { op: 'create', ...site('in') },
    { op: 'create', ...site('out', { except: ['wall'] }) },
  ]);
  const saved = (await owner.call<Document>('GET', '/export')).body;
  expect(saved.policies[1]).toMatchObject({ name: 'wall', everywhere: true });
  expect(saved.vhosts[1]).toMatchObject({ except: ['wall'] });
  // The ports of the other proxy are its own.
  const { preamble } = (await other.call<Document>('GET', '/export')).body;
  const moved = { ...saved, preamble };
  for (const count of [1, 2]) {
    expect((await other.call('POST', '/restore?replace=true', moved)).status).toBe(200);
    expect((await other.call<Document>('GET', '/export')).body).toEqual(moved as never);
    expect([count, await statusOf('in', other), await statusOf('out', other)]).toEqual([
      count,
      451,
      200,
    ]);
  }
  await clear(other);
  await clear(owner);
});

describe('a sign-in service that a site leads to', () => {
  const sentry = { name: 'sentry', recipe: 'authelia', values: { address: 'localhost:9091' } };
  const auth = site('auth', { config: 'reverse_proxy {upstream}', upstream: '127.0.0.1:9091' });

  test('has to be left out, whichever comes first, and the refusal names it', async () => {
    await vhost('POST', '', auth);
    const before = await owner.everything();
    const early = await policy('POST', '', { ...sentry, everywhere: true });
    expect([early.status, early.body.field]).toEqual([400, 'everywhere']);
    expect(early.text).toContain('http://auth.example itself');
    expect(early.body.hint).toContain('`except`');
    expect(await owner.everything()).toEqual(before);

    const all = { op: 'policy', ...sentry, everywhere: true };
    expect((await bulk([all, { op: 'create', ...site('beside') }])).body.field).toBe('everywhere');
    expect(await owner.everything()).toEqual(before);
    // What counts is what the request as a whole leads to.
    const except = { op: 'update', id: await idOf('auth'), except: ['sentry'] };
    expect((await bulk([all, except])).status).toBe(200);
    expect((await undo(1)).status).toBe(200);
    expect((await undo(1)).status).toBe(200);

    const { id } = (await policy('POST', '', sentry)).body;
    const later = await policy('PUT', `/${id}`, { everywhere: true });
    expect([later.status, later.body.field]).toEqual([400, 'everywhere']);
    await vhost('PUT', `/${await idOf('auth')}`, { except: ['sentry'] });
    expect((await policy('PUT', `/${id}`, { everywhere: true })).status).toBe(200);
    expect(owner.stack.readProxyfile()).not.toContain('# policy sentry');

    const bare = await vhost('PUT', `/${await idOf('auth')}`, { except: [] });
    expect([bare.status, bare.body.field]).toEqual([400, 'except']);
    const twin = await vhost('POST', '', { ...auth, domain: 'http://twin.example' });
    expect([twin.status, twin.body.field]).toEqual([400, 'except']);
    const excepted = { ...auth, domain: 'http://twin.example', except: ['sentry'] };
    expect((await vhost('POST', '', excepted)).status).toBe(201);
    await clear(owner);
  });
});
