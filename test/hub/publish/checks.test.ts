/** Changes whose sites have to answer as their checks say, through a real Caddy. */
import { beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allOf, checksIn, startUpstream } from '../../harness/checked.ts';
import { forFile } from '../../harness/for-file.ts';
import { type Body, startOwner } from '../../harness/owner.ts';
import { limit } from '../../harness/speed.ts';
import { freePort, temporaryFolder } from '../../harness/stack.ts';

const folder = temporaryFolder();
// Upstreams get no requests but those of checks.
const env = { PROXY_ENV_FILE: join(folder, 'proxy.env'), UPSTREAM_PROBE: 'false' };
writeFileSync(env.PROXY_ENV_FILE, 'SITE=http://known.example\n');
const owner = await forFile(startOwner(env, folder));
const upstream = await forFile(startUpstream());
const closed = freePort();
/** Seconds; no check fails before they are over. */
const within = limit(500) / 1_000;

beforeAll(() => owner.create('base'));
beforeEach(() => {
  Object.assign(upstream, { answer: 'ready', hangs: false });
});

const site = (
  name: string,
  port = upstream.port,
  check: object | null = { path: '/', within },
) => ({
  domain: `http://${name}.example`,
  config: 'reverse_proxy {upstream}',
  check,
  upstream: `127.0.0.1:${port}`,
});
const create = (...of: Parameters<typeof site>) => owner.call('POST', '/vhosts', site(...of));
const made = async (...of: Parameters<typeof site>) => {
  const { status, body, text } = await create(...of);
  if (status !== 201) throw new Error(text);
  return body;
};
const remove = (id: number) => owner.call('DELETE', `/vhosts/${id}`);
const put = (id: number, json: object) => owner.call('PUT', `/vhosts/${id}`, json);
const FAILED = (detail: string, more: object = {}) => ({ code: 'CHECK_FAILED', detail, ...more });
const NO_200 = 'instead of a status from 200 to 299';

/** Nothing may be left of a change that is refused. */
async function refused(
  change: () => Promise<{ status: number; body: Body }>,
  hosts: string[] = [],
) {
  const all = ['base.example', ...hosts];
  const before = await allOf(owner, all);
  const { status, body } = await change();
  expect(status).toBe(502);
  expect(await allOf(owner, all)).toEqual(before);
  const { inStep } = (await owner.call<{ inStep: boolean }>('GET', '/status')).body;
  expect(inStep).toBe(true);
  return body;
}

describe('is refused, with everything as it was,', () => {
  test('a new site whose upstream does not answer', async () => {
    const body = await refused(() => create('wrong', closed), ['wrong.example']);
    expect(body).toEqual({
      code: 'CHECK_FAILED',
      message: 'The site does not answer as its check requires; nothing was changed.',
      detail: `GET / answered 502 ${NO_200}`,
      hint: 'Fix the config or the upstream, or change or remove the check.',
    } as unknown as Body);
  });

  test('a site whose body lacks what it should contain', async () => {
    const check = { path: '/health', contains: 'healthy', within };
    const body = await refused(() => create('body', upstream.port, check));
    expect(body).toMatchObject(
      FAILED('The response body of GET /health does not contain “healthy”'),
    );
    expect(JSON.stringify(body)).not.toContain('ready');
  });

  test('a site that redirects, which is not followed', async () => {
    upstream.answer = 302;
    const body = await refused(() => create('away'));
    expect(body).toMatchObject(FAILED(`GET / answered 302 ${NO_200}`));
  });

  test('a site whose upstream hangs, once its time is over', async () => {
    upstream.hangs = true;
    const body = await refused(() => create('hung'));
    expect(body.code).toBe('CHECK_FAILED');
    expect(body.detail).toMatch(/^GET \/ was not answered within/);
  });

  test('a site whose address only Caddy knows', async () => {
    const json = { domain: '{$SITE}', config: '{$SITE} {\n\trespond x\n}' };
    const check = { path: '/', within };
    const body = await refused(
      () => owner.call('POST', '/vhosts', { ...json, check }),
      ['known.example'],
    );
    expect(body).toMatchObject(
      FAILED('Only Caddy knows the address of this site, so it cannot be checked'),
    );
  });

  test.each<[string, unknown]>([
    ['nothing', {}],
    ['a list', []],
    ['another site', { path: '//x y' }],
    ['an address', { path: 'http://127.0.0.1/' }],
    ['a line break', { path: '/\r\nHost: x' }],
    ['a fragment', { path: '/#x' }],
    ['a long path', { path: `/${'x'.repeat(2000)}` }],
    ['no status', { path: '/', status: 600 }],
    ['a status in quotes', { path: '/', status: '200' }],
    ['half a status', { path: '/', status: 200.5 }],
    ['no time', { path: '/', within: 0 }],
    ['more time', { path: '/', within: 15.1 }],
    ['time in quotes', { path: '/', within: '5' }],
    ['an empty text', { path: '/', contains: '' }],
    ['a long text', { path: '/', contains: 'x'.repeat(1001) }],
    ['a request every nine seconds', { path: '/', every: 9 }],
    ['a request every hour and a second', { path: '/', every: 3601 }],
    ['a request every ten and a half seconds', { path: '/', every: 10.5 }],
    ['a request in the past', { path: '/', every: -60 }],
    ['a number of requests in quotes', { path: '/', every: '60' }],
  ])('a check that asks for %s', async (_, check) => {
    const before = await allOf(owner, []);
    const json = { ...site('malformed'), check };
    const { status, body } = await owner.call('POST', '/vhosts', json);
    expect([status, body]).toMatchObject([400, { code: 'INVALID_REQUEST', field: 'check' }]);
    for (const [path, more] of [
      ['/preview', { op: 'create', ...json }],
      ['/vhosts/bulk', { operations: [{ op: 'create', ...json }] }],
    ] as const) {
      expect((await owner.call('POST', path, more)).status).toBe(400);
    }
    expect(await allOf(owner, [])).toEqual(before);
  });

  test('a check alone that does not pass', async () => {
    const { id } = await made('alone', closed, null);
    const body = await refused(() => put(id, { check: { path: '/x', status: 418, within } }));
    expect(body).toMatchObject(FAILED('GET /x answered 502 instead of 418'));
    await remove(id);
  });

  test('to enable a site that does not answer', async () => {
    const { id } = (await owner.call('POST', '/vhosts', { ...site('off', closed), enabled: false }))
      .body;
    const body = await refused(() => owner.call('PATCH', `/vhosts/${id}/toggle`), ['off.example']);
    expect(body).toMatchObject(FAILED(`GET / answered 502 ${NO_200}`));
    await remove(id);
  });

  test('several changes of which one breaks a site, which is named', async () => {
    const { id } = await made('bulk-one');
    const operations = [
      { op: 'create', ...site('bulk-two') },
      { op: 'update', id, upstream: `127.0.0.1:${closed}` },
    ];
    const body = await refused(
      () => owner.call('POST', '/vhosts/bulk', { operations }),
      ['bulk-one.example', 'bulk-two.example'],
    );
    expect(body).toMatchObject(FAILED(`in http://bulk-one.example: GET / answered 502 ${NO_200}`));
    await remove(id);
  });

  test('a policy that breaks a site which has it', async () => {
    const values = { networks: ['0.0.0.0/0', '::/0'] };
    const policy = await owner.call('POST', '/policies', { name: 'open', recipe: 'allow', values });
    const { id } = (await owner.call('POST', '/vhosts', { ...site('guarded'), policies: ['open'] }))
      .body;
    const body = await refused(
      () =>
        owner.call('PUT', `/policies/${policy.body.id}`, { values: { networks: ['10.0.0.1'] } }),
      ['guarded.example'],
    );
    expect(body).toMatchObject(
      FAILED(`in http://guarded.example: GET / answered 403 ${NO_200}`, {
        message: 'The change would make a site fail its check; nothing was changed.',
      }),
    );
    await remove(id);
    await owner.call('DELETE', `/policies/${policy.body.id}`);
  });

  test('an undo that brings a broken site back', async () => {
    const { id } = await made('undone');
    await remove(id);
    const [entry] = await owner.changelog();
    upstream.answer = 500;
    const body = await refused(
      () => owner.call('POST', `/changelog/${entry?.id}/revert`),
      ['undone.example'],
    );
    expect(body).toMatchObject(FAILED(`GET / answered 500 ${NO_200}`));
  });
});

describe('is accepted', () => {
  test('a site that answers, asked as what it is, and its check is stored as sent', async () => {
    const before = upstream.askedBy.length;
    const check = { path: '/health?deep=1', status: 200, contains: 'ready', every: 3600 };
    const { id, ...body } = await made('good', upstream.port, check);
    expect(body).toMatchObject({ check });
    // At its trial, and once it is live.
    const agent = expect.stringMatching(/^signalbox-check\/[0-9a-f]{16}$/);
    expect(upstream.askedBy.slice(before)).toEqual([agent, agent]);
    await remove(id);
  });

  test('a redirect as a status', async () => {
    upstream.answer = 302;
    const { id } = await made('moved', upstream.port, { path: '/', status: 302 });
    await remove(id);
  });

  test('a policy that lets nobody in, as a status', async () => {
    const values = { networks: ['10.0.0.1'], status: 404 };
    const policy = await owner.call('POST', '/policies', {
      name: 'staff',
      recipe: 'allow',
      values,
    });
    const json = { ...site('staff', upstream.port, { path: '/', status: 404 }) };
    const created = await owner.call('POST', '/vhosts', { ...json, policies: ['staff'] });
    expect([created.status, created.body.code]).toEqual([201, undefined]);
    await remove(created.body.id);
    await owner.call('DELETE', `/policies/${policy.body.id}`);
  });

  test('a site with a certificate of the proxy’s own', async () => {
    const json = { domain: 'secure.example', config: 'tls internal\nrespond "{scheme} {host}"' };
    const check = { path: '/', contains: 'https secure.example', within: 15 };
    const created = await owner.call('POST', '/vhosts', { ...json, check });
    expect([created.status, created.body.code]).toEqual([201, undefined]);
    await remove(created.body.id);
  });

  test('a site that answers late, but in time', async () => {
    upstream.answer = 503;
    const before = upstream.askedBy.length;
    const creating = create('late', upstream.port, { path: '/', within: 10 });
    while (upstream.askedBy.length < before + 2) await Bun.sleep(5);
    upstream.answer = 'ready';
    const { status, body } = await creating;
    expect(status).toBe(201);
    await remove(body.id);
  });

  test('a policy and a preamble, although a site that they concern was down before', async () => {
    const values = { networks: ['0.0.0.0/0', '::/0'] };
    const policy = await owner.call('POST', '/policies', { name: 'wide', recipe: 'allow', values });
    const { id } = (await owner.call('POST', '/vhosts', { ...site('down'), policies: ['wide'] }))
      .body;
    upstream.answer = 500;
    const next = { values: { networks: ['127.0.0.0/8', '::1'] } };
    expect((await owner.call('PUT', `/policies/${policy.body.id}`, next)).status).toBe(200);
    const { config } = JSON.parse((await owner.everything()).preamble) as { config: string };
    const other = { config: `${config}\n# other` };
    expect((await owner.call('PUT', '/preamble', other)).status).toBe(200);
    await owner.call('PUT', '/preamble', { config });
    await remove(id);
    await owner.call('DELETE', `/policies/${policy.body.id}`);
  });

  test('to disable or delete a site that does not answer', async () => {
    const { id } = await made('ended');
    upstream.answer = 500;
    expect((await owner.call('PATCH', `/vhosts/${id}/toggle`)).status).toBe(200);
    expect((await remove(id)).status).toBe(200);
  });
});

describe('nobody is asked', () => {
  /** @returns how often the agent was asked to check sites */
  async function asked(change: () => Promise<{ status: number }>): Promise<number> {
    const before = checksIn(owner.stack);
    expect((await change()).status).toBeLessThan(300);
    return checksIn(owner.stack) - before;
  }

  test('if no site has a check', async () => {
    const others = await asked(() => create('none', upstream.port, null));
    expect(others).toBe(0);
    const { config } = JSON.parse((await owner.everything()).preamble) as { config: string };
    expect(await asked(() => owner.call('PUT', '/preamble', { config: `${config}\n#` }))).toBe(0);
    expect(await asked(() => owner.call('PUT', '/preamble', { config }))).toBe(0);
    // That the count is one of something:
    expect(await asked(() => create('one', upstream.port))).toBe(1);
  });

  test('if only tags change, the check goes, or a disabled site gets one', async () => {
    const { id } = await made('quiet');
    const { text } = await owner.call('GET', '/proxyfile');
    upstream.answer = 500;
    expect(await asked(() => put(id, { tags: ['media'] }))).toBe(0);
    expect(await asked(() => put(id, { check: null }))).toBe(0);
    await owner.call('PATCH', `/vhosts/${id}/toggle`);
    expect(await asked(() => put(id, { check: { path: '/', within } }))).toBe(0);
    expect((await owner.call('GET', '/proxyfile')).text).not.toBe(text);
    await remove(id);
  });

  test('if a site that fails is only to be asked more or less often', async () => {
    const check = { path: '/', within };
    const { id } = await made('rarely', upstream.port, check);
    upstream.answer = 500;
    expect(await asked(() => put(id, { check: { ...check, every: 0 } }))).toBe(0);
    const [entry] = await owner.changelog();
    expect(JSON.parse(entry?.diff ?? '')).toEqual({
      old: { check },
      new: { check: { ...check, every: 0 } },
    });
    expect(await asked(() => put(id, { check: { ...check, every: 10 } }))).toBe(0);
    const other = await put(id, { check: { ...check, every: 10, status: 204 } });
    expect(other.body).toMatchObject(FAILED('GET / answered 500 instead of 204'));
    await remove(id);
  });

  test('by an export that is restored', async () => {
    const check = { path: '/', within, every: 3600 };
    const { id } = await made('kept', upstream.port, check);
    const snapshot = (await owner.call<{ vhosts: Body[] }>('GET', '/export')).body;
    const kept = snapshot.vhosts.find(({ domain }) => domain === 'http://kept.example');
    expect(kept).toMatchObject({ check });
    upstream.answer = 500;
    await remove(id);
    expect(await asked(() => owner.call('POST', '/restore?replace=true', snapshot))).toBe(0);
    const restored = (await owner.call<Body[]>('GET', '/vhosts')).body;
    const again = restored.find(({ domain }) => domain === 'http://kept.example');
    expect(again).toMatchObject({ check });
  });
});

describe('the check of a site', () => {
  test('is in the changelog, and an undo brings it back', async () => {
    const check = { path: '/', status: 200 };
    const { id } = await made('noted', upstream.port, check);
    await put(id, { check: null });
    const [entry] = await owner.changelog();
    expect(JSON.parse(entry?.diff ?? '')).toEqual({ old: { check }, new: { check: null } });
    expect((await owner.call('POST', `/changelog/${entry?.id}/revert`)).status).toBe(200);
    expect((await owner.call('GET', `/vhosts/${id}`)).body).toMatchObject({ check });
    await remove(id);
  });

  test('stays if it is left out, and is part of what If-Match names', async () => {
    const { id } = await made('matched');
    const seen = await owner.call('GET', `/vhosts/${id}`);
    const ifMatch = { 'If-Match': seen.headers.get('etag') ?? '' };
    const check = { path: '/other' };
    expect((await owner.call('PUT', `/vhosts/${id}`, { check }, ifMatch)).status).toBe(200);
    expect((await owner.call('PUT', `/vhosts/${id}`, { check: null }, ifMatch)).status).toBe(412);
    expect((await put(id, { tags: ['x'] })).body).toMatchObject({ check });
    expect((await put(id, { check: null })).body).toMatchObject({ check: null });
    await remove(id);
  });
});
