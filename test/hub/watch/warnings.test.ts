import { describe, expect, test } from 'bun:test';
import { readExposition, sampleOf } from '../../harness/exposition.ts';
import { forFile, serverForFile } from '../../harness/for-file.ts';
import {
  ask,
  freePort,
  hasFeature,
  portSettings,
  signUp,
  startStack,
  until,
} from '../../harness/stack.ts';

type Warning = { code: string; message: string; cure?: object };
type Changed = { id: number; enabled: boolean; warnings: Warning[]; serving?: object };
type Upstream = {
  address: string;
  up: boolean | null;
  since: string | null;
  lastChecked: string | null;
  latencyMs: number | null;
  unknown: string | null;
};
type State = { upstreams: Upstream[]; warnings: Warning[] };

const stack = await forFile(startStack());
const server = serverForFile(() => new Response('ok'));
const open = `127.0.0.1:${server.port}`;

const { headers } = await signUp(stack);

const send = <T = Changed>(method: string, path: string, json?: object) =>
  ask<T>(`${stack.hub}/vhosts${path}`, { method, headers, ...(json ? { json } : {}) });
const site = (name: string, config: string, more: object = {}) => ({
  domain: `http://${name}.example`,
  config,
  ...more,
});
const proxy = (name: string, upstream: string, more: object = {}) =>
  site(name, 'reverse_proxy {upstream}', { upstream, ...more });
const stateOf = async (id: number) => (await send<State>('GET', `/${id}/state`)).body;
const down = (address: string): Warning => ({
  code: 'UPSTREAM_DOWN',
  message: `${address} does not answer: connection refused`,
});
/** The same in the answer to a change, which says why if it can. */
const named = (address: string): Warning =>
  hasFeature('explain')
    ? {
        code: 'UPSTREAM_REFUSED',
        message: `Nothing listens at ${address}: the connection is refused.`,
        cure: { words: expect.any(String), operation: null },
      }
    : down(address);

describe('no warning', () => {
  test.each([
    ['of an upstream that answers', () => proxy('open', open)],
    ['of a site without upstream', () => site('none', 'respond hi')],
    ['of a site that is off', () => proxy('off', `127.0.0.1:${freePort()}`, { enabled: false })],
    ['of what cannot be known', () => site('host', 'reverse_proxy {host}:80')],
  ])('%s', async (_, json) => {
    const made = await send('POST', '', json());
    expect([made.status, made.body.warnings]).toEqual([201, []]);
    expect((await stateOf(made.body.id)).warnings).toEqual([]);
  });

  test('in an answer that refuses a change', async () => {
    const made = await send('POST', '', site('bad', 'reverse_proxy_ 127.0.0.1:1'));
    expect([made.status, 'warnings' in made.body]).toEqual([502, false]);
  });

  test('in a vhost as it is stored', async () => {
    const all = await send<object[]>('GET', '');
    expect(all.body.filter((one) => 'warnings' in one)).toEqual([]);
  });
});

describe('an upstream that is down is named in the answer', () => {
  test('to a create, an update and a toggle, until it answers', async () => {
    const [port, other] = [freePort(), freePort()];
    const address = `127.0.0.1:${port}`;
    const made = await send('POST', '', proxy('down', address));
    expect([made.status, made.body.warnings]).toEqual([201, [named(address)]]);
    const { id } = made.body;
    expect(await stateOf(id)).toMatchObject({
      upstreams: [{ address, up: false, unknown: null }],
      warnings: [down(address)],
    });

    const moved = await send('PUT', `/${id}`, { upstream: `127.0.0.1:${other}` });
    expect(moved.body.warnings).toEqual([named(`127.0.0.1:${other}`)]);
    const off = await send('PATCH', `/${id}/toggle`);
    expect([off.body.enabled, off.body.warnings]).toEqual([false, []]);
    const on = await send('PATCH', `/${id}/toggle`);
    expect(on.body.warnings).toEqual([named(`127.0.0.1:${other}`)]);

    const late = Bun.serve({ hostname: '127.0.0.1', port: other, fetch: () => new Response('ok') });
    // A dial that is less than a second old is not repeated.
    await until(async () => {
      const again = await send('PUT', `/${id}`, {
        config: `reverse_proxy {upstream} #${Bun.nanoseconds()}`,
      });
      return again.body.warnings.length === 0;
    }, 'the upstream to be up');
    const [upstream] = (await stateOf(id)).upstreams;
    expect(upstream).toMatchObject({ up: true, latencyMs: expect.any(Number), unknown: null });
    await late.stop(true);
  });

  test('to several changes at once, each with its own', async () => {
    const [one, two] = [freePort(), freePort()].map((port) => `127.0.0.1:${port}`);
    const first = await send('POST', '', site('first', 'respond hi'));
    const second = await send('POST', '', site('second', 'respond hi'));
    const { body } = await send<{ results: Changed[] }>('POST', '/bulk', {
      operations: [
        { op: 'create', ...proxy('bulk-a', one ?? '') },
        { op: 'create', ...proxy('bulk-b', open) },
        { op: 'update', id: first.body.id, config: `reverse_proxy ${open} ${two}` },
        { op: 'delete', id: second.body.id },
        { op: 'create', ...proxy('bulk-c', two ?? '') },
      ],
    });
    expect(body.results.map(({ warnings }) => warnings)).toEqual([
      [named(one ?? '')],
      [],
      [named(two ?? '')],
      undefined,
      [named(two ?? '')],
    ] as never);
  });
});

describe('what cannot be known says why', () => {
  test.each([
    ['a placeholder', 'reverse_proxy {host}:80', 'placeholder'],
    ['a lookup', 'reverse_proxy {\n\tdynamic a a.example 80\n}', 'looks up'],
    ['SRV records', 'reverse_proxy {\n\tdynamic srv _a._tcp.a.example\n}', 'looks up'],
  ])('if it is %s', async (name, config, why) => {
    const made = await send('POST', '', site(`why-${name.split(' ')[1]}`, config));
    expect((await stateOf(made.body.id)).upstreams).toMatchObject([
      { up: null, since: null, latencyMs: null, unknown: expect.stringContaining(why) },
    ]);
  });

  test('if upstreams are not dialled, and none is warned of, until a request succeeds', async () => {
    const off = await startStack({ UPSTREAM_PROBE: 'false', ...portSettings() });
    const owner = (await signUp(off)).headers;
    let connections = 0;
    const counting = serverForFile(() => {
      connections++;
      return new Response('ok');
    });
    const make = (name: string, upstream: string) =>
      ask<Changed>(`${off.hub}/vhosts`, { headers: owner, json: proxy(name, upstream) });
    const state = async (id: number) =>
      (await ask<State>(`${off.hub}/vhosts/${id}/state`, { headers: owner })).body.upstreams[0];
    const made = await make('closed', `127.0.0.1:${freePort()}`);
    expect(made.body.warnings).toEqual([]);
    expect(await state(made.body.id)).toMatchObject({
      up: null,
      lastChecked: null,
      unknown: expect.stringContaining('UPSTREAM_PROBE'),
    });

    const { id } = (await make('counted', `127.0.0.1:${counting.port}`)).body;
    expect(await state(id)).toMatchObject({ up: null });
    expect(connections).toBe(0);
    expect((await off.served('counted.example')).status).toBe(200);
    const up = await until(async () => {
      const found = await state(id);
      return found?.up && found;
    }, 'the success in the log');
    expect(up).toMatchObject({ unknown: null, latencyMs: null, lastChecked: expect.any(String) });
    await off.stop();
  });
});

test('upstreams are dialled without anyone asking for them', async () => {
  let connections = 0;
  const listener = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { open: () => void connections++, data() {} },
  });
  const { body } = await ask<{ vhosts: object[] }>(`${stack.hub}/export`, { headers });
  const config = `reverse_proxy 127.0.0.1:${listener.port}`;
  const vhosts = [{ ...body.vhosts[0], domain: 'http://restored.example', config, enabled: true }];
  const json = { ...body, vhosts };
  const answer = await ask(`${stack.hub}/restore?replace=true`, { headers, json });
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  await until(() => connections > 0, 'a connection');
  expect(connections).toBe(1);
  listener.stop(true);
});

test('a port that another program holds is named in every answer about a site that needs it', async () => {
  const before = await send('POST', '', site('before', 'respond before'));
  expect(before.body.warnings).toEqual([]);
  let holder: { stop(now: boolean): void } | undefined;
  await stack.restart(() => {
    const hold = { hostname: '::', port: stack.httpPort, exclusive: true, socket: { data() {} } };
    holder = Bun.listen(hold);
  });
  const named = {
    code: 'NOT_SERVED',
    message: expect.stringContaining(`:${stack.httpPort} is not open: held by`),
  };
  const changed = await send('PUT', `/${before.body.id}`, { config: 'respond again' });
  expect([changed.status, changed.body.warnings]).toEqual([200, [named]]);
  const blocked = { http: { port: stack.httpPort, blocked: true, reason: expect.any(String) } };
  expect(changed.body.serving).toMatchObject(blocked);
  const made = await send('POST', '', proxy('while', open));
  expect([made.status, made.body.warnings]).toEqual([201, [named]]);
  const off = await send('PATCH', `/${made.body.id}/toggle`);
  expect([off.body.enabled, off.body.warnings, off.body.serving]).toEqual([false, [], undefined]);
  const operations = [{ op: 'update', id: before.body.id, config: 'respond bulk' }];
  const bulk = await send<{ results: Changed[]; serving: object }>('POST', '/bulk', { operations });
  expect(bulk.body.results[0]?.warnings).toEqual([named]);
  expect(bulk.body.serving).toMatchObject(blocked);
  const elsewhere = freePort();
  const other = { domain: `http://other.example:${elsewhere}`, config: 'respond hi' };
  expect((await send('POST', '', other)).body.warnings).toEqual([]);
  type Status = { serving: object; agents: object[]; problems: object[]; broken: object[] };
  const status = await ask<Status>(`${stack.hub}/status`, { headers });
  expect(status.body.serving).toMatchObject(blocked);
  // Nobody reaches its sites, so it is not in step, and says what is missing.
  const detail = named.message;
  expect(status.body.agents).toMatchObject([{ state: 'refused', detail }]);
  expect(status.body.problems[0]).toMatchObject({ code: 'PORT_HELD', level: 'bad' });
  expect((await stateOf(before.body.id)).warnings).toEqual([named]);
  if (hasFeature('metrics')) {
    const metrics = readExposition((await ask(stack.hub.replace(/\/api$/, '/metrics'))).text);
    const counted = ['in_step', 'proxy_up', 'vhosts_broken'].map((name) =>
      sampleOf(metrics, `signalbox_${name}`),
    );
    expect(counted).toEqual([0, 1, status.body.broken.length]);
  }
  expect(status.body.broken).not.toBeEmpty();

  holder?.stop(true);
  const served = () => stack.served('before.example').catch(() => null);
  await until(async () => (await served())?.text === 'bulk', 'the site');
  const again = await send('PUT', `/${before.body.id}`, { config: 'respond free' });
  expect([again.body.warnings, 'serving' in again.body]).toEqual([[], false]);
  const { body } = await ask<Status>(`${stack.hub}/status`, { headers });
  expect(body.agents).toMatchObject([{ state: 'in-step' }]);
});
