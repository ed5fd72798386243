/** A hub whose agent is of another version: of the same protocol, or of another one. */
import { afterEach, expect, test } from 'bun:test';
import { join } from 'node:path';
import { createAgentClient } from '../../../src/hub/agents/client.ts';
import { PROTOCOL, PROTOCOL_HEADER } from '../../../src/shared/wire/protocol.ts';
import { type Between, type HubApart, startBetween, startHubApart } from '../../harness/apart.ts';
import { forFile } from '../../harness/for-file.ts';
import { startStack, until } from '../../harness/stack.ts';

const stack = await forFile(startStack());
const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});
let hubs = 0;
/** A hub with this between it and its agent. */
async function startHub(between: Between): Promise<HubApart> {
  const dataDir = join(stack.folder, `apart-${++hubs}`);
  const hub = await startHubApart(stack, between, { dataDir, socket: join(dataDir, 'hub.sock') });
  ending.push(hub.stop);
  return hub;
}

/** On the port of the stack's Caddy: these hubs have no preamble that names it. */
const site = () => ({ domain: `http://next.example:${stack.httpPort}`, config: 'respond next' });

test('one of another protocol is not changed, and the status says what to do', async () => {
  const words = 'Hub and agent have incompatible versions';
  const passed: string[] = [];
  // Has the hub that asks be one of the next version; everything else is real.
  const hub = await startHub(async ({ request: { headers }, path, pass }) => {
    if (headers.has(PROTOCOL_HEADER)) headers.set(PROTOCOL_HEADER, String(PROTOCOL + 1));
    const answer = await pass();
    if (answer.ok) passed.push(path);
    return answer;
  });
  const refused = await hub.call<{ code: string; message: string }>('POST', '/vhosts', site());
  expect([refused.status, refused.body.code]).toEqual([502, 'AGENT_UNREACHABLE']);
  expect(refused.body.message).toStartWith(words);
  expect((await hub.call('GET', '/vhosts')).body).toEqual([]);
  const live = await stack.askAgent('/proxy/status');
  expect(live.body).toMatchObject({ liveDigest: null });
  await until(async () => {
    const { body } = await hub.call<{ problems: { message: string }[] }>('GET', '/status');
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
const newer =
  (change: (answer: unknown) => unknown): Between =>
  async ({ path, pass }) => {
    const answer = await pass();
    // Caddy's own JSON has no fields of an agent.
    if (path === '/proxy/adapt' || path === '/logs/activity') return answer;
    return Response.json(change(await answer.json()), { status: answer.status });
  };

test('a newer one of the same protocol is used as ever, and no route shows what the hub does not know', async () => {
  const hub = await startHub(newer(grown));
  const made = await hub.call('POST', '/vhosts', site());
  expect(made.text).not.toContain('fromTheFuture');
  expect([made.status, made.text]).toEqual([201, expect.any(String)]);
  const shown: unknown[] = [];
  for (const path of ['status', 'vhosts', 'vhosts/state', 'certificates', 'agents', 'logs/stats']) {
    const { status, text } = await hub.call('GET', `/${path}`);
    expect([path, status]).toEqual([path, 200]);
    expect(text).not.toContain('fromTheFuture');
    shown.push(text);
  }
  expect(shown[0]).not.toContain('AGENT_UNREACHABLE');
  const refused = await hub.call('POST', '/vhosts', {
    domain: 'http://bad.example',
    config: 'no_such_directive',
  });
  expect(refused.text).toContain('PROXY_REJECTED');
  expect(refused.text).toContain('no_such_directive');
});

test('what is missing or wrong in an answer is named', async () => {
  let change = (answer: unknown) => answer;
  const between = startBetween(
    stack,
    newer((answer) => change(answer)),
  );
  ending.push(() => between.stop(true));
  const client = createAgentClient({ url: between.url.origin, token: stack.token });
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
