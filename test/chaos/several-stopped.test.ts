// proof: chaos
/** An agent that is stopped (SIGSTOP) holds up one change, and is brought up when it goes on. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Processes, type Site, startProcesses } from '../harness/fleet-processes.ts';
import { until } from '../harness/stack.ts';

let fleet: Processes;
beforeAll(async () => {
  fleet = await startProcesses(['twin', 'vps']);
});
afterAll(() => fleet.stop());

type Body = { code?: string; behind?: string[]; state?: string };
const create = (host: string, query = '') =>
  fleet.call<Body>('POST', `/vhosts${query}`, {
    domain: `http://${host}`,
    config: `respond ${host}`,
  });
const served = (host: string) =>
  Promise.all(fleet.sites.map(async (site) => (await site.served(host))?.text));
const state = async () => (await fleet.call<Body>('GET', '/agents/twin')).body.state;

test('an agent that is stopped is waited for once, and is in step again afterwards', async () => {
  const twin = fleet.sites[1] as Site;
  expect((await create('before.example')).status).toBe(201);
  twin.agent.freeze();
  const from = performance.now();
  const first = await create('first.example');
  const half = (performance.now() - from) / 2;
  expect([first.status, first.body.behind]).toEqual([201, ['twin']]);
  for (const host of ['a.example', 'b.example', 'c.example', 'd.example']) {
    const { status, body } = await sooner(create(host), half);
    expect([status, body.behind]).toEqual([201, ['twin']]);
  }
  for (const path of ['/status', '/vhosts', '/vhosts/state', '/certificates', '/agents']) {
    expect((await sooner(fleet.call('GET', path), half)).status).toBe(200);
  }
  const refused = await create('refused.example', '?require=all');
  expect([refused.status, refused.body.code]).toEqual([502, 'AGENT_UNREACHABLE']);
  // Its proxy goes on without it.
  expect(await served('before.example')).toEqual(Array(3).fill('before.example'));
  expect(await served('d.example')).toEqual(['d.example', '', 'd.example']);
  await until(async () => (await state()) === 'unreachable', 'its state');
  twin.agent.thaw();
  await until(async () => (await state()) === 'in-step', 'the agent');
  for (const host of ['first.example', 'd.example']) {
    expect(await served(host)).toEqual(Array(3).fill(host));
  }
  expect(await served('refused.example')).toEqual(['', '', '']);
  const after = await create('after.example', '?require=all');
  expect([after.status, after.body.behind]).toEqual([201, undefined]);
});

/** @throws Error if it takes half as long as what had to wait until an agent was given up */
const sooner = <T>(answer: Promise<T>, milliseconds: number): Promise<T> =>
  Promise.race([
    answer,
    Bun.sleep(milliseconds).then(() => {
      throw new Error(`not there after ${Math.round(milliseconds)} ms`);
    }),
  ]);
