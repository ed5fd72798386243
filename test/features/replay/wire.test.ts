/** What the hub makes of an agent's answers about replays. The agent is a stand-in. */
import { expect, test } from 'bun:test';
import { END, type ReplayState, START, STATE } from '../../../src/features/replay/wire.ts';
import { createAgentClient } from '../../../src/hub/agents/client.ts';
import type { Failure } from '../../../src/shared/failure.ts';
import { serverForFile } from '../../harness/for-file.ts';

let answer: () => Response;
const asked: string[] = [];
const agent = serverForFile(async (request) => {
  const { pathname, search } = new URL(request.url);
  asked.push(`${request.method} ${pathname}${search} ${await request.text()}`);
  return answer();
});
const client = createAgentClient({ url: agent.url.origin, token: 't' });
const REQUEST = { proxyfile: 'a.example', hosts: ['a.example'], days: 7, requests: 100 };
const refusal = (status: number, code: string) => () =>
  Response.json({ code, message: 'words of the agent' }, { status });
const failureOf = (call: Promise<unknown>): Promise<Failure> =>
  call.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: Failure) => error,
  );

test('one that has forgotten it says so', async () => {
  answer = refusal(404, 'NOT_FOUND');
  const failure = await failureOf(client.ask(STATE, { id: '1' }));
  expect(failure).toMatchObject({
    code: 'NOT_FOUND',
    message: expect.stringContaining('no longer'),
  });
});

test('its refusals are passed on', async () => {
  answer = refusal(429, 'RATE_LIMITED');
  expect(await failureOf(client.send(START, REQUEST))).toMatchObject({ code: 'RATE_LIMITED' });
  answer = refusal(400, 'PROXY_REJECTED');
  expect(await failureOf(client.send(START, REQUEST))).toMatchObject({ code: 'PROXY_REJECTED' });
  answer = refusal(500, 'INTERNAL');
  expect(await failureOf(client.send(END, { id: '1' }))).toMatchObject({
    code: 'AGENT_UNREACHABLE',
  });
});

test('an answer that is none is refused', async () => {
  answer = () => Response.json({ state: 'done', groups: [{}] });
  expect((await failureOf(client.ask(STATE, { id: '1' }))).message).toStartWith(
    'The agent sent an invalid response.',
  );
});

test('it is asked for what the hub means', async () => {
  asked.length = 0;
  answer = () => Response.json({ id: 'x y' });
  expect((await client.send(START, REQUEST)).id).toBe('x y');
  const found = { done: 1, of: 1, same: 1, differ: 0, groups: [], leftOut: [] };
  const state: ReplayState = { state: 'done', ...found };
  answer = () => Response.json(state);
  expect(await client.ask(STATE, { id: 'x y' })).toEqual(state);
  answer = () => Response.json({ success: true });
  await client.send(END, { id: 'x y' });
  expect(asked).toEqual([
    `POST /proxy/replay ${JSON.stringify(REQUEST)}`,
    'GET /proxy/replay?id=x+y ',
    'POST /proxy/replay/end {"id":"x y"}',
  ]);
});
