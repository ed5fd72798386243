/** Publishes whose outcome the hub does not learn. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { RunningHub } from '../../../src/program/serve/running.ts';
import { serveHub } from '../../../src/program/serve/serve.ts';
import { forEachTest } from '../../harness/for-tests.ts';
import { QUICK } from '../../harness/pace.ts';
import { limit } from '../../harness/speed.ts';
import { ask, signUp, startStack, until } from '../../harness/stack.ts';

type Mode = 'pass' | 'late' | 'lost' | 'mute' | 'blind';
type Body = { id: number; code?: string };

/** Milliseconds; a publish must fit into it on a busy machine. */
const DEADLINE = limit(1_000);
const stack = forEachTest(() => startStack());
let hub: RunningHub;
let headers: Record<string, string>;
let mode: Mode;
let forwarded: Promise<unknown>[];
/** Questions for the status that nobody answers. */
let looks: Request[];
let middleman: ReturnType<typeof Bun.serve>;

/**
 * Stands in between hub and agent, because a real agent cannot be made to do this on demand: it
 * forwards a publish too late, never answers it, or does not forward it at all; or it answers no look.
 */
function startMiddleman() {
  return Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const body = request.method === 'POST' ? await request.text() : undefined;
      const pass = () =>
        fetch(`${stack.agent}${pathname}`, {
          method: request.method,
          headers: request.headers,
          ...(body === undefined ? {} : { body }),
        });
      if (mode === 'blind' && pathname === '/proxy/status') {
        looks.push(request);
        return new Promise<Response>(() => {});
      }
      if (mode === 'pass' || mode === 'blind' || pathname !== '/proxy/reload') return pass();
      if (mode === 'mute') return new Promise<Response>(() => {});
      const publish = Bun.sleep(mode === 'late' ? DEADLINE * 2 : 0).then(pass);
      forwarded.push(publish);
      await publish;
      return mode === 'late' ? new Response('{}') : new Promise<Response>(() => {});
    },
  });
}

beforeEach(async () => {
  mode = 'pass';
  forwarded = [];
  looks = [];
  middleman = startMiddleman();
  hub = await serveHub(
    {
      ...stack.settings.hub,
      port: 0,
      dataDir: join(stack.folder, 'apart'),
      agentUrl: `http://127.0.0.1:${middleman.port}`,
      agentDeadline: DEADLINE,
    },
    stack.token,
    () => {},
    QUICK.hub,
  );
  headers = (await signUp({ hub: `${hub.url}/api` })).headers;
});
afterEach(async () => {
  await middleman.stop(true);
  await hub.stop();
});

const create = (name: string) =>
  ask<Body>(`${hub.url}/api/vhosts`, {
    json: { domain: `http://${name}.example:${stack.httpPort}`, config: `respond ${name}` },
    headers,
  });
const served = async (name: string) =>
  (await stack.served(`${name}.example`).catch(() => null))?.text;
const inStep = () =>
  until(
    async () => (await ask<{ inStep: boolean }>(`${hub.url}/api/status`, { headers })).body.inStep,
    'the proxy to be in step',
  );

test.each<Mode>(['late', 'lost', 'mute'])(
  'a publish whose answer is %s is 502, changes nothing, and cannot go live afterwards',
  async (how) => {
    const fail = async (name: string) => {
      mode = how;
      const refused = await create(name);
      expect([refused.status, refused.body.code]).toEqual([502, 'AGENT_UNREACHABLE']);
      mode = 'pass';
      await Promise.all(forwarded);
    };
    // Not even the first one ever.
    await fail('ghost');
    await until(async () => (await served('ghost')) !== 'ghost', 'the ghost to disappear');
    await inStep();
    expect((await ask(`${hub.url}/api/vhosts`, { headers })).text).toBe('[]');
    expect((await create('kept')).status).toBe(201);
    expect([await served('kept'), await served('ghost')]).toEqual(['kept', '']);

    const stored = async () => [
      (await ask(`${hub.url}/api/vhosts`, { headers })).text,
      (await ask(`${hub.url}/api/changelog`, { headers })).text,
      stack.readProxyfile(),
    ];
    const before = await stored();
    await fail('late');
    await inStep();
    expect(await stored()).toEqual(before);
    expect([await served('late'), await served('kept')]).toEqual(['', 'kept']);
    expect((await create('next')).status).toBe(201);
    expect(await served('next')).toBe('next');
  },
);

test('neither a change nor another route waits for what hangs', async () => {
  expect((await create('first')).status).toBe(201);
  await inStep();
  mode = 'blind';
  const look = await until(() => looks[0], 'a look');
  const made = await create('second');
  expect([made.status, look.signal.aborted]).toEqual([201, false]);
  expect(await served('second')).toBe('second');
  mode = 'pass';
  await inStep();
  // That look found nothing to replace.
  expect([await served('first'), await served('second')]).toEqual(['first', 'second']);

  mode = 'mute';
  const hanging = create('ghost');
  for (const path of ['vhosts', 'changelog', 'health']) {
    expect((await ask(`${hub.url}/api/${path}`, { headers })).status).toBe(200);
  }
  expect((await hanging).body.code).toBe('AGENT_UNREACHABLE');
});

test('what an agent says of many sites is read before they are recorded', async () => {
  const upstreams = Array.from({ length: 20 }, (_, at) => `127.0.0.1:${at + 1}`).join(' ');
  const operations = Array.from({ length: 200 }, (_, at) => ({
    op: 'create',
    domain: `http://many-${at}.example:${stack.httpPort}`,
    config: `reverse_proxy ${upstreams}`,
  }));
  mode = 'lost';
  const changing = ask<Body>(`${hub.url}/api/vhosts/bulk`, { json: { operations }, headers });
  await until(() => forwarded.length > 0, 'the publish');
  await forwarded[0];
  const { status, text } = await ask(`${hub.url}/api/vhosts/state`, { headers });
  expect([status, text]).toEqual([200, '[]']);
  mode = 'pass';
  expect((await changing).body.code).toBe('AGENT_UNREACHABLE');
  await inStep();
});
