/** Publishes whose outcome the hub does not learn. */
import { beforeEach, expect, test } from 'bun:test';
import { type Question, startHubApart } from '../../harness/apart.ts';
import { forEachTest } from '../../harness/for-tests.ts';
import { limit } from '../../harness/speed.ts';
import { startStack, until } from '../../harness/stack.ts';

type Mode = 'pass' | 'late' | 'lost' | 'mute' | 'blind';
type Body = { id: number; code?: string };

/** Milliseconds; a publish must fit into it on a busy machine. */
const DEADLINE = limit(1_000);
let mode: Mode;
let forwarded: Promise<unknown>[];
/** Questions for the status that nobody answers. */
let looks: Request[];
beforeEach(() => {
  [mode, forwarded, looks] = ['pass', [], []];
});

/**
 * Stands in between hub and agent, because a real agent cannot be made to do this on demand: it
 * forwards a publish too late, never answers it, or does not forward it at all; or it answers no look.
 */
const answer = async ({ request, path, pass }: Question): Promise<Response> => {
  if (mode === 'blind' && path === '/proxy/status') {
    looks.push(request);
    return new Promise<Response>(() => {});
  }
  if (mode === 'pass' || mode === 'blind' || path !== '/proxy/reload') return pass();
  if (mode === 'mute') return new Promise<Response>(() => {});
  const publish = Bun.sleep(mode === 'late' ? DEADLINE * 2 : 0).then(pass);
  forwarded.push(publish);
  await publish;
  return mode === 'late' ? new Response('{}') : new Promise<Response>(() => {});
};

const stack = forEachTest(() => startStack());
const hub = forEachTest(() => startHubApart(stack, answer, { agentDeadline: DEADLINE }));

const create = (name: string) =>
  hub.call<Body>('POST', '/vhosts', {
    domain: `http://${name}.example:${stack.httpPort}`,
    config: `respond ${name}`,
  });
const served = async (name: string) =>
  (await stack.served(`${name}.example`).catch(() => null))?.text;
const inStep = () =>
  until(
    async () => (await hub.call<{ inStep: boolean }>('GET', '/status')).body.inStep,
    'the proxy to be in step',
  );

test.each<Mode>(['late', 'lost', 'mute'])(
  'a publish whose answer is %s is 502, changes nothing, and cannot go live afterwards',
  async (how) => {
    const fail = async (name: string) => {
      mode = how;
      const refused = await create(name);
      expect([refused.status, refused.body.code]).toEqual([502, 'AGENT_UNREACHABLE']);
      mode = 'pass';
      await Promise.all(forwarded);
    };
    // Not even the first one ever.
    await fail('ghost');
    await until(async () => (await served('ghost')) !== 'ghost', 'the ghost to disappear');
    await inStep();
    expect((await hub.call('GET', '/vhosts')).text).toBe('[]');
    expect((await create('kept')).status).toBe(201);
    expect([await served('kept'), await served('ghost')]).toEqual(['kept', '']);

    const stored = async () => [
      (await hub.call('GET', '/vhosts')).text,
      (await hub.call('GET', '/changelog')).text,
      stack.readProxyfile(),
    ];
    const before = await stored();
    await fail('late');
    await inStep();
    expect(await stored()).toEqual(before);
    expect([await served('late'), await served('kept')]).toEqual(['', 'kept']);
    expect((await create('next')).status).toBe(201);
    expect(await served('next')).toBe('next');
  },
);

test('neither a change nor another route waits for what hangs', async () => {
  expect((await create('first')).status).toBe(201);
  await inStep();
  mode = 'blind';
  const look = await until(() => looks[0], 'a look');
  const made = await create('second');
  expect([made.status, look.signal.aborted]).toEqual([201, false]);
  expect(await served('second')).toBe('second');
  mode = 'pass';
  await inStep();
  // That look found nothing to replace.
  expect([await served('first'), await served('second')]).toEqual(['first', 'second']);

  mode = 'mute';
  const hanging = create('ghost');
  for (const path of ['vhosts', 'changelog', 'health']) {
    expect((await hub.call('GET', `/${path}`)).status).toBe(200);
  }
  expect((await hanging).body.code).toBe('AGENT_UNREACHABLE');
});

test('what an agent says of many sites is read before they are recorded', async () => {
  const upstreams = Array.from({ length: 20 }, (_, at) => `127.0.0.1:${at + 1}`).join(' ');
  const operations = Array.from({ length: 200 }, (_, at) => ({
    op: 'create',
    domain: `http://many-${at}.example:${stack.httpPort}`,
    config: `reverse_proxy ${upstreams}`,
  }));
  mode = 'lost';
  const changing = hub.call<Body>('POST', '/vhosts/bulk', { operations });
  await until(() => forwarded.length > 0, 'the publish');
  await forwarded[0];
  const { status, text } = await hub.call('GET', '/vhosts/state');
  expect([status, text]).toEqual([200, '[]']);
  mode = 'pass';
  expect((await changing).body.code).toBe('AGENT_UNREACHABLE');
  await inStep();
});
