/** A policy whose sign-in service is the site itself. */
import { beforeAll, expect, test } from 'bun:test';
import { forFile } from '../../harness/for-file.ts';
import { type Body, startOwner } from '../../harness/owner.ts';

const owner = await forFile(startOwner());
type Refusal = Body & { message: string; field: string };

const policyOf = (name: string, recipe: string, values: object) =>
  owner.call<Refusal>('POST', '/policies', { name, recipe, values });
const site = (name: string, more: object) => ({
  domain: `http://${name}.example`,
  config: 'reverse_proxy {upstream}',
  ...more,
});

beforeAll(async () => {
  await policyOf('authelia', 'authelia', { address: 'localhost:9091' });
  await policyOf('authentik', 'authentik', { address: 'https://auth.lan' });
  const asking = { uri: '/auth', copyHeaders: [] };
  await policyOf('tinyauth', 'forward-auth', { ...asking, address: '127.0.0.1:3005' });
  await policyOf('open', 'forward-auth', {
    ...asking,
    address: '127.0.0.1:9091',
    exemptPaths: ['/login/*'],
  });
});

test('is refused with the reason, however the site names the service, and nothing is stored', async () => {
  await owner.create('base');
  const before = await owner.everything();
  const refused: [string, object][] = [
    ['authelia', { upstream: '127.0.0.1:9091' }],
    ['authelia', { upstream: 'http://LOCALHOST:9091' }],
    ['authelia', { config: 'handle /x {\n\treverse_proxy [::1]:9091\n}\nrespond x' }],
    ['authelia', { config: 'reverse_proxy {\n\tto localhost:1 localhost:9091\n}' }],
    ['authentik', { upstream: 'https://auth.lan:443' }],
    ['tinyauth', { config: 'reverse_proxy /* localhost:3005' }],
  ];
  for (const [policy, more] of refused) {
    const json = site('auth', { ...more, policies: [policy] });
    const { status, body } = await owner.call<Refusal>('POST', '/vhosts', json);
    expect([more, status, body.code, body.field]).toEqual([
      more,
      400,
      'INVALID_REQUEST',
      'policies',
    ]);
    expect(body.message).toContain(`The policy ${policy} asks the service at`);
    expect(body.message).toContain('http://auth.example itself: nobody could sign in');
    const preview = await owner.call('POST', '/preview', { op: 'create', ...json });
    expect([preview.status, preview.body.valid]).toEqual([400, undefined] as never);
  }
  expect(await owner.everything()).toEqual(before);
});

test('is refused where the policy moves to the site, which keeps the old address', async () => {
  const made = await owner.call('POST', '/vhosts', {
    ...site('moving', { upstream: '127.0.0.1:9099', policies: ['authelia'] }),
  });
  expect(made.status).toBe(201);
  const [policy] = (await owner.call<{ id: number; name: string }[]>('GET', '/policies')).body;
  expect(policy?.name).toBe('authelia');
  const before = await owner.everything();
  const moved = await owner.call<Refusal>('PUT', `/policies/${policy?.id}`, {
    values: { address: 'localhost:9099' },
  });
  expect([moved.status, moved.body.field]).toEqual([400, 'address']);
  expect(moved.body.message).toContain('http://moving.example itself');
  expect(await owner.everything()).toEqual(before);
});

test('is accepted if the policy lets its sign-in through, or the upstream is another one', async () => {
  for (const [name, more] of [
    ['exempt', { upstream: '127.0.0.1:9091', policies: ['open'] }],
    ['other-port', { upstream: '127.0.0.1:9092', policies: ['authelia'] }],
    ['mentioned', { config: 'respond "reverse_proxy localhost:9091"', policies: ['authelia'] }],
    ['unguarded', { upstream: '127.0.0.1:9091' }],
  ] as const) {
    const { status } = await owner.call('POST', '/vhosts', site(name, more));
    expect([name, status]).toEqual([name, 201]);
  }
});

test('of a site that was restored like this does not stand in the way of its other changes', async () => {
  const document = (await owner.call<{ vhosts: object[] }>('GET', '/export')).body;
  const stuck = { ...site('stuck', { upstream: '127.0.0.1:9091' }), enabled: true };
  const vhosts = [...document.vhosts, { ...stuck, policies: ['authelia'] }];
  const restored = await owner.call('POST', '/restore?replace=true', { ...document, vhosts });
  expect(restored.status).toBe(200);
  const list = (await owner.call<Body[]>('GET', '/vhosts')).body;
  const id = list.find(({ domain }) => domain === 'http://stuck.example')?.id;
  expect((await owner.call('PUT', `/vhosts/${id}`, { tags: ['x'] })).status).toBe(200);
  expect((await owner.call('PUT', `/vhosts/${id}`, { policies: [] })).status).toBe(200);
  expect((await owner.call('PUT', `/vhosts/${id}`, { policies: ['authelia'] })).status).toBe(400);
});
