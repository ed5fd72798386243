// proof: hub
/** What hub and agent say to each other about a trial, and agents that say less. */
import { beforeEach, expect, test } from 'bun:test';
import { formatInvitation } from '../../../src/shared/invitation.ts';
import type { CheckTarget } from '../../../src/shared/wire/checks.ts';
import { startHubApart } from '../../harness/apart.ts';
import { startUpstream } from '../../harness/checked.ts';
import { startEnrollable } from '../../harness/enrolled.ts';
import { forEachTest } from '../../harness/for-tests.ts';
import { ask, freePort, startStack, until } from '../../harness/stack.ts';

type Body = {
  id: number;
  code?: string;
  config: string;
  behind?: string[];
  warnings?: { code: string; message: string }[];
};
type Asked = { checks: CheckTarget[] };

/** What the agent was asked, by the end of the path. */
let asked: { path: string; body: Asked }[];
/** What stands between hub and agent does to an answer about trials. */
let older: ((answer: Response) => Response | Promise<Response>) | null;
/** Whether it answers nothing any more. */
let isGone: boolean;
beforeEach(() => {
  [asked, older, isGone] = [[], null, false];
});

const askedFor = (path: string) => asked.filter((one) => one.path === path);

const stack = forEachTest(() => startStack());
const upstream = forEachTest(() => startUpstream());
const hub = forEachTest(() =>
  startHubApart(stack, async ({ path: whole, body, pass }) => {
    const path = whole.replace('/proxy/', '');
    if (isGone) return new Response('');
    if (['trial', 'checks'].includes(path)) asked.push({ path, body: JSON.parse(body ?? '') });
    const answer = await pass();
    return path === 'trial' && older ? older(answer) : new Response(answer.body, answer);
  }),
);
beforeEach(() => create('base', null));

const call = <T = Body>(method: string, path: string, json?: unknown) =>
  hub.call<T>(method, path, json);
const create = (name: string, check: object | null, port = upstream.port) =>
  call('POST', '/vhosts', {
    domain: `http://${name}.example:${stack.httpPort}`,
    check,
    config: 'reverse_proxy {upstream}',
    upstream: `127.0.0.1:${port}`,
  });

test.each<[string, NonNullable<typeof older>]>([
  ['has no trials', () => new Response('{}', { status: 404 })],
  [
    'does not say what it doubts',
    async (answer) => {
      const { answers } = (await answer.json()) as { answers: Record<string, unknown>[] };
      return Response.json({
        answers: answers.map(({ passed, status, reason }) => ({ passed, status, reason })),
      });
    },
  ],
])('an older agent that %s checks what is live', async (_, answer) => {
  older = answer;
  const check = { path: '/', within: 0.2 };
  const failed = await create('failed', check, freePort());
  expect([failed.status, failed.body.code]).toEqual([502, 'CHECK_FAILED']);
  expect(stack.readProxyfile()).not.toContain('failed');
  expect((await create('passes', { path: '/' })).status).toBe(201);
  const live = askedFor('checks').flatMap(({ body }) => body.checks);
  expect(live.map(({ tried }) => tried)).toEqual([undefined, undefined]);
});

test('a site is asked again once it is live, as one that was tried', async () => {
  const { status, body } = await create('tried', { path: '/' });
  expect([status, body.warnings]).toEqual([201, []]);
  expect(askedFor('trial')).toHaveLength(1);
  const [live, ...others] = askedFor('checks').flatMap((one) => one.body.checks);
  expect([live?.name, typeof live?.tried, others]).toEqual(['tried.example', 'number', []]);
});

test('many are tried together, and the sites that a policy concerns are asked once before', async () => {
  const names = Array.from({ length: 50 }, (_, at) => `many-${at}`);
  const made = await Promise.all(names.map((name) => create(name, { path: '/' })));
  expect(made.map(({ status }) => status)).toEqual(names.map(() => 201));
  // One for the first that arrives, and one for those that arrive meanwhile; more on a busy machine.
  expect(askedFor('trial').length).toBeLessThan(10);

  const { id } = (
    await call('POST', '/policies', {
      name: 'open',
      recipe: 'allow',
      values: { networks: ['0.0.0.0/0', '::/0'] },
    })
  ).body;
  await call('PUT', `/vhosts/${made[0]?.body.id}`, { policies: ['open'] });
  asked = [];
  const values = { networks: ['127.0.0.0/8', '::1'] };
  expect((await call('PUT', `/policies/${id}`, { values })).status).toBe(200);
  expect(asked.map(({ path, body }) => [path, body.checks.length])).toEqual([
    ['checks', 1],
    ['trial', 1],
    ['checks', 1],
  ]);
});

test('what waits for a trial when the hub stops is refused, and nothing was changed', async () => {
  const { promise: isStopped, resolve: answer } = Promise.withResolvers<void>();
  older = async (said) => {
    await isStopped;
    return said;
  };
  const check = { path: '/', within: 15 };
  const first = create('stop-1', check);
  await until(() => askedFor('trial').length === 1, 'the trial');
  const others = ['stop-2', 'stop-2', 'stop-3'].map((name) => create(name, check));
  await until(
    async () => (await ask(`${hub.url}/metrics`)).text.includes('publish_queue_length 4\n'),
    'the others',
  );
  await hub.restart(async () => {
    for (const { status, body } of await Promise.all([first, ...others])) {
      expect([status, body.code]).toEqual([503, 'STOPPING']);
    }
    answer();
  });
  const sites = (await call<{ domain: string }[]>('GET', '/vhosts')).body;
  expect(sites.map(({ domain }) => domain)).toEqual([`http://base.example:${stack.httpPort}`]);
});

test('what an agent says of a trial is a short sentence, and nonsense is no answer', async () => {
  const doubt = `\u001b[31mred\u202e\n${'x'.repeat(50_000)}`;
  const said = (answer: object) => async () => Response.json({ answers: [answer] });
  const check = { path: '/' };
  older = said({ passed: false, status: null, reason: 'none', doubt });
  const doubted = await create('doubted', check);
  expect([doubted.status, doubted.body.warnings?.length]).toEqual([201, 1]);
  expect(doubted.text.length).toBeLessThan(2_000);
  expect(doubted.body.warnings?.[0]?.message).toContain(': [31mred xxx');
  older = said({ passed: true, status: 200, reason: 'fine', took: -5 });
  const early = await create('early', check);
  expect([early.status, early.body.warnings?.[0]?.code]).toEqual([201, 'NOT_TRIED']);
});

test('a site is not said to be checked late where it is not live', async () => {
  const other = await startEnrollable({ AGENT_PORT: String(freePort()) });
  try {
    const invitation = formatInvitation(other.invitation);
    expect((await call('POST', '/agents', { name: 'other', invitation })).status).toBe(201);
    const ports = `http_port ${other.httpPort}\n\thttps_port ${other.httpsPort}`;
    const config = `{\n\t${ports}\n\tskip_install_trust\n}`;
    expect((await call('PUT', '/preamble?agent=other', { config })).status).toBe(200);
    const [{ name: mute } = { name: '' }] = (await call<{ name: string }[]>('GET', '/agents')).body;
    older = async () => {
      isGone = true;
      return new Response('');
    };
    const { status, body } = await call('POST', '/vhosts', {
      domain: 'http://both.example',
      config: 'respond ready',
      check: { path: '/' },
    });
    expect([status, body.behind, body.warnings]).toEqual([201, [mute], []]);
  } finally {
    await other.stop();
  }
});
