/** A hub whose agent is of a newer version of the same protocol: everything that it says has one more field. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createAgentClient } from '../../../src/hub/agents/client.ts';
import { serveHub } from '../../../src/program/serve/serve.ts';
import { ask, type Stack, signUp, startStack, temporaryFolder } from '../../harness/stack.ts';

const folder = temporaryFolder();
let stack: Stack;
let newer: ReturnType<typeof Bun.serve>;
let hub: Awaited<ReturnType<typeof serveHub>>;
/** What the agent's next answers are made into. */
let change = (answer: unknown): unknown => grown(answer);

/** With a field more in each object of an answer. */
function grown(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(grown);
  if (typeof answer !== 'object' || answer === null) return answer;
  const fields = Object.entries(answer).map(([name, value]) => [name, grown(value)]);
  return { ...Object.fromEntries(fields), fromTheFuture: { of: ['a newer', 'agent'] } };
}

beforeAll(async () => {
  stack = await startStack();
  newer = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      const body = method === 'POST' ? await request.text() : null;
      const answer = await fetch(`${stack.agent}${pathname}${search}`, { method, headers, body });
      // Caddy's own JSON has no fields of an agent.
      if (pathname === '/proxy/adapt' || pathname === '/logs/activity') return answer;
      return Response.json(change(await answer.json()), { status: answer.status });
    },
  });
  const settings = { ...stack.settings.hub, dataDir: folder, socket: join(folder, 'hub.sock') };
  const agentUrl = newer.url.origin;
  hub = await serveHub({ ...settings, port: 0, agentUrl }, stack.token, () => {});
});
afterAll(async () => {
  await hub.stop();
  await newer.stop(true);
  await stack.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('it is used as ever, and no route shows what the hub does not know', async () => {
  const api = `${hub.url}/api`;
  const { headers } = await signUp({ hub: api });
  const json = { domain: 'http://next.example', config: 'respond next' };
  const made = await ask(`${api}/vhosts`, { json, headers });
  expect(made.text).not.toContain('fromTheFuture');
  expect(made.status).toBe(201);
  const shown: unknown[] = [];
  for (const path of ['status', 'vhosts', 'vhosts/state', 'certificates', 'agents', 'logs/stats']) {
    const { status, text } = await ask(`${api}/${path}`, { headers });
    expect([path, status]).toEqual([path, 200]);
    expect(text).not.toContain('fromTheFuture');
    shown.push(text);
  }
  expect(shown[0]).not.toContain('AGENT_UNREACHABLE');
  const refused = await ask(`${api}/vhosts`, {
    json: { domain: 'http://bad.example', config: 'no_such_directive' },
    headers,
  });
  expect(refused.text).toContain('PROXY_REJECTED');
  expect(refused.text).toContain('no_such_directive');
});

test('what is missing or wrong is named', async () => {
  const client = createAgentClient({ url: newer.url.origin, token: stack.token });
  const failure = () =>
    client.status().then(
      () => 'none',
      ({ message }: Error) => message,
    );
  change = (answer) => ({ ...(answer as object), proxy: { running: 'yes', version: null } });
  expect(await failure()).toBe(
    'The agent sent an invalid response. The field "proxy.running" is missing or malformed.',
  );
  change = (answer) => ({ ...(answer as object), drift: undefined });
  expect(await failure()).toBe(
    'The agent sent an invalid response. The field "drift" is missing or malformed.',
  );
  change = () => ['something else'];
  expect(await failure()).toBe('The agent sent an invalid response.');
});
