/** Preamble, preview, undo, If-Match, bulk changes, export and restore. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ask, type Stack, signUp, startStack } from '../../harness/stack.ts';

type Body = {
  id: number;
  code?: string;
  detail?: string | null;
  line?: number | null;
  config: string;
  domain: string;
  valid: boolean;
  diff: string;
  proxyfile: string;
};
type Entry = { id: number; action: string; domain: string; diff: string | null };

let stack: Stack;
let headers: Record<string, string>;
const call = <T = Body>(
  method: string,
  path: string,
  json?: unknown,
  more: Record<string, string> = {},
) =>
  ask<T>(`${stack.hub}${path}`, {
    method,
    headers: { ...headers, ...more },
    ...(json === undefined ? {} : { json }),
  });
const create = async (name: string, config = `respond ${name}`, more: object = {}) =>
  (await call('POST', '/vhosts', { domain: `http://${name}.example`, config, ...more })).body;
const served = async (name: string) => (await stack.served(`${name}.example`)).text;
const log = async (query = '') => (await call<Entry[]>('GET', `/changelog${query}`)).body;
const everything = async () => ({
  list: (await call('GET', '/vhosts')).text,
  log: (await call('GET', '/changelog')).text,
  preamble: (await call('GET', '/preamble')).text,
  file: stack.readProxyfile(),
});

beforeAll(async () => {
  stack = await startStack();
  headers = (await signUp(stack)).headers;
  await create('base');
});
afterAll(() => stack.stop());

describe('the preamble', () => {
  const ports = () => `http_port ${stack.httpPort}\n\thttps_port ${stack.httpsPort}`;

  test.each([
    ['an admin option', (text: string) => `{\n\t${text}\n\tadmin off\n}`, 'line 4: admin'],
    ['a site', (text: string) => `{\n\t${text}\n}\nhttp://evil.example {\n}`, 'this is a site'],
    ['an open block', (text: string) => `{\n\t${text}\n`, 'line 1'],
    [
      'an unknown option',
      (text: string) => `{\n\t${text}\n\tnonsense\n}`,
      'unrecognized global option',
    ],
    ['a file import', () => 'import /etc/passwd', 'line 1'],
  ])('with %s is refused and changes nothing', async (_, make, words) => {
    const before = await everything();
    const refused = await call('PUT', '/preamble', { config: make(ports()) });
    expect([refused.status, refused.body.code]).toEqual([502, 'PROXY_REJECTED']);
    expect(refused.body.detail).toContain(words);
    expect(await everything()).toEqual(before);
  });

  test('is refused with its own line, not with one of a vhost’s config', async () => {
    const config = `{\n\t${ports()}\n\tnonsense\n}`;
    const place = { line: 4, detail: expect.stringMatching(/^preamble, line 4: /) };
    expect((await call('PUT', '/preamble', { config })).body).toMatchObject(place);
    expect((await call('POST', '/preview', { op: 'preamble', config })).body).toMatchObject(place);
    const both = await call('POST', '/restore?replace=true', {
      version: 1,
      preamble: config,
      vhosts: [{ domain: 'http://base.example', config: 'respond b', upstream: '', enabled: true }],
    });
    expect(both.body.detail).toMatch(/^preamble, line 4: /);
  });

  test('is published, recorded and undone like any change', async () => {
    const { config } = (await call('GET', '/preamble')).body;
    expect(config).toContain(`http_port ${stack.httpPort}`);
    const next = `{\n\t${ports()}\n}\n\n(greet) {\n\trespond "hi {args.0}"\n}`;
    const put = await call<{ config: string; updatedAt: string }>('PUT', '/preamble', {
      config: next,
    });
    expect(put.body).toEqual({ config: next, updatedAt: expect.stringMatching(/Z$/) });
    expect(stack.readProxyfile()).toContain(next);
    await create('greeted', 'import greet you');
    expect(await served('greeted')).toBe('hi you');
    const [, entry] = await log();
    expect(entry).toMatchObject({ action: 'update', domain: '(preamble)' });
    expect(JSON.parse(entry?.diff ?? '')).toEqual({ old: { config }, new: { config: next } });

    // A snippet that is in use cannot be removed.
    const before = await everything();
    const refused = await call('POST', `/changelog/${entry?.id}/revert`);
    expect([refused.status, refused.body.code]).toEqual([502, 'PROXY_REJECTED']);
    expect(refused.body.detail).toContain('in http://greeted.example, line 1');
    expect(await everything()).toEqual(before);
    await call(
      'DELETE',
      `/vhosts/${JSON.parse(before.list).find((one: Body) => one.domain.includes('greeted')).id}`,
    );
    expect((await call('POST', `/changelog/${entry?.id}/revert`)).status).toBe(200);
    expect((await call('GET', '/preamble')).body.config).toBe(config);
  });
});

describe('a preview', () => {
  test('shows what a change would do, and does nothing', async () => {
    const before = await everything();
    const good = await call('POST', '/preview', {
      op: 'create',
      domain: 'http://p.example',
      config: 'respond p',
    });
    expect(good.body).toMatchObject({ valid: true, detail: null, line: null });
    expect(good.body.proxyfile).toContain('http://p.example {\n\trespond p\n}');
    expect(good.body.diff).toContain('+http://p.example {');
    expect(good.body.diff).toContain('@@');

    const bad = await call('POST', '/preview', {
      op: 'create',
      domain: 'http://p.example',
      config: 'respond p\nrespnd',
    });
    expect(bad.body).toMatchObject({
      valid: false,
      line: 2,
      detail: expect.stringContaining('respnd'),
    });
    const open = await call('POST', '/preview', { op: 'update', id: 1, config: 'handle {' });
    expect(open.body).toMatchObject({ valid: false, line: 1 });
    const taken = await call('POST', '/preview', {
      op: 'create',
      domain: 'http://base.example',
      config: 'respond p',
    });
    expect(taken.body).toMatchObject({ valid: false });
    const off = await call('POST', '/preview', {
      op: 'create',
      domain: 'http://p.example',
      config: 'respnd',
      enabled: false,
    });
    expect(off.body).toMatchObject({ valid: false, line: 1 });
    const gone = await call('POST', '/preview', { op: 'delete', id: 1 });
    expect(gone.body.diff).toContain('-http://base.example {');
    const same = await call('POST', '/preview', { op: 'update', id: 1, config: 'respond base' });
    expect(same.body).toMatchObject({ valid: true, diff: '' });
    const admin = await call('POST', '/preview', { op: 'preamble', config: '{\n\tadmin off\n}' });
    expect(admin.body).toMatchObject({ valid: false, line: 2 });
    expect(await everything()).toEqual(before);
  });

  test('of a malformed operation is an error', async () => {
    for (const json of [{}, { op: 'explode' }, { op: 'create' }, { op: 'update', id: 'x' }]) {
      expect((await call('POST', '/preview', json)).status).toBe(400);
    }
    expect((await call('POST', '/preview', { op: 'delete', id: 9_999 })).status).toBe(404);
    const bad = { op: 'create', domain: 'a b', config: 'respond x' };
    expect((await call('POST', '/preview', bad)).status).toBe(400);
  });
});

describe('undo', () => {
  const latest = async () => (await log())[0]?.id ?? 0;
  const revert = (id: number) => call('POST', `/changelog/${id}/revert`);

  test('of an unknown entry is 404', async () => {
    for (const id of ['0', 'x', '99999']) {
      expect((await call('POST', `/changelog/${id}/revert`)).status).toBe(404);
    }
  });

  test('of a create, a delete, an update and a toggle, each of which is a new change', async () => {
    const made = await create('undo');
    const created = await latest();
    await call('PUT', `/vhosts/${made.id}`, { config: 'respond new', upstream: '127.0.0.1:1' });
    const updated = await latest();
    const conflict = await revert(created);
    expect([conflict.status, conflict.body.code]).toEqual([409, 'REVERT_CONFLICT']);
    expect(conflict.body.detail).toContain(String(updated));
    expect((await revert(updated)).status).toBe(200);
    expect(await served('undo')).toBe('undo');

    await call('PATCH', `/vhosts/${made.id}/toggle`);
    const toggled = await latest();
    expect((await revert(toggled)).status).toBe(200);
    expect(await served('undo')).toBe('undo');

    await call('DELETE', `/vhosts/${made.id}`);
    const deleted = await latest();
    expect((await revert(deleted)).status).toBe(200);
    const back = await call('GET', `/vhosts/${made.id}`);
    expect(back.body).toMatchObject({
      id: made.id,
      config: 'respond undo',
      upstream: '',
      enabled: true,
    });
    expect((await revert(deleted)).body.code).toBe('REVERT_CONFLICT');

    expect((await revert(created)).status).toBe(200);
    expect(await served('undo')).toBe('');
    expect((await log()).slice(0, 3).map(({ action }) => action)).toEqual([
      'delete',
      'create',
      'delete',
    ]);
  });

  test('of an update leaves fields alone that changed later', async () => {
    const made = await create('fields');
    await call('PUT', `/vhosts/${made.id}`, { config: 'respond second' });
    const second = await latest();
    await call('PUT', `/vhosts/${made.id}`, { upstream: '127.0.0.1:5' });
    expect((await revert(second)).status).toBe(200);
    const now = await call<{ config: string; upstream: string }>('GET', `/vhosts/${made.id}`);
    expect(now.body).toMatchObject({ config: 'respond fields', upstream: '127.0.0.1:5' });
  });

  test('of a delete is a conflict if the domain is taken by now', async () => {
    const made = await create('later');
    await call('DELETE', `/vhosts/${made.id}`);
    const deleted = await latest();
    await create('later', 'respond other');
    const refused = await revert(deleted);
    expect([refused.status, refused.body.code]).toEqual([409, 'DOMAIN_TAKEN']);
  });

  test('the changelog has pages and a filter, and shows nothing private', async () => {
    const all = await log();
    const [first, second] = all;
    const older = await log(`?before=${first?.id}`);
    expect(older[0]).toEqual(second as Entry);
    const mine = await log(`?domain=${encodeURIComponent('http://fields.example')}`);
    expect(new Set(mine.map(({ domain }) => domain))).toEqual(new Set(['http://fields.example']));
    for (const entry of all) expect(entry).not.toHaveProperty('before');
    for (const query of ['before=x', 'before=0', 'before=-1']) {
      expect((await call('GET', `/changelog?${query}`)).status).toBe(400);
    }
  });
});

describe('two people at the same time', () => {
  test('do not overwrite each other’s changes if they send If-Match', async () => {
    const made = await call('POST', '/vhosts', {
      domain: 'http://shared.example',
      config: 'respond 1',
    });
    const tag = made.headers.get('etag') ?? '';
    expect(tag).toMatch(/^"[0-9a-f]{32}"$/);
    const path = `/vhosts/${made.body.id}`;
    expect((await call('GET', path)).headers.get('etag')).toBe(tag);
    const mine = await call('PUT', path, { config: 'respond 2' }, { 'If-Match': tag });
    expect(mine.status).toBe(200);
    const before = await everything();
    for (const [method, where, json] of [
      ['PUT', path, { config: 'respond 3' }],
      ['DELETE', path, undefined],
      ['PATCH', `${path}/toggle`, undefined],
    ] as const) {
      const late = await call(method, where, json, { 'If-Match': tag });
      expect([late.status, late.body.code]).toEqual([412, 'PRECONDITION_FAILED']);
    }
    expect(await everything()).toEqual(before);
    const fresh = mine.headers.get('etag') ?? '';
    expect(
      (await call('PATCH', `${path}/toggle`, undefined, { 'If-Match': `"x", ${fresh}` })).status,
    ).toBe(200);
    expect((await call('DELETE', path, undefined, { 'If-Match': '*' })).status).toBe(200);
  });
});

describe('several changes in one request', () => {
  const bulk = (operations: unknown) =>
    call<{ results: Body[]; code?: string; detail?: string }>('POST', '/vhosts/bulk', {
      operations,
    });

  test('are all refused if one is', async () => {
    const before = await everything();
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
    expect(await everything()).toEqual(before);
  });

  test('are one publish, and each is recorded', async () => {
    const made = await create('gone-soon');
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
    expect(await served('b1')).toBe('b1');
    expect(await served('base')).toBe('base again');
    expect(await served('gone-soon')).toBe('');
    expect((await log()).slice(0, 6).map(({ action }) => action)).toEqual(
      ['create', 'create', 'update', 'toggle', 'toggle', 'delete'].toReversed(),
    );
    const status = await call<{ lastPublish: { changes: number } }>('GET', '/status');
    expect(status.body.lastPublish.changes).toBe(1);
  });
});

describe('export and restore', () => {
  test('return the proxyfile, of all vhosts or one', async () => {
    const whole = await call('GET', '/proxyfile');
    expect(whole.headers.get('content-type')).toContain('text/plain');
    expect(whole.text).toBe(stack.readProxyfile());
    expect((await call('GET', '/proxyfile?vhost=1')).text).toContain('http://base.example {');
    expect((await call('GET', '/proxyfile?vhost=1')).text).not.toContain('fields.example');
    expect((await call('GET', '/proxyfile?vhost=9999')).status).toBe(404);
    expect((await call('GET', '/proxyfile?vhost=x')).status).toBe(400);
  });

  test('are a round trip, byte for byte, to an empty hub or in place of other sites', async () => {
    const saved = await call<object>('GET', '/export');
    const file = stack.readProxyfile();
    const used = await call('POST', '/restore', saved.body);
    expect([used.status, used.body.code]).toEqual([409, 'NOT_EMPTY']);
    expect((await call('POST', '/restore', { ...saved.body, version: 2 })).status).toBe(400);

    // The same ports: the preamble holds them.
    await stack.stop();
    stack = await startStack({
      PROXY_HTTP_PORT: String(stack.httpPort),
      PROXY_HTTPS_PORT: String(stack.httpsPort),
    });
    headers = (await signUp(stack)).headers;
    const onto = await call('POST', '/restore', saved.body);
    expect([onto.status, onto.text]).toEqual([200, saved.text]);
    expect(stack.readProxyfile()).toBe(file);

    await create('extra');
    const replaced = await call('POST', '/restore?replace=true', saved.body);
    expect(replaced.text).toBe(saved.text);
    expect((await call('GET', '/export')).text).toBe(saved.text);
    expect(stack.readProxyfile()).toBe(file);
    expect(await served('extra')).toBe('');
    expect(await served('base')).toBe('base again');
  });
});
