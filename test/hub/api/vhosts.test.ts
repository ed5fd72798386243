/** Changes of sites that are accepted: they are live and recorded. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { allOf } from '../../harness/checked.ts';
import { forFile } from '../../harness/for-file.ts';
import { startOwner } from '../../harness/owner.ts';
import { ask, freePort } from '../../harness/stack.ts';
import { words } from '../../harness/words.ts';

type Vhost = {
  id: number;
  domain: string;
  addresses?: string[];
  config: string;
  upstream: string;
  enabled: boolean;
  createdAt: string;
  updatedAt: string;
};

const owner = await forFile(startOwner());

beforeAll(() => create('http://keep.example'));

const vhosts = <T = Vhost>(method: string, path = '', json?: unknown) =>
  owner.call<T>(method, `/vhosts${path}`, json);

async function create(domain: string, config = 'respond hi', more: object = {}): Promise<Vhost> {
  const answer = await vhosts('POST', '', { domain, config, ...more });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}

/** What is stored, recorded, on disk and served. */
const everything = () => allOf(owner, ['life.example', 'same.example', 'last.example']);

describe('an accepted change is live and recorded', () => {
  test('create, read, update, toggle and delete', async () => {
    const made = await create('http://Life.Example.', 'respond "{upstream}"', {
      upstream: ' 127.0.0.1:7 ',
    });
    expect(made).toEqual({
      check: null,
      source: null,
      id: expect.any(Number),
      domain: 'http://life.example',
      addresses: ['http://life.example'],
      config: 'respond "{upstream}"',
      upstream: '127.0.0.1:7',
      enabled: true,
      policies: [],
      except: [],
      tags: [],
      agents: [],
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: made.createdAt,
      warnings: [],
    } as never);
    expect((await owner.stack.served('life.example')).text).toBe('127.0.0.1:7');
    expect(made).toMatchObject((await vhosts('GET', `/${made.id}`)).body);

    const changed = await vhosts('PUT', `/${made.id}`, { upstream: 'http://127.0.0.1:8' });
    expect(changed.body).toEqual({
      ...made,
      upstream: 'http://127.0.0.1:8',
      updatedAt: expect.any(String),
    });
    expect((await owner.stack.served('life.example')).text).toBe('http://127.0.0.1:8');

    const off = await vhosts('PATCH', `/${made.id}/toggle`);
    expect([off.status, off.body.enabled]).toEqual([200, false]);
    expect((await owner.stack.served('life.example')).text).toBe('');
    expect(owner.stack.readProxyfile()).not.toContain('life.example');
    expect((await vhosts('PATCH', `/${made.id}/toggle`)).body.enabled).toBe(true);
    expect((await owner.stack.served('life.example')).text).toBe('http://127.0.0.1:8');

    expect((await vhosts('DELETE', `/${made.id}`)).status).toBe(200);
    expect((await owner.stack.served('life.example')).text).toBe('');
    expect((await vhosts('GET', `/${made.id}`)).status).toBe(404);
  });

  test('an update that changes nothing publishes and records nothing', async () => {
    const made = await create('http://same.example', 'respond same');
    const before = await everything();
    const { domain, config, upstream, enabled } = made;
    for (const json of [
      {},
      { domain: 'HTTP://same.example' },
      { domain, config, upstream, enabled },
    ]) {
      const answer = await vhosts('PUT', `/${made.id}`, json);
      expect([answer.status, answer.body]).toEqual([200, made]);
    }
    expect(await everything()).toEqual(before);
  });

  test('whole blocks are kept verbatim, and so are their neighbours', async () => {
    const config = '# mine\nhttp://whole.example, http://twin.example {\n\trespond "{host}"\n}';
    const made = await create('http://whole.example', config);
    expect(made.config).toBe(config);
    expect(made.addresses).toEqual(['http://whole.example', 'http://twin.example']);
    expect(owner.stack.readProxyfile()).toContain(config);
    expect((await owner.stack.served('twin.example')).text).toBe('twin.example');
    const port = freePort();
    const bare = await create(`:${port}`, `:${port} {\n\trespond bare\n}\n`);
    expect(bare.domain).toBe(`:${port}`);
    expect((await ask(`http://127.0.0.1:${port}/`)).text).toBe('bare');
  });

  test('the list is sorted by domain, the file by creation', async () => {
    await create('http://zz.example');
    await create('http://aa.example');
    const domains = (await vhosts<Vhost[]>('GET')).body.map((vhost) => vhost.domain);
    expect(domains).toEqual(domains.toSorted());
    const file = owner.stack.readProxyfile();
    expect(file.indexOf('zz.example')).toBeLessThan(file.indexOf('aa.example'));
    expect(file.split('\n')[0]).toStartWith('# ');
    expect(file.split('\n')[0]).toContain('signalbox');
  });

  test('ids are never reused', async () => {
    const one = await create('http://once.example');
    await vhosts('DELETE', `/${one.id}`);
    expect((await create('http://once.example')).id).toBeGreaterThan(one.id);
  });

  test('the changelog lists who did what, newest first, without refused changes', async () => {
    const made = await create('http://told.example', 'respond 1');
    await vhosts('PUT', `/${made.id}`, { config: 'respond 2', enabled: false });
    await vhosts('PUT', `/${made.id}`, { config: 'respnd 3' });
    await vhosts('PATCH', `/${made.id}/toggle`);
    await vhosts('DELETE', `/${made.id}`);
    const { body } = await owner.call<Record<string, unknown>[]>('GET', '/changelog');
    const mine = body.filter((entry) => entry.domain === 'http://told.example');
    expect(mine.map((entry) => entry.action)).toEqual(['delete', 'toggle', 'update', 'create']);
    expect(mine.map((entry) => entry.diff === null)).toEqual([true, true, false, true]);
    expect(JSON.parse(String(mine[2]?.diff))).toEqual({
      old: { config: 'respond 1', enabled: true },
      new: { config: 'respond 2', enabled: false },
    });
    expect(Object.keys(mine[0] ?? {}).toSorted()).toEqual(
      words(`
      action createdAt diff domain enabled group id userId userName via
    `),
    );
    expect(mine.map(({ enabled }) => enabled)).toEqual([null, true, null, null]);
    expect(mine[0]?.userName).toBe('Ada');
    expect(body.length).toBeLessThanOrEqual(100);
  });

  test('two accounts share the vhosts; each change names its author', async () => {
    const bob = await owner.call<{ token: string }>('POST', '/auth/sign-up/email', {
      name: 'Bob',
      email: 'bob@example.org',
      password: 'another passphrase',
    });
    const made = await create('http://shared.example');
    const asBob = { Authorization: `Bearer ${bob.body.token}` };
    const deleted = await ask(`${owner.stack.hub}/vhosts/${made.id}`, {
      method: 'DELETE',
      headers: asBob,
    });
    expect(deleted.status).toBe(200);
    type Entry = { userId: string; userName: string; action: string };
    const { body } = await owner.call<Entry[]>('GET', '/changelog');
    expect(body.slice(0, 2).map((entry) => [entry.userName, entry.action])).toEqual([
      ['Bob', 'delete'],
      ['Ada', 'create'],
    ]);
    const by = async (query: string) =>
      (await owner.call<typeof body>('GET', `/changelog?${query}`)).body;
    const { userId } = body[0] ?? { userId: '' };
    expect(await by(`user=${userId}`)).toEqual(body.slice(0, 1));
    expect(await by(`user=${userId}&action=create`)).toEqual([]);
    expect(await by('user=unknown')).toEqual([]);
  });

  test('a restart changes nothing', async () => {
    const last = await create('http://last.example');
    await vhosts('DELETE', `/${last.id}`);
    const before = await everything();
    await owner.stack.restart();
    expect(await everything()).toEqual(before);
    expect((await create('http://next.example')).id).toBeGreaterThan(last.id);
  });
});
