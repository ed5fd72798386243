/** Policies and tags in export and restore. */
import { beforeAll, expect, test } from 'bun:test';
import { forFile } from '../../harness/for-file.ts';
import { startOwner } from '../../harness/owner.ts';

type Policy = { id: number; name: string; recipe: string; values: object; vhosts: number[] };
type Vhost = { id: number; domain: string; config: string; policies: string[]; tags: string[] };
type Document = {
  version: number;
  preamble: string;
  policies?: { name: string; recipe: string; values: object; everywhere?: boolean }[];
  vhosts: {
    domain: string;
    config: string;
    upstream: string;
    enabled: boolean;
    policies?: string[];
    except?: string[];
    tags?: string[];
  }[];
};
type Refusal = { code: string; field?: string; detail?: string };

const status = (code: number) => ({ networks: ['127.0.0.1'], status: code });
const HASH = '$2b$14$3dhAvBeEwNwOVDHSFVj8/Ow1WvMDJUwaIGGktAnAwB8/RIqyE/UKy';

const owner = await forFile(startOwner());
let saved: Document;
beforeAll(async () => {
  const document = {
    ...(await exported()),
    policies: [
      { name: 'closed', recipe: 'block', values: status(404) },
      { name: 'password', recipe: 'basic-auth', values: { users: [{ name: 'ada', hash: HASH }] } },
      { name: 'unused', recipe: 'block', values: status(410) },
    ],
    vhosts: [
      { ...a, policies: ['closed'], tags: ['media'] },
      { ...b, policies: ['password', 'closed'], tags: [] },
      { ...c, policies: [], tags: ['home'] },
    ],
  };
  expect((await restore(document)).status).toBe(200);
  saved = await exported();
});

const exported = async () => (await owner.call<Document>('GET', '/export')).body;
const restore = (document: object, replace = true) =>
  owner.call<Refusal>('POST', `/restore${replace ? '?replace=true' : ''}`, document);
const policies = async () => (await owner.call<Policy[]>('GET', '/policies')).body;
const vhosts = async () => (await owner.call<Vhost[]>('GET', '/vhosts')).body;
const statusOf = async (name: string) => (await owner.stack.served(`${name}.example`)).status;
const [a, b, c] = ['a', 'b', 'c'].map((name) => ({
  domain: `http://${name}.example`,
  config: `respond ${name}`,
  upstream: '',
  enabled: true,
}));

test('a restore that contradicts itself or the hub is refused, with nothing changed', async () => {
  const before = await owner.everything();
  const taken = await restore(saved, false);
  expect([taken.status, taken.body.code]).toEqual([409, 'NOT_EMPTY']);
  const x = (recipe: string, values: object) => ({ policies: [{ name: 'x', recipe, values }] });
  const twice = [1, 2].map(() => ({ name: 'x', recipe: 'block', values: status(404) }));
  for (const [change, field] of [
    [x('none', {}), 'policies.0.recipe'],
    [x('block', { networks: ['x'] }), 'policies.0.networks.0'],
    // Without a hash.
    [x('basic-auth', { users: [{ name: 'ada' }] }), 'policies.0.users.0.password'],
    [{ policies: twice }, 'policies'],
    // A site that names a policy it does not have.
    [{ policies: [], vhosts: [{ ...a, policies: ['closed'] }] }, 'policies'],
  ] as const) {
    const refused = await restore({ ...saved, ...change });
    expect([refused.status, refused.body.code, refused.body.field]).toEqual([
      ...([400, 'INVALID_REQUEST', field] as const),
    ]);
  }
  expect(await owner.everything()).toEqual(before);
});

test('an export has policies with hashes, and what each site has', () => {
  expect(saved.policies).toEqual([
    { name: 'closed', recipe: 'block', values: status(404), everywhere: false },
    {
      name: 'password',
      recipe: 'basic-auth',
      everywhere: false,
      values: { users: [{ name: 'ada', hash: HASH }] },
    },
    { name: 'unused', recipe: 'block', values: status(410), everywhere: false },
  ]);
  expect(saved.vhosts).toEqual([
    { ...a, policies: ['closed'], except: [], tags: ['media'], agents: [], check: null },
    { ...b, policies: ['password', 'closed'], except: [], tags: [], agents: [], check: null },
    { ...c, policies: [], except: [], tags: ['home'], agents: [], check: null },
  ] as never);
});

test('a restore gives no policy to containers, and refuses a source that nobody could read', async () => {
  const [first, ...others] = saved.policies ?? [];
  const restored = async (source: string) =>
    restore({ ...saved, policies: [{ ...first, source }, ...others] } as never);
  for (const source of ['x\u001b[31m', '\u202ex', 'x'.repeat(101), '']) {
    expect((await restored(source)).status).toBe(400);
  }
  const before = { ...(await owner.everything()), log: '' };
  expect((await restored('containers/local')).status).toBe(200);
  expect({ ...(await owner.everything()), log: '' }).toEqual(before);
});

test('a restore brings policies, placement and tags back, with their ids', async () => {
  const before = { ...(await owner.everything()), log: '' };
  const [closed] = await policies();
  const [first, second] = await vhosts();
  await owner.call('PUT', `/policies/${closed?.id}`, { values: status(451), name: 'renamed' });
  await owner.call('PUT', `/policies/${closed?.id}`, { name: 'closed' });
  await owner.call('PUT', `/vhosts/${first?.id}`, { policies: [], tags: [] });
  await owner.call('DELETE', `/vhosts/${second?.id}`);
  await owner.call('DELETE', `/policies/${(await policies())[2]?.id}`);
  expect((await restore(saved)).status).toBe(200);
  const after = { ...(await owner.everything()), log: '' };
  expect(after.file.split('\n').toSorted()).toEqual(before.file.split('\n').toSorted());
  expect(await exported()).toEqual(saved);
  expect((await policies())[0]?.id).toBe(closed?.id as number);
  expect((await vhosts())[0]?.id).toBe(first?.id as number);
  expect([await statusOf('a'), await statusOf('b'), await owner.served('c')]).toEqual([
    ...([404, 401, 'c'] as const),
  ]);
  expect((await owner.call<{ inStep: boolean }>('GET', '/status')).body.inStep).toBe(true);
});

test('a restored policy changes sites that stay as they are', async () => {
  const [closed, ...others] = saved.policies ?? [];
  const changed = { ...saved, policies: [{ ...closed, values: status(418) }, ...others] };
  const before = await owner.call('GET', '/vhosts');
  expect((await restore(changed)).status).toBe(200);
  expect(await statusOf('a')).toBe(418);
  expect((await owner.call('GET', '/vhosts')).text).toBe(before.text);
  const [entry, next] = await owner.changelog();
  expect(entry).toMatchObject({ action: 'update', domain: '(policy closed)' });
  expect(next?.domain).not.toBe('(policy closed)');
  await restore(saved);
});

test('a recipe that another one replaces is a new policy', async () => {
  const [closed, ...others] = saved.policies ?? [];
  const values = { text: 'Back at nine.' };
  const changed = { ...saved, policies: [{ ...closed, recipe: 'maintenance', values }, ...others] };
  const old = (await policies())[0];
  expect((await restore(changed)).status).toBe(200);
  expect((await policies())[0]).toMatchObject({ name: 'closed', recipe: 'maintenance' });
  expect((await policies())[0]?.id).not.toBe(old?.id as number);
  expect(await statusOf('a')).toBe(503);
  await restore(saved);
  expect(await statusOf('a')).toBe(404);
});

test('a document without policies leaves those that are there, on the sites that name them', async () => {
  const { policies: _, ...older } = saved;
  const bare = { domain: a?.domain, config: a?.config, upstream: '', enabled: true };
  const before = (await policies()).map(({ name }) => name);
  const made = await restore({ ...older, vhosts: [bare, { ...b, policies: ['closed'] }] });
  expect(made.status).toBe(200);
  expect((await policies()).map(({ name }) => name)).toEqual(before);
  expect((await vhosts()).map((one) => one.policies)).toEqual([[], ['closed']]);
  expect([await statusOf('a'), await statusOf('b')]).toEqual([200, 404]);
  await restore(saved);
});
