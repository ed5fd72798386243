/** Policies through the API: refusals, placement, changes of many sites at once, secrets. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { applyPatch } from 'diff';
import { inDatabase } from '../../harness/database.ts';
import { forFile } from '../../harness/for-file.ts';
import { startOwner } from '../../harness/owner.ts';
import { limit } from '../../harness/speed.ts';
import { ask } from '../../harness/stack.ts';

type Policy = {
  id: number;
  name: string;
  recipe: string;
  values: Record<string, unknown>;
  vhosts: number[];
  code?: string;
  field?: string;
  detail?: string;
};
type Vhost = { id: number; domain: string; policies: string[]; tags: string[]; updatedAt: string };

const owner = await forFile(startOwner());
beforeAll(() => owner.create('plain'));

const policy = (method: string, path = '', json?: object, headers = {}) =>
  owner.call<Policy>(method, `/policies${path}`, json, headers);
const vhost = (method: string, path = '', json?: object) =>
  owner.call<Vhost>(method, `/vhosts${path}`, json);

async function made(name: string, recipe: string, values: object): Promise<Policy> {
  const answer = await policy('POST', '', { name, recipe, values });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}

async function site(name: string, more: object): Promise<Vhost> {
  const domain = `http://${name}.example`;
  const answer = await vhost('POST', '', { domain, config: `respond ${name}`, ...more });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}

/** A status of its own tells which policy answered. */
const refuseAll = (status: number) => ({ networks: ['private_ranges', '127.0.0.1'], status });
const statusOf = async (name: string) => (await owner.stack.served(`${name}.example`)).status;

describe('refused, with nothing changed:', () => {
  test('a policy with a wrong name, recipe or value', async () => {
    const before = await owner.everything();
    for (const [wrong, field] of [
      [{ name: 'Lan' }, 'name'],
      [{ name: 'lan\n' }, 'name'],
      [{ name: 'x'.repeat(41) }, 'name'],
      [{ name: '' }, 'name'],
      [{ recipe: 'nonsense' }, 'recipe'],
      [{ recipe: 'redirect' }, 'recipe'],
      [{ values: { networks: ['10.0.0.0/33'] } }, 'networks.0'],
      [{ values: {} }, 'networks'],
      [{ values: { networks: ['10.0.0.1'], statsu: 403 } }, 'statsu'],
      [{ values: { networks: ['10.0.0.1'], status: 200 } }, 'status'],
      [{ values: { networks: ['{$HOME}'] } }, 'networks.0'],
    ] as const) {
      const good = { name: 'lan', recipe: 'allow', values: { networks: ['10.0.0.1'] } };
      const { status, body } = await policy('POST', '', { ...good, ...wrong });
      expect([wrong, status, body.code, body.field]).toEqual([
        wrong,
        400,
        'INVALID_REQUEST',
        field,
      ]);
    }
    expect(await owner.everything()).toEqual(before);
  });

  test('a site with wrong policies or tags', async () => {
    await made('lan-1', 'allow', refuseAll(404));
    const before = await owner.everything();
    const id = JSON.parse(before.list)[0].id;
    const site = { domain: 'http://wrong.example', config: 'respond wrong' };
    for (const [wrong, field] of [
      [{ policies: ['nobody'] }, 'policies'],
      [{ policies: ['lan-1', 'lan-1'] }, 'policies'],
      [{ tags: ['  '] }, 'tags'],
      [{ tags: ['x'.repeat(41)] }, 'tags'],
      [{ tags: Array.from({ length: 21 }, (_, at) => `t${at}`) }, 'tags'],
    ] as const) {
      const answers = [
        await vhost('POST', '', { ...site, ...wrong }),
        await vhost('PUT', `/${id}`, wrong),
        await vhost('POST', '/bulk', { operations: [{ op: 'update', id, ...wrong }] }),
        await owner.call('POST', '/preview', { op: 'update', id, ...wrong }),
      ];
      for (const { status, body } of answers) {
        expect([status, (body as unknown as Policy).code]).toEqual([400, 'INVALID_REQUEST']);
        expect((body as unknown as Policy).field).toContain(field);
      }
    }
    expect(await owner.everything()).toEqual(before);
  });

  test('a name that is taken, on creation, renaming and in a preview', async () => {
    await made('taken', 'block', { networks: ['203.0.113.7'] });
    const other = await made('other', 'block', { networks: ['203.0.113.7'] });
    const before = await owner.everything();
    const values = { networks: ['203.0.113.8'] };
    const again = await policy('POST', '', { name: 'taken', recipe: 'allow', values });
    expect([again.status, again.body.code, again.body.field]).toEqual([
      409,
      'POLICY_TAKEN',
      'name',
    ]);
    const renamed = await policy('PUT', `/${other.id}`, { name: 'taken' });
    expect([renamed.status, renamed.body.code]).toEqual([409, 'POLICY_TAKEN']);
    const preview = await owner.call('POST', '/preview', {
      op: 'policy',
      id: other.id,
      name: 'taken',
    });
    expect(preview.body).toMatchObject({ valid: false, detail: expect.stringContaining('taken') });
    expect(await owner.everything()).toEqual(before);
  });

  test('a policy that is not there', async () => {
    for (const [method, json] of [['GET'], ['PUT', { name: 'x' }], ['DELETE']] as const) {
      for (const id of ['999', 'x']) {
        expect([method, (await policy(method, `/${id}`, json)).status]).toEqual([method, 404]);
      }
    }
    const answer = await policy('PUT', '/999', { values: { networks: ['10.0.0.1'] } });
    expect([answer.status, answer.body.code]).toEqual([404, 'NOT_FOUND']);
  });

  test('a change of what somebody else has changed meanwhile', async () => {
    const { id } = await made('shared', 'block', { networks: ['203.0.113.7'] });
    const etag = (await policy('GET', `/${id}`)).headers.get('etag') ?? '';
    await policy('PUT', `/${id}`, { values: { networks: ['203.0.113.8'] } });
    const before = await owner.everything();
    for (const [method, json] of [['PUT', { name: 'mine' }], ['DELETE']] as const) {
      const answer = await policy(method, `/${id}`, json, { 'If-Match': etag });
      expect([answer.status, answer.body.code]).toEqual([412, 'PRECONDITION_FAILED']);
    }
    expect(await owner.everything()).toEqual(before);
    const now = (await policy('GET', `/${id}`)).headers.get('etag') ?? '';
    expect((await policy('PUT', `/${id}`, { name: 'mine' }, { 'If-Match': now })).status).toBe(200);
    expect((await policy('DELETE', `/${id}`, undefined, { 'If-Match': now })).status).toBe(412);
  });
});

describe('a policy', () => {
  test('answers on the sites that have it, in the order that they name', async () => {
    await made('gone', 'block', refuseAll(410));
    await made('hidden', 'block', refuseAll(404));
    const { id } = await site('ordered', { policies: ['gone', 'hidden'] });
    expect(await statusOf('ordered')).toBe(410);
    expect((await vhost('PUT', `/${id}`, { policies: ['hidden', 'gone'] })).body.policies).toEqual([
      'hidden',
      'gone',
    ]);
    expect(await statusOf('ordered')).toBe(404);
    // An update that does not name them leaves them.
    await vhost('PUT', `/${id}`, { config: 'respond new' });
    expect(await statusOf('ordered')).toBe(404);
    await vhost('PUT', `/${id}`, { policies: [] });
    expect(await owner.served('ordered')).toBe('new');
    expect(await owner.served('plain')).toBe('plain');
  });

  test('changes all its sites in one publish, one entry and one undo', async () => {
    const { id } = await made('many', 'block', refuseAll(404));
    const { results } = (
      await owner.call<{ results: Vhost[] }>('POST', '/vhosts/bulk', {
        operations: Array.from({ length: 30 }, (_, at) => ({
          op: 'create',
          domain: `http://many-${at}.example`,
          config: `respond ${at}`,
          policies: ['many'],
          enabled: at !== 29,
        })),
      })
    ).body;
    const before = await owner.everything();
    const changed = await policy('PUT', `/${id}`, { values: refuseAll(410) });
    expect(changed.body.vhosts).toEqual(results.map((one) => one.id));
    expect(await Promise.all(results.slice(0, 29).map((_, at) => statusOf(`many-${at}`)))).toEqual(
      Array.from({ length: 29 }, () => 410),
    );
    // The sites themselves were not changed.
    expect((await owner.everything()).list).toBe(before.list);
    const [entry, ...older] = await owner.changelog();
    expect(older.map((one) => one.id)).toEqual(JSON.parse(before.log).map((one: Policy) => one.id));
    expect(entry).toMatchObject({ action: 'update', domain: '(policy many)' });
    expect(JSON.parse(entry?.diff ?? '')).toEqual({
      old: { values: refuseAll(404) },
      new: { values: refuseAll(410) },
    });
    expect((await owner.call('POST', `/changelog/${entry?.id}/revert`)).status).toBe(200);
    expect(owner.stack.readProxyfile()).toBe(before.file);
    expect(await statusOf('many-3')).toBe(404);
  });

  test('keeps its sites when it is renamed', async () => {
    const { id } = await made('first-name', 'block', refuseAll(404));
    const one = await site('renamed', { policies: ['first-name'] });
    expect((await policy('PUT', `/${id}`, { name: 'second-name' })).body.name).toBe('second-name');
    expect((await vhost('GET', `/${one.id}`)).body.policies).toEqual(['second-name']);
    expect((await vhost('PUT', `/${one.id}`, { policies: ['first-name'] })).status).toBe(400);
    expect(await statusOf('renamed')).toBe(404);
  });

  test('that sites have is not deleted; the answer names them', async () => {
    const { id } = await made('used', 'block', refuseAll(404));
    const one = await site('user', { policies: ['used'] });
    const before = await owner.everything();
    const refused = await policy('DELETE', `/${id}`);
    expect([refused.status, refused.body.code]).toEqual([409, 'POLICY_IN_USE']);
    expect(refused.body.detail).toContain('http://user.example');
    expect(await owner.everything()).toEqual(before);
    await vhost('PUT', `/${one.id}`, { policies: [] });
    expect((await policy('DELETE', `/${id}`)).body).toEqual({ success: true } as never);
    expect((await policy('GET', `/${id}`)).status).toBe(404);
    expect((await made('used', 'block', refuseAll(404))).id).toBeGreaterThan(id);
  });

  test('is refused for all if one of its sites could not take it, naming that site', async () => {
    const { id } = await made('broken-for-one', 'block', refuseAll(404));
    const preamble = (await owner.call('GET', '/preamble')).body.config;
    await owner.call('PUT', '/preamble', { config: `${preamble}\n\n(greet) {\n\trespond hi\n}` });
    await site('takes-it', { policies: ['broken-for-one'] });
    // A disabled site may import what the preamble no longer defines.
    const config = 'import greet';
    await site('cannot', { policies: ['broken-for-one'], config, enabled: false });
    await owner.call('PUT', '/preamble', { config: preamble });
    const before = await owner.everything();
    const refused = await policy('PUT', `/${id}`, { values: refuseAll(410) });
    expect([refused.status, refused.body.code]).toEqual([502, 'PROXY_REJECTED']);
    expect(refused.body.detail).toContain('http://cannot.example');
    const preview = await owner.call('POST', '/preview', {
      op: 'policy',
      id,
      values: refuseAll(410),
    });
    expect(preview.body).toMatchObject({ valid: false });
    expect(await owner.everything()).toEqual(before);
    expect(await statusOf('takes-it')).toBe(404);
  });

  test('of 120 sites is previewed with the whole diff, and refused if it made the Caddyfile too large', async () => {
    const networks = Array.from({ length: 2_000 }, (_, at) => `2001:db8:${'ffff:'.repeat(5)}${at}`);
    const { id } = await made('long', 'block', { networks: ['192.0.2.1'] });
    const config = 'respond long\nhandle_errors {\n\trespond error\n}';
    const operations = Array.from({ length: 120 }, (_, at) => ({
      op: 'create',
      domain: `http://long-${at}.example`,
      config,
      policies: ['long'],
    }));
    expect((await owner.call('POST', '/vhosts/bulk', { operations })).status).toBe(200);
    const before = await owner.everything();
    const small = { networks: ['192.0.2.1', '192.0.2.2'] };
    const { body } = await owner.call('POST', '/preview', { op: 'policy', id, values: small });
    expect(applyPatch(before.file, body.diff)).toBe(body.proxyfile);
    expect(body.diff.match(/^\+.*192\.0\.2\.2/gm)).toHaveLength(240);
    for (const change of [
      () => policy('PUT', `/${id}`, { values: { networks } }),
      () => owner.call('POST', '/preview', { op: 'policy', id, values: { networks } }),
    ]) {
      const { text } = await change();
      expect(text).toContain('All sites and their policies make one Caddyfile.');
    }
    expect(await owner.everything()).toEqual(before);
    const ids = (await vhost('GET', '?search=long-')).body as unknown as Vhost[];
    const deletes = ids.map((one) => ({ op: 'delete', id: one.id }));
    await owner.call('POST', '/vhosts/bulk', { operations: deletes });
    expect((await policy('DELETE', `/${id}`)).status).toBe(200);
  });

  test('is previewed with its sites and the whole diff, and not stored', async () => {
    const { id } = await made('previewed', 'block', refuseAll(404));
    const one = await site('preview-a', { policies: ['previewed'] });
    const two = await site('preview-b', { policies: ['previewed'] });
    const before = await owner.everything();
    const { body } = await owner.call<{ valid: boolean; diff: string; vhosts: object[] }>(
      ...(['POST', '/preview', { op: 'policy', id, values: refuseAll(410) }] as const),
    );
    expect(body.valid).toBe(true);
    expect(body.vhosts).toEqual([one, two].map(({ id, domain }) => ({ id, domain })));
    expect(body.diff.match(/^\+.*410$/gm)).toHaveLength(2);
    const fresh = await owner.call('POST', '/preview', {
      op: 'policy',
      name: 'fresh',
      recipe: 'block',
      values: refuseAll(410),
    });
    expect(fresh.body).toMatchObject({ valid: true, diff: '', vhosts: [] });
    const wrong = await owner.call('POST', '/preview', { op: 'policy', id, values: {} });
    expect(wrong.status).toBe(400);
    expect(await owner.everything()).toEqual(before);
  });

  test('without sites publishes nothing, and neither do tags', async () => {
    const one = await site('tagged', {});
    const published = async () =>
      (await owner.call<{ lastPublish: object }>('GET', '/status')).body.lastPublish;
    const before = [await published(), owner.stack.readProxyfile()];
    const { id } = await made('unused', 'block', refuseAll(404));
    await policy('PUT', `/${id}`, { name: 'still-unused' });
    const tags = (await vhost('PUT', `/${one.id}`, { tags: [' media ', 'home', 'media'] })).body
      .tags;
    expect(tags).toEqual(['media', 'home']);
    await policy('DELETE', `/${id}`);
    expect([await published(), owner.stack.readProxyfile()]).toEqual(before);
    const actions = (await owner.changelog()).slice(0, 4).map(({ action, diff }) => [action, diff]);
    expect(actions).toEqual([
      ['delete', null],
      ['update', '{"old":{"tags":[]},"new":{"tags":["media","home"]}}'],
      ['update', '{"old":{"name":"unused"},"new":{"name":"still-unused"}}'],
      ['create', null],
    ]);
    const listed = async (query: string) =>
      (await owner.call<Vhost[]>('GET', `/vhosts?tag=${query}`)).body.map(({ domain }) => domain);
    expect(await listed('media')).toEqual(['http://tagged.example']);
    expect(await listed('med')).toEqual([]);
  });
});

describe('a password', () => {
  const PASSWORD = 'correct horse battery';
  const KEY = 'key-of-a-secret';
  const basic = (name: string, password: string) => ({
    Host: 'secret.example',
    Authorization: `Basic ${btoa(`${name}:${password}`)}`,
  });
  const visit = (name: string, password: string) =>
    ask(`http://127.0.0.1:${owner.stack.httpPort}/`, { headers: basic(name, password) });

  test(
    'guards a site, is stored as a hash only, and stays in a change that leaves it out',
    async () => {
      const stored = async () => {
        const { policies } = (await owner.call<{ policies: Policy[] }>('GET', '/export')).body;
        return policies.find(({ name }) => name === 'password')?.values.users as object[];
      };
      const users = [{ name: 'ada', password: PASSWORD }];
      const first = { name: 'password', recipe: 'basic-auth', values: { users } };
      const { id, values } = (await policy('POST', '', first, { 'Idempotency-Key': KEY })).body;
      expect(values).toEqual({ users: [{ name: 'ada' }] });
      await site('secret', { policies: ['password'] });
      const before = await stored();

      const more = [{ name: 'ada' }, { name: 'bob', password: 'another passphrase' }];
      expect((await policy('PUT', `/${id}`, { values: { users: more } })).status).toBe(200);
      expect((await stored())[0]).toEqual(before[0] as object);
      expect((await visit('ada', PASSWORD)).text).toBe('secret');
      expect((await visit('bob', PASSWORD)).status).toBe(401);
      const stranger = [{ name: 'ada' }, { name: 'bob' }, { name: 'eve' }];
      const refused = await policy('PUT', `/${id}`, { values: { users: stranger } });
      expect([refused.status, refused.body.field]).toEqual([400, 'users.2.password']);

      const after = await stored();
      await policy('PUT', `/${id}`, { values: { users: [{ name: 'bob' }] } });
      expect(await stored()).toEqual(after.slice(1));
      const [entry] = await owner.changelog();
      await owner.call('POST', `/changelog/${entry?.id}/revert`);
      expect(await stored()).toEqual(after);
      // Each hash, and each visit, takes a second or more of a core: two of either.
    },
    limit(90_000),
  );

  test('and its hash are in no answer but the Caddyfile and the export', async () => {
    const answers = await Promise.all(
      ['/policies', '/policies/1', '/changelog', '/vhosts', '/recipes'].map((path) =>
        owner.call('GET', path).then(({ text }) => text),
      ),
    );
    for (const { id } of (await owner.call<Policy[]>('GET', '/policies')).body) {
      answers.push((await policy('GET', `/${id}`)).text);
    }
    const hash = /\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}/.exec(owner.stack.readProxyfile())?.[0] ?? '';
    expect(hash).not.toBe('');
    for (const text of answers) {
      expect(text).not.toContain(hash);
      expect(text).not.toContain(PASSWORD);
    }
    expect((await owner.call('GET', '/export')).text).toContain(hash);
    for (const name of readdirSync(owner.stack.dataDir)) {
      if (!name.startsWith('signalbox.db')) continue;
      const bytes = readFileSync(join(owner.stack.dataDir, name), 'latin1');
      expect(bytes).not.toContain(PASSWORD);
    }
    expect(owner.stack.lines.join('\n')).not.toContain(PASSWORD);
    // Nor in the answer that a retry of its creation would get, which is encrypted besides.
    const kept = JSON.stringify(
      inDatabase(owner.stack.dataDir, (db) => db.query('SELECT * FROM answers').all()),
    );
    expect(kept).toContain('"status":201');
    for (const secret of [KEY, PASSWORD, '$2', 'basic-auth']) expect(kept).not.toContain(secret);
  });
});

describe('undo', () => {
  const undo = async (at = 0) =>
    owner.call<Policy>('POST', `/changelog/${(await owner.changelog())[at]?.id}/revert`);

  test('deletes what was created, and recreates what was deleted with its id and values', async () => {
    const { id } = await made('undone', 'block', refuseAll(404));
    expect((await undo()).status).toBe(200);
    expect((await policy('GET', `/${id}`)).status).toBe(404);
    expect((await undo()).status).toBe(200);
    expect((await policy('GET', `/${id}`)).body).toMatchObject({ id, name: 'undone' });
    const user = await site('undone', { policies: ['undone'] });
    const refused = await undo(3);
    expect([refused.status, refused.body.code]).toEqual([409, 'POLICY_IN_USE']);
    await vhost('DELETE', `/${user.id}`);
  });

  test('is refused where it would touch what changed since, and names those changes', async () => {
    const { id } = await made('twice', 'block', refuseAll(404));
    await policy('PUT', `/${id}`, { values: refuseAll(410) });
    await policy('PUT', `/${id}`, { values: refuseAll(451) });
    const before = await owner.everything();
    const refused = (await undo(1)).body as Policy & { changes: number[] };
    expect(refused.code).toBe('REVERT_CONFLICT');
    expect(refused.changes).toEqual([JSON.parse(before.log)[0].id]);
    expect(await owner.everything()).toEqual(before);
  });

  test('of a site does not bring back a policy that is gone', async () => {
    const { id } = await made('short-lived', 'block', refuseAll(404));
    const one = await site('left', { policies: ['short-lived'] });
    await vhost('PUT', `/${one.id}`, { upstream: '127.0.0.1:9' });
    await vhost('PUT', `/${one.id}`, { policies: [] });
    await policy('DELETE', `/${id}`);
    const before = await owner.everything();
    expect((await undo(1)).body.code).toBe('REVERT_CONFLICT');
    expect(await owner.everything()).toEqual(before);
    // What has nothing to do with it is undone.
    expect((await undo(2)).status).toBe(200);
  });
});

describe('many changes at once', () => {
  test('of a policy and of its sites leave all of them with the same version', async () => {
    const { id } = await made('stormy', 'block', refuseAll(400));
    const sites = await Promise.all(
      [0, 1, 2, 3, 4, 5].map((at) => site(`stormy-${at}`, { policies: ['stormy'] })),
    );
    const answers = await Promise.all([
      ...[404, 410, 451].map((status) => policy('PUT', `/${id}`, { values: refuseAll(status) })),
      ...sites.map((one, at) => vhost('PUT', `/${one.id}`, { config: `respond new-${at}` })),
      ...[403, 418].map((status) => policy('PUT', `/${id}`, { values: refuseAll(status) })),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const { values } = (await policy('GET', `/${id}`)).body;
    const seen = await Promise.all(sites.map((_, at) => statusOf(`stormy-${at}`)));
    expect(seen).toEqual(sites.map(() => values.status as number));
    for (const at of sites.keys()) {
      expect(owner.stack.readProxyfile()).toContain(`respond new-${at}`);
    }
  });
});
