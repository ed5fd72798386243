/** A hub whose agent is of a version with another protocol. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { serveHub } from '../../../src/program/serve/serve.ts';
import { PROTOCOL, PROTOCOL_HEADER } from '../../../src/shared/wire/protocol.ts';
import {
  ask,
  type Stack,
  signUp,
  startStack,
  temporaryFolder,
  until,
} from '../../harness/stack.ts';

const WORDS = 'Hub and agent have incompatible versions';
const folder = temporaryFolder();
let stack: Stack;
let next: ReturnType<typeof Bun.serve>;
let hub: Awaited<ReturnType<typeof serveHub>>;
const passed: string[] = [];

beforeAll(async () => {
  stack = await startStack();
  // Has the hub that asks be one of the next version; everything else is real.
  next = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      if (headers.get(PROTOCOL_HEADER) === String(PROTOCOL)) {
        headers.set(PROTOCOL_HEADER, String(PROTOCOL + 1));
      }
      const body = method === 'POST' ? await request.text() : null;
      const answer = await fetch(`${stack.agent}${pathname}${search}`, { method, headers, body });
      if (answer.ok) passed.push(pathname);
      return answer;
    },
  });
  const settings = { ...stack.settings.hub, dataDir: folder, socket: join(folder, 'hub.sock') };
  const agentUrl = next.url.origin;
  hub = await serveHub({ ...settings, port: 0, agentUrl }, stack.token, () => {});
});
afterAll(async () => {
  await hub.stop();
  await next.stop(true);
  await stack.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('changes nothing there, and says what to do', async () => {
  const api = `${hub.url}/api`;
  const { headers } = await signUp({ hub: api });
  const json = { domain: 'http://next.example', config: 'respond next' };
  const refused = await ask<{ code: string; message: string }>(`${api}/vhosts`, { json, headers });
  expect([refused.status, refused.body.code]).toEqual([502, 'AGENT_UNREACHABLE']);
  expect(refused.body.message).toStartWith(WORDS);
  expect((await ask(`${api}/vhosts`, { headers })).body).toEqual([]);
  const live = await ask(`${stack.agent}/proxy/status`, { headers: stack.agentHeaders });
  expect(live.body).toMatchObject({ liveDigest: null });
  await until(async () => {
    const { body } = await ask<{ problems: { message: string }[] }>(`${api}/status`, { headers });
    return body.problems.some(({ message }) => message.includes(WORDS));
  }, 'the status to say so');
  // Only what strangers may ask as well.
  expect(passed.filter((path) => path !== '/health')).toEqual([]);
});
