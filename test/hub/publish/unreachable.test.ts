/** An agent that cannot be reached, or whose answers make no sense. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { readSettings } from '../../../src/program/config.ts';
import type { Running } from '../../../src/program/listen.ts';
import { serveHub } from '../../../src/program/serve/serve.ts';
import { readEvents } from '../../harness/events.ts';
import { QUICK } from '../../harness/pace.ts';
import { ask, freePort, machine, signUp, temporaryFolder } from '../../harness/stack.ts';

type Refusal = { code: string; message: string };

const folder = temporaryFolder();
const TOKEN = 'x'.repeat(40);
let hub: Running;
let headers: Record<string, string>;
let agentUrl = '';

/** Stands in for an agent that is broken in ways a real one cannot be. */
let answer: () => Response | Promise<Response> = () => new Response('');
const broken = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => answer() });

async function start(url: string): Promise<void> {
  agentUrl = url;
  const env = { DATA_DIR: folder, HUB_PORT: '0', AGENT_URL: url, AGENT_TOKEN: TOKEN };
  hub = await serveHub(readSettings('hub', env, machine).hub, TOKEN, () => {}, QUICK.hub);
}

beforeAll(async () => {
  await start(`http://127.0.0.1:${freePort()}`);
  headers = (await signUp({ hub: `${hub.url}/api` })).headers;
});
afterAll(async () => {
  await hub.stop();
  await broken.stop(true);
  rmSync(folder, { recursive: true, force: true });
});

const create = () =>
  ask<Refusal>(`${hub.url}/api/vhosts`, {
    json: { domain: 'http://a.example', config: 'respond a' },
    headers,
  });

async function expectNothingStored(): Promise<void> {
  expect((await ask(`${hub.url}/api/vhosts`, { headers })).text).toBe('[]');
  expect((await ask(`${hub.url}/api/changelog`, { headers })).text).toBe('[]');
}

test('an agent that does not run is 502 AGENT_UNREACHABLE, and other routes work', async () => {
  const refused = await create();
  expect([refused.status, refused.body.code]).toEqual([502, 'AGENT_UNREACHABLE']);
  expect(refused.text).not.toContain(agentUrl);
  for (const route of ['/logs', '/logs/stats', '/logs/tail', '/vhosts/state']) {
    const logs = await ask<Refusal>(`${hub.url}/api${route}`, { headers });
    expect([logs.status, logs.body.code]).toEqual([502, 'AGENT_UNREACHABLE']);
  }
  const status = await ask(`${hub.url}/api/status`, { headers });
  expect([status.status, status.body]).toMatchObject([200, { certificates: [] }]);
  expect((await ask(`${hub.url}/api/health`)).body).toEqual({ status: 'ok' });
  await expectNothingStored();
});

test.each<[string, () => Response]>([
  [
    'rejects the token',
    () => Response.json({ code: 'UNAUTHENTICATED', message: '' }, { status: 401 }),
  ],
  ['answers with a page', () => new Response('<html>', { status: 200 })],
  ['answers with other JSON', () => Response.json({ success: 'yes' })],
  ['fails', () => Response.json({ code: 'INTERNAL', message: 'secret' }, { status: 500 })],
  ['redirects', () => Response.redirect('http://127.0.0.1:1/', 302)],
])('an agent that %s is 502 AGENT_UNREACHABLE', async (_, reply) => {
  await hub.stop();
  await start(`http://127.0.0.1:${broken.port}`);
  answer = reply;
  const refused = await create();
  expect([refused.status, refused.body.code]).toEqual([502, 'AGENT_UNREACHABLE']);
  expect(refused.text).not.toContain('secret');
  const tail = await ask<Refusal>(`${hub.url}/api/logs/tail`, { headers });
  expect([tail.status, tail.body.code]).toEqual([502, 'AGENT_UNREACHABLE']);
  await expectNothingStored();
});

test('an agent that stops during a tail ends it', async () => {
  // One for each, as the hub asks for other things meanwhile.
  const stream = () =>
    new ReadableStream({
      start: (controller) => controller.enqueue('event: entry\ndata: {}\n\n'),
    });
  answer = () => new Response(stream(), { headers: { 'Content-Type': 'text/event-stream' } });
  const events = readEvents((await fetch(`${hub.url}/api/logs/tail`, { headers })).body);
  expect(await events.next()).toEqual({ event: 'entry', data: '{}' });
  await broken.stop(true);
  expect(await events.next()).toBeUndefined();
});
