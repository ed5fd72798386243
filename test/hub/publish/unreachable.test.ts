/** An agent that cannot be reached, or whose answers make no sense. */
import { expect, test } from 'bun:test';
import { readEvents } from '../../harness/events.ts';
import { forFile, serverForFile } from '../../harness/for-file.ts';
import { startHubAlone } from '../../harness/hub-alone.ts';
import { ask, signUp } from '../../harness/stack.ts';

type Refusal = { code: string; message: string };

/** Stands in for an agent that is broken in ways a real one cannot be. */
let answer: () => Response | Promise<Response> = () => new Response('');
const broken = serverForFile(() => answer());

/** A hub, and its requests. @param env where its agent is; by default nowhere */
async function startHub(env: Record<string, string> = {}) {
  const { hub } = await forFile(startHubAlone(env));
  const { headers } = await signUp({ hub });
  const get = (path: string) => ask<Refusal>(`${hub}${path}`, { headers });
  const json = { domain: 'http://a.example', config: 'respond a' };
  return {
    get,
    tail: () => fetch(`${hub}/logs/tail`, { headers }),
    create: () => ask<Refusal>(`${hub}/vhosts`, { json, headers }),
    async expectNothingStored() {
      for (const path of ['/vhosts', '/changelog']) expect((await get(path)).text).toBe('[]');
    },
  };
}
const alone = await startHub();
const hub = await startHub({ AGENT_URL: broken.url.origin });

test('an agent that does not run is 502 AGENT_UNREACHABLE, and other routes work', async () => {
  const refused = await alone.create();
  expect([refused.status, refused.body.code]).toEqual([502, 'AGENT_UNREACHABLE']);
  expect(refused.text).not.toContain('http://127.0.0.1:');
  for (const route of ['/logs', '/logs/stats', '/logs/tail', '/vhosts/state']) {
    const logs = await alone.get(route);
    expect([logs.status, logs.body.code]).toEqual([502, 'AGENT_UNREACHABLE']);
  }
  expect(await alone.get('/status')).toMatchObject({ status: 200, body: { certificates: [] } });
  expect<unknown>((await alone.get('/health')).body).toEqual({ status: 'ok' });
  await alone.expectNothingStored();
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
  answer = reply;
  const refused = await hub.create();
  expect([refused.status, refused.body.code]).toEqual([502, 'AGENT_UNREACHABLE']);
  expect(refused.text).not.toContain('secret');
  const tail = await hub.get('/logs/tail');
  expect([tail.status, tail.body.code]).toEqual([502, 'AGENT_UNREACHABLE']);
  await hub.expectNothingStored();
});

test('an agent that stops during a tail ends it', async () => {
  // One for each, as the hub asks for other things meanwhile.
  const stream = () =>
    new ReadableStream({ start: (controller) => controller.enqueue('event: entry\ndata: {}\n\n') });
  answer = () => new Response(stream(), { headers: { 'Content-Type': 'text/event-stream' } });
  const events = readEvents((await hub.tail()).body);
  expect(await events.next()).toEqual({ event: 'entry', data: '{}' });
  await broken.stop(true);
  expect(await events.next()).toBeUndefined();
});
