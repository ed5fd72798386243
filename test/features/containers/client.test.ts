// proof: podman
/** A hub that asks an agent for its containers: one without an engine, and with one. */

import { afterEach, expect, test } from 'bun:test';
import { CONTAINERS } from '../../../src/features/containers/wire.ts';
import { type AgentClient, createAgentClient } from '../../../src/hub/agents/client.ts';
import { type LoneAgent, startLoneAgent } from '../../harness/lone-agent.ts';
import { idOf, inspected, listed } from './agent/docker.ts';
import { stuckEngine } from './engine.ts';

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});
const NEVER = new AbortController().signal;
const TOKEN = 'lone-agent'.repeat(4);

async function startAgent(settings: Record<string, string>): Promise<[LoneAgent, AgentClient]> {
  const agent = await startLoneAgent(settings);
  let isOver = false;
  const stop = agent.stop;
  agent.stop = async () => {
    if (!isOver) await stop();
    isOver = true;
  };
  ending.push(agent.stop);
  return [agent, createAgentClient({ url: agent.url(), token: TOKEN })];
}

/** Stands in for an agent that answers everything with the same. */
function startOther(answer: () => Response): AgentClient {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: answer });
  ending.push(() => server.stop(true));
  return createAgentClient({ url: server.url.origin, token: TOKEN });
}

test('what is no list is refused', async () => {
  const refusal = (answer: object, status = 200) =>
    startOther(() => Response.json(answer, { status }))
      .ask(CONTAINERS, { after: undefined }, NEVER)
      .then(
        () => 'none',
        ({ message }: Error) => message,
      );
  expect(await refusal({ engine: 'on' })).toContain('is missing or malformed');
  expect(await refusal({ code: 'INTERNAL', message: 'x' }, 500)).toContain('invalid response');
  expect(await refusal({ nothing: 'here' }, 404)).toContain('invalid response');
});

test('an engine that hangs keeps nobody from stopping, and whoever gives up is not silence', async () => {
  const engine = stuckEngine(() => new Promise(() => {}));
  ending.push(engine.end);
  const [agent, client] = await startAgent({ DOCKER_SOCKET: engine.socket });
  const leaving = new AbortController();
  const left = client.ask(CONTAINERS, { after: undefined }, leaving.signal).then(
    () => 'answered',
    ({ code }: { code?: unknown }) => code,
  );
  expect((await client.status()).proxy.running).toBe(true);
  leaving.abort();
  expect(await left).toBe('AGENT_UNREACHABLE');
  expect(client.isSilent()).toBe(false);
  const waiting = client.ask(CONTAINERS, { after: undefined }, NEVER);
  await client.status();
  await agent.stop();
  expect(await waiting).toMatchObject({ engine: 'down', containers: null });
});

test('the list comes, and the next one once there is another', async () => {
  const names = ['web'];
  const engine = stuckEngine((path) => {
    if (path === '/containers/json?all=1') return Response.json(listed(...names));
    const name = names.find((one) => path === `/containers/${idOf(one)}/json`);
    const labels = JSON.parse('{"__proto__": "x", "signalbox.domain": "a.example"}');
    return name ? Response.json(inspected(name, { labels })) : new Response('', { status: 403 });
  });
  ending.push(engine.end);
  const [agent, client] = await startAgent({
    DOCKER_SOCKET: engine.socket,
    DOCKER_DOMAINS: '*.home.example',
    DOCKER_LABELS: 'all',
  });
  const first = await client.ask(CONTAINERS, { after: undefined }, NEVER);
  expect(first).toMatchObject({ engine: 'up', labels: 'all', domains: ['*.home.example'] });
  expect(JSON.stringify(first.containers?.[0]?.labels)).toBe(
    '{"__proto__":"x","signalbox.domain":"a.example"}',
  );
  // Secrets of a container stay where they are.
  expect(JSON.stringify(first)).not.toContain('hushed');
  const next = client.ask(CONTAINERS, { after: first.tag }, NEVER);
  names.push('db');
  expect((await next).containers).toHaveLength(2);
  // Whoever waits does not keep the agent from stopping.
  const last = client.ask(CONTAINERS, { after: (await next).tag }, NEVER);
  await client.status();
  await agent.stop();
  expect((await last).containers).toHaveLength(2);
});
