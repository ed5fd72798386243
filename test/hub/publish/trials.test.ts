/** What hub and agent say to each other about a trial, and agents that say less. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { RunningHub } from '../../../src/program/serve/running.ts';
import { serveHub } from '../../../src/program/serve/serve.ts';
import type { CheckTarget } from '../../../src/shared/wire/checks.ts';
import { startUpstream, type Upstream } from '../../harness/checked.ts';
import { QUICK } from '../../harness/pace.ts';
import { ask, freePort, type Stack, signUp, startStack, until } from '../../harness/stack.ts';

type Body = { id: number; code?: string; config: string; warnings?: { code: string }[] };
type Asked = { checks: CheckTarget[]; most?: number };

let stack: Stack;
let hub: RunningHub;
let upstream: Upstream;
let between: Bun.Server<unknown>;
let headers: Record<string, string>;
/** What the agent was asked, by the end of the path. */
let asked: { path: string; body: Asked }[];
/** What stands between hub and agent does to an answer about trials. */
let older: ((answer: Response) => Response | Promise<Response>) | null;

const askedFor = (path: string) => asked.filter((one) => one.path === path);

beforeEach(async () => {
  stack = await startStack();
  upstream = startUpstream();
  [asked, older] = [[], null];
  between = Bun.serve({
    ...{ hostname: '127.0.0.1', port: 0, idleTimeout: 0 },
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const body = await request.text();
      const path = pathname.replace('/proxy/', '');
      if (['trial', 'checks'].includes(path)) asked.push({ path, body: JSON.parse(body) });
      const answer = await fetch(`${stack.agent}${pathname}${search}`, {
        ...{ method: request.method, headers: request.headers, keepalive: false },
        ...(body === '' ? {} : { body }),
      });
      return path === 'trial' && older ? older(answer) : new Response(answer.body, answer);
    },
  });
  hub = await serveHub(
    {
      ...{ ...stack.settings.hub, port: 0, dataDir: join(stack.folder, 'apart') },
      agentUrl: `http://127.0.0.1:${between.port}`,
    },
    stack.token,
    () => {},
    QUICK.hub,
  );
  headers = (await signUp({ hub: `${hub.url}/api` })).headers;
  await create('base', null);
});
afterEach(async () => {
  await hub.stop();
  await between.stop(true);
  await stack.stop();
  await upstream.stop();
});

const call = <T = Body>(method: string, path: string, json?: unknown) =>
  ask<T>(`${hub.url}/api${path}`, { method, headers, json });
const create = (name: string, check: object | null, port = upstream.port) =>
  call('POST', '/vhosts', {
    ...{ domain: `http://${name}.example:${stack.httpPort}`, check },
    ...{ config: 'reverse_proxy {upstream}', upstream: `127.0.0.1:${port}` },
  });

test.each<[string, NonNullable<typeof older>]>([
  ['has no trials', () => new Response('{}', { status: 404 })],
  [
    'sends trials away',
    () => Response.json({ code: 'RATE_LIMITED', message: 'Later.' }, { status: 429 }),
  ],
  [
    'does not say what it doubts',
    async (answer) => {
      const { answers } = (await answer.json()) as { answers: Record<string, unknown>[] };
      return Response.json({
        answers: answers.map(({ passed, status, reason }) => ({ passed, status, reason })),
      });
    },
  ],
])('an older agent that %s checks what is live', async (_, answer) => {
  older = answer;
  const check = { path: '/', within: 0.2 };
  const failed = await create('failed', check, freePort());
  expect([failed.status, failed.body.code]).toEqual([502, 'CHECK_FAILED']);
  expect(stack.readProxyfile()).not.toContain('failed');
  expect((await create('passes', check)).status).toBe(201);
  const live = askedFor('checks').flatMap(({ body }) => body.checks);
  expect(live.map(({ tried }) => tried)).toEqual([undefined, undefined]);
});

test('a site is asked again once it is live, as one that was tried', async () => {
  const { status, body } = await create('tried', { path: '/' });
  expect([status, body.warnings]).toEqual([201, []]);
  expect(askedFor('trial')).toHaveLength(1);
  const [live, ...others] = askedFor('checks').flatMap((one) => one.body.checks);
  expect([live?.name, typeof live?.tried, others]).toEqual(['tried.example', 'number', []]);
});

test('a site is not one that was tried if the preamble has changed since', async () => {
  upstream.answer = 503;
  const creating = create('late', { path: '/', within: 15 });
  await until(() => upstream.askedBy.length > 0, 'the trial');
  const { config } = (await call('GET', '/preamble')).body;
  expect((await call('PUT', '/preamble', { config: `${config}\n# changed` })).status).toBe(200);
  upstream.answer = 'ready';
  expect((await creating).status).toBe(201);
  const live = askedFor('checks').flatMap(({ body }) => body.checks);
  expect(live).toMatchObject([{ name: 'late.example' }]);
  expect(live[0]).not.toHaveProperty('tried');
}, 30_000);

test('many are tried together, and the sites that a policy concerns are asked once before', async () => {
  const names = Array.from({ length: 50 }, (_, at) => `many-${at}`);
  const made = await Promise.all(names.map((name) => create(name, { path: '/' })));
  expect(made.map(({ status }) => status)).toEqual(names.map(() => 201));
  // One for the first that arrives, and one for those that arrive meanwhile; more on a busy machine.
  expect(askedFor('trial').length).toBeLessThan(10);

  const { id } = (
    await call('POST', '/policies', {
      ...{ name: 'open', recipe: 'allow', values: { networks: ['0.0.0.0/0', '::/0'] } },
    })
  ).body;
  await call('PUT', `/vhosts/${made[0]?.body.id}`, { policies: ['open'] });
  asked = [];
  const values = { networks: ['127.0.0.0/8', '::1'] };
  expect((await call('PUT', `/policies/${id}`, { values })).status).toBe(200);
  expect(asked.map(({ path, body }) => [path, body.checks.length])).toEqual([
    ['checks', 1],
    ['trial', 1],
    ['checks', 1],
  ]);
}, 60_000);
