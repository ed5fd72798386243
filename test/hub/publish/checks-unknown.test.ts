// proof: hub
/** Checks that an agent cannot make, or whose answer does not arrive, and the first change of all. */
import { afterEach, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { type HubApart, startHubApart } from '../../harness/apart.ts';
import { startUpstream } from '../../harness/checked.ts';
import { forEachTest } from '../../harness/for-tests.ts';
import { type Relay, startRelay } from '../../harness/relay.ts';
import { freePort, startStack, until } from '../../harness/stack.ts';

type Body = { id: number; code?: string; detail?: string };

const stack = forEachTest(() => startStack({ UPSTREAM_PROBE: 'false' }));
const upstream = forEachTest(() => startUpstream());
let hub: HubApart;
let ending: (() => Promise<void>) | undefined;
afterEach(async () => {
  await ending?.();
  ending = undefined;
  await hub.stop();
});

/** A hub that has its agent behind `port`. */
const beginHub = async (port: number) => {
  hub = await startHubApart(stack, `http://127.0.0.1:${port}`);
};
const call = <T = Body>(method: string, path: string, json?: unknown) =>
  hub.call<T>(method, path, json);
const create = (name: string, check: object | null) =>
  call('POST', '/vhosts', {
    domain: `http://${name}.example:${stack.httpPort}`,
    check,
    config: 'reverse_proxy {upstream}',
    upstream: `127.0.0.1:${upstream.port}`,
  });
const served = async (name: string) =>
  (await stack.served(`${name}.example`).catch(() => null))?.text;
const untilInStep = () =>
  until(
    async () => (await call<{ inStep: boolean }>('GET', '/status')).body.inStep,
    'the proxy to be in step',
  );
const stored = async () => [
  (await call('GET', '/vhosts')).text,
  (await call('GET', '/changelog')).text,
];

test.each([
  ['the trial', 0],
  ['the check', 1],
])(
  'a change whose agent is lost during %s is refused, and does not stay live',
  async (_, answers) => {
    const relay: Relay = await startRelay(Number(new URL(stack.agent).port));
    ending = relay.stop;
    await beginHub(relay.port);
    expect((await create('kept', null)).status).toBe(201);
    const before = [...(await stored()), stack.readProxyfile()];

    upstream.hangs = answers;
    const creating = create('ghost', { path: '/', within: 15 });
    await until(() => upstream.askedBy.length > answers, 'the check');
    expect(stack.readProxyfile().includes('ghost')).toBe(answers > 0);
    // It counts as in step: whoever looks now is not alarmed.
    expect((await call<{ inStep: boolean }>('GET', '/status')).body.inStep).toBe(true);
    await relay.cut('resets');
    const refused = await creating;
    expect([refused.status, refused.body.code]).toEqual([502, 'AGENT_UNREACHABLE']);

    upstream.hangs = false;
    await relay.join();
    await untilInStep();
    expect([...(await stored()), stack.readProxyfile()]).toEqual(before);
    expect([await served('ghost'), await served('kept')]).toEqual(['', 'ready']);
    expect((await create('next', { path: '/' })).status).toBe(201);
  },
);

test('an upstream that a refused change named is never reported', async () => {
  await beginHub(Number(new URL(stack.agent).port));
  const { id } = (await create('changed', { path: '/' })).body;
  let isOver = false;
  const json = { upstream: `127.0.0.1:${freePort()}`, check: { path: '/', within: 12 } };
  const changing = call('PUT', `/vhosts/${id}`, json).finally(() => {
    isOver = true;
  });
  const seen = new Set<string>();
  while (!isOver) {
    const { body } = await call<{ problems: { code: string }[] }>('GET', '/status');
    for (const { code } of body.problems) seen.add(code);
    await Bun.sleep(200);
  }
  expect((await changing).body.code).toBe('CHECK_FAILED');
  expect([...seen]).not.toContain('UPSTREAM_DOWN');
});

test('if the very first change fails its check, no site is live or stored', async () => {
  await beginHub(Number(new URL(stack.agent).port));
  upstream.answer = 500;
  const refused = await create('first', { path: '/', within: 0.2 });
  expect([refused.status, refused.body.code]).toEqual([502, 'CHECK_FAILED']);
  expect(await stored()).toEqual(['[]', '[]']);
  expect(existsSync(stack.proxyfile)).toBe(false);
  await untilInStep();
  upstream.answer = 'ready';
  expect((await create('first', { path: '/' })).status).toBe(201);
  expect(await served('first')).toBe('ready');
});
