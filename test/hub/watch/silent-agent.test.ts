/** An agent that is silent for long does not hold up the hub, and one with another token is named. */
import { expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createAgentClient } from '../../../src/hub/agents/client.ts';
import { readSettings } from '../../../src/program/config.ts';
import { serveAgent } from '../../../src/program/serve/agent.ts';
import { serveHub } from '../../../src/program/serve/serve.ts';
import { ask, freePort, machine, signUp, temporaryFolder } from '../../harness/stack.ts';

/** Stands in for an agent behind a broken network, which comes back. */
test('while it is silent, it is asked for its health first, and only then for more', async () => {
  const asked: string[] = [];
  let isBack = false;
  const agent = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      const { pathname } = new URL(request.url);
      asked.push(pathname);
      if (!isBack) return new Promise<Response>(() => {});
      if (pathname === '/health') return Response.json({ status: 'ok' });
      return Response.json({ success: true, digest: 'f'.repeat(64) });
    },
  });
  const client = createAgentClient({ url: agent.url.origin, token: 't', deadline: 1_000 });
  const publish = () => client.reload('').catch((error: Error) => error.message);
  expect(await publish()).toBe('The agent does not answer.');
  expect(await publish()).toBe('The agent does not answer.');
  expect(asked).toEqual(['/proxy/reload', '/health']);
  isBack = true;
  expect(await publish()).toMatchObject({ success: true });
  expect(await publish()).toMatchObject({ success: true });
  expect(asked.slice(2)).toEqual(['/health', '/proxy/reload', '/proxy/reload']);
  await agent.stop(true);
});

test('nobody waits for a download from one of several that turns silent', async () => {
  const agent = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => new Promise<Response>(() => {}),
  });
  const client = createAgentClient({ url: agent.url.origin, token: 't', isWatched: () => true });
  const reader = { mayRead: () => true, ended: () => {} };
  const failed = await client.export({}, reader).catch((error: Error) => error.message);
  expect([failed, client.isSilent()]).toEqual(['The agent does not answer.', true]);
  await agent.stop(true);
});

test('the status says that the agent rejects the token', async () => {
  const folder = temporaryFolder();
  const env = {
    PATH: process.env.PATH,
    DATA_DIR: join(folder, 'data'),
    HUB_PORT: '0',
    AGENT_PORT: '0',
    AGENT_TOKEN: 'one'.repeat(12),
    PROXY_ADMIN: `localhost:${freePort()}`,
    PROXYFILE: join(folder, 'Caddyfile'),
    ACCESS_LOG: join(folder, 'access.log'),
  };
  const agent = await serveAgent(
    readSettings('agent', env, machine).agent,
    'one'.repeat(12),
    () => {},
  );
  const settings = { ...readSettings('hub', env, machine).hub, agentUrl: agent.url };
  const hub = await serveHub(settings, 'two'.repeat(12), () => {});
  const { headers } = await signUp({ hub: `${hub.url}/api` });
  const { body } = await ask<object>(`${hub.url}/api/status`, { headers });
  expect(body).toMatchObject({
    agent: { reachable: false },
    warnings: ['The agent rejects the hub’s token.'],
    problems: [
      {
        code: 'AGENT_UNREACHABLE',
        level: 'bad',
        message: expect.stringMatching(/^The agent rejects the hub’s token\. .* state is unknown/),
      },
    ],
  });
  await hub.stop();
  await agent.stop();
  rmSync(folder, { recursive: true, force: true });
});
