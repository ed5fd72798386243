import { afterAll, beforeAll, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Running } from '../../../src/program/listen.ts';
import { serveHub } from '../../../src/program/serve/serve.ts';
import { createLog } from '../../../src/shared/log.ts';
import { readEvents } from '../../harness/events.ts';
import { ask, freePort, signUp, temporaryFolder } from '../../harness/stack.ts';

type Refusal = { code: string; message: string };

const folder = temporaryFolder();
const token = 'x'.repeat(40);
const lines: string[] = [];
let hub: Running;
let headers: Record<string, string>;
let agentUrl = '';

/** Stands in for an agent that is broken in a way the real one cannot be made to be. */
let answer: () => Response | Promise<Response> = () => new Response('');
const broken = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => answer() });

async function start(url: string): Promise<void> {
  agentUrl = url;
  const settings = {
    host: '127.0.0.1',
    port: 0,
    dataDir: folder,
    socket: join(folder, 'hub.sock'),
    signUp: 'open',
    trustProxy: false,
    agentTrust: null,
    hosts: [],
    importDirs: [],
  };
  hub = await serveHub(
    { ...settings, signUp: 'open', agentUrl },
    token,
    createLog(
      (line) => lines.push(line),
      () => new Date(),
    ),
  );
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

test('an agent that is not there is 502 AGENT_UNREACHABLE and stops nothing else', async () => {
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
    'does not take the token',
    () => Response.json({ code: 'UNAUTHENTICATED', message: '' }, { status: 401 }),
  ],
  ['answers with a page', () => new Response('<html>', { status: 200 })],
  ['answers with other JSON', () => Response.json({ success: 'yes' })],
  ['fails', () => Response.json({ code: 'INTERNAL', message: 'secret' }, { status: 500 })],
  ['sends us elsewhere', () => Response.redirect('http://127.0.0.1:1/', 302)],
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

test('an agent that goes away in the middle of a tail ends it', async () => {
  const stream = new ReadableStream({
    start: (controller) => controller.enqueue('event: entry\ndata: {}\n\n'),
  });
  answer = () => new Response(stream, { headers: { 'Content-Type': 'text/event-stream' } });
  const events = readEvents((await fetch(`${hub.url}/api/logs/tail`, { headers })).body);
  expect(await events.next()).toEqual({ event: 'entry', data: '{}' });
  await broken.stop(true);
  expect(await events.next()).toBeUndefined();
});

test('a second hub on the same data folder does not start', async () => {
  expect(start(agentUrl)).rejects.toThrow('another hub is using the data folder');
});
