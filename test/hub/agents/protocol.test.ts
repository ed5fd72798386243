/** A hub whose agent is of another version: of the same protocol, or of another one. */
import { afterEach, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createAgentClient } from '../../../src/hub/agents/client.ts';
import { serveHub } from '../../../src/program/serve/serve.ts';
import { PROTOCOL, PROTOCOL_HEADER } from '../../../src/shared/wire/protocol.ts';
import { forAllTests } from '../../harness/for-tests.ts';
import { ask, signUp, startStack, temporaryFolder, until } from '../../harness/stack.ts';

const stack = forAllTests(() => startStack());
const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});

/** Stands between hub and agent. @param to the headers of a question @param from its answer */
function startBetween(
  to: (headers: Headers) => void,
  from: (answer: Response, path: string) => Response | Promise<Response>,
): string {
  const between = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      to(headers);
      const body = method === 'POST' ? await request.text() : null;
      const answer = await fetch(`${stack.agent}${pathname}${search}`, { method, headers, body });
      return from(answer, pathname);
    },
  });
  ending.push(() => between.stop(true));
  return between.url.origin;
}

/** @returns its API, and the headers of its owner */
async function startHubOf(agentUrl: string) {
  const folder = temporaryFolder();
  const settings = { ...stack.settings.hub, dataDir: folder, socket: join(folder, 'hub.sock') };
  const hub = await serveHub({ ...settings, port: 0, agentUrl }, stack.token, () => {});
  ending.unshift(async () => {
    await hub.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const api = `${hub.url}/api`;
  return { api, headers: (await signUp({ hub: api })).headers };
}

/** On the port of the stack's Caddy: these hubs have no preamble that names it. */
const site = () => ({
  domain: `http://next.example:${stack.httpPort}`,
  config: 'respond next',
});

test('one of another protocol is not changed, and the status says what to do', async () => {
  const words = 'Hub and agent have incompatible versions';
  const passed: string[] = [];
  // Has the hub that asks be one of the next version; everything else is real.
  const next = startBetween(
    (headers) => {
      if (headers.has(PROTOCOL_HEADER)) headers.set(PROTOCOL_HEADER, String(PROTOCOL + 1));
    },
    (answer, path) => {
      if (answer.ok) passed.push(path);
      return answer;
    },
  );
  const { api, headers } = await startHubOf(next);
  const json = site();
  const refused = await ask<{ code: string; message: string }>(`${api}/vhosts`, { json, headers });
  expect([refused.status, refused.body.code]).toEqual([502, 'AGENT_UNREACHABLE']);
  expect(refused.body.message).toStartWith(words);
  expect((await ask(`${api}/vhosts`, { headers })).body).toEqual([]);
  const live = await ask(`${stack.agent}/proxy/status`, { headers: stack.agentHeaders });
  expect(live.body).toMatchObject({ liveDigest: null });
  await until(async () => {
    const { body } = await ask<{ problems: { message: string }[] }>(`${api}/status`, { headers });
    return body.problems.some(({ message }) => message.includes(words));
  }, 'the status to say so');
  // Only what strangers may ask as well.
  expect(passed.filter((path) => path !== '/health')).toEqual([]);
});

/** With a field more in each object of an answer. */
function grown(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(grown);
  if (typeof answer !== 'object' || answer === null) return answer;
  const fields = Object.entries(answer).map(([name, value]) => [name, grown(value)]);
  return { ...Object.fromEntries(fields), fromTheFuture: { of: ['a newer', 'agent'] } };
}

/** @param change what the agent's answers are made into */
const startNewer = (change: (answer: unknown) => unknown) =>
  startBetween(
    () => {},
    async (answer, path) => {
      // Caddy's own JSON has no fields of an agent.
      if (path === '/proxy/adapt' || path === '/logs/activity') return answer;
      return Response.json(change(await answer.json()), { status: answer.status });
    },
  );

test('a newer one of the same protocol is used as ever, and no route shows what the hub does not know', async () => {
  const { api, headers } = await startHubOf(startNewer(grown));
  const made = await ask(`${api}/vhosts`, { json: site(), headers });
  expect(made.text).not.toContain('fromTheFuture');
  expect([made.status, made.text]).toEqual([201, expect.any(String)]);
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

test('what is missing or wrong in an answer is named', async () => {
  let change = (answer: unknown) => answer;
  const url = startNewer((answer) => change(answer));
  const client = createAgentClient({ url, token: stack.token });
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
