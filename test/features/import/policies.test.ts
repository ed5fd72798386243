/** Policies and checks of sites that are imported. */
import { describe, expect, test } from 'bun:test';
import { checksIn, startUpstream } from '../../harness/checked.ts';
import { forFile } from '../../harness/for-file.ts';
import { startOwner } from '../../harness/owner.ts';

type Policy = { id: number; name: string; values: object; vhosts: number[] };
type Vhost = { id: number; domain: string; config: string; policies: string[]; tags: string[] };

const owner = await forFile(startOwner());
const policies = async () => (await owner.call<Policy[]>('GET', '/policies')).body;
const vhosts = async () => (await owner.call<Vhost[]>('GET', '/vhosts')).body;
const statusOf = async (name: string) => (await owner.stack.served(`${name}.example`)).status;
const made = async (path: string, json: object) => {
  const { status, body } = await owner.call('POST', path, json);
  expect(status).toBe(201);
  return body;
};
const blocking = (name: string, status: number, more: object = {}) => ({
  name,
  recipe: 'block',
  values: { networks: ['127.0.0.1', '::1'], status },
  ...more,
});
const site = (name: string, more: object = {}) => ({
  domain: `http://${name}.example`,
  config: `respond ${name}`,
  ...more,
});

test('an import brings none and touches none', async () => {
  await made('/policies', blocking('closed', 404));
  await made('/vhosts', site('a', { policies: ['closed'], tags: ['media'] }));
  const before = await policies();
  const proxyfile = `http://a.example {\n\trespond new\n}\nhttp://d.example {\n\trespond d\n}\n`;
  const imported = await owner.call('POST', '/import', { proxyfile, taken: 'replace' });
  expect(imported.status).toBe(200);
  const [first, last] = await vhosts();
  expect(first).toMatchObject({ policies: ['closed'], tags: ['media'] });
  expect(first?.config).toContain('respond new');
  expect(last).toMatchObject({ domain: 'http://d.example', policies: [], tags: [] });
  expect(await statusOf('a')).toBe(404);
  expect((await policies()).map(({ id, values }) => [id, values])).toEqual(
    before.map(({ id, values }) => [id, values]),
  );
  // The same again is there already, policies or not.
  const again = await owner.call<{ merge: { sites: { action: string }[] } }>(
    ...(['POST', '/import', { proxyfile, dryRun: true }] as const),
  );
  expect(again.body.merge.sites.map(({ action }) => action)).toEqual(['keep', 'keep']);
});

describe('a policy for all sites', () => {
  test('guards imported ones', async () => {
    const { id } = await made('/policies', blocking('wall', 451, { everywhere: true }));
    const proxyfile = 'http://imported.example {\n\trespond imported\n}\n';
    expect((await owner.call('POST', '/import', { proxyfile })).status).toBe(200);
    expect(await statusOf('imported')).toBe(451);
    expect((await policies()).find(({ name }) => name === 'wall')?.vhosts).toHaveLength(3);
    await owner.call('PUT', `/policies/${id}`, { everywhere: false });
  });

  test('that asks a sign-in service refuses one that leads there', async () => {
    const values = { address: 'localhost:9091' };
    const sentry = { name: 'sentry', recipe: 'authelia', values, everywhere: true };
    const { id } = await made('/policies', sentry);
    const proxyfile = 'http://twin.example {\n\treverse_proxy localhost:9091\n}\n';
    const imported = await owner.call('POST', '/import', { proxyfile });
    expect([imported.status, imported.body.code]).toEqual([400, 'INVALID_REQUEST']);
    expect(imported.text).toContain('http://twin.example itself');
    expect((await vhosts()).map(({ domain }) => domain)).not.toContain('http://twin.example');
    await owner.call('PUT', `/policies/${id}`, { everywhere: false });
  });
});

test('no check of a site is asked', async () => {
  const upstream = startUpstream();
  try {
    const check = { path: '/', within: 0.5, every: 3600 };
    const config = 'reverse_proxy {upstream}';
    const address = `127.0.0.1:${upstream.port}`;
    await made('/vhosts', site('kept', { config, upstream: address, check }));
    upstream.answer = 500;
    const before = checksIn(owner.stack);
    const proxyfile = 'http://kept.example {\n\trespond imported\n}\n';
    const json = { proxyfile, replace: ['http://kept.example'], preamble: 'keep' };
    expect((await owner.call('POST', '/import', json)).status).toBe(200);
    expect(checksIn(owner.stack) - before).toBe(0);
    expect(await owner.served('kept')).toBe('imported');
  } finally {
    await upstream.stop();
  }
});
