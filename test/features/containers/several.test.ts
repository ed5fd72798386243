// proof: podman
/** Containers beside several proxies: who has a name, and what follows if an agent is paused, away or renamed. */
import { afterAll, expect, test } from 'bun:test';
import type { ContainerView } from '../../../src/features/containers/routes.ts';
import { startFleet } from '../../harness/fleet.ts';
import { forFile, serverForFile } from '../../harness/for-file.ts';
import { USUAL } from '../../harness/pace.ts';
import { labelled, scriptedEngine } from '../../harness/scripted-engine.ts';
import { until } from '../../harness/stack.ts';

type Site = { id: number; domain: string; enabled: boolean; source: string | null };

const [first, second] = [scriptedEngine(), scriptedEngine()];
const upstream = serverForFile(() => new Response('app'));
const app = (name: string) => labelled(upstream.port ?? 0, { domain: `http://${name}.example` });

const own = { ...USUAL.hub.own, containers: { gone: 500, longestPause: 1_000 } };
const paces = { ...USUAL, hub: { ...USUAL.hub, own } };
const ofSecond = { DOCKER_SOCKET: second.socket };
const fleet = await forFile(startFleet(['edge'], { DOCKER_SOCKET: first.socket }, paces, ofSecond));
afterAll(async () => {
  await first.end();
  await second.end();
});

/** Empty if nothing listens. */
const served = (agent: string, name: string) =>
  fleet.served(agent, `${name}.example`).catch(() => '');
const site = async (name: string) =>
  (await fleet.call<Site[]>('GET', '/vhosts')).body.find(
    ({ domain }) => domain === `http://${name}.example`,
  );
const container = async (agent: string, name: string) =>
  (await fleet.call<ContainerView[]>('GET', '/containers')).body.find(
    (one) => one.agent === agent && one.name === name,
  );

test('of two agents, the one whose container had a name first has it until that is gone', async () => {
  first.change({ app: app('app') });
  await until(() => site('app'), 'the site');
  second.change({ app: app('app'), own: app('own') });
  await until(() => site('own'), 'the site of the other');
  expect(await site('app')).toMatchObject({ source: 'containers/local' });
  expect((await container('edge', 'app'))?.reason).toContain('kept by containers/local');
  expect([await served('local', 'app'), await served('edge', 'app')]).toEqual(['app', '']);
  first.change({});
  await until(async () => (await site('app'))?.source === 'containers/edge', 'the other has it');
  await until(async () => (await served('edge', 'app')) === 'app', 'it is served there');
});

test('a paused agent gets what its containers ask for once it is resumed', async () => {
  expect((await fleet.call('PATCH', '/agents/edge', { paused: true })).status).toBe(200);
  second.change({ app: app('app'), own: app('own'), late: app('late') });
  first.change({ here: app('here') });
  await until(async () => (await served('local', 'here')) === 'app', 'the first agent');
  expect((await fleet.call('PATCH', '/agents/edge', { paused: false })).status).toBe(200);
  await until(async () => (await served('edge', 'late')) === 'app', 'it is served');
  await until(() => site('late'), 'it is recorded');
});

test('an agent that is away changes nothing', async () => {
  const before = (await fleet.call('GET', '/vhosts')).text;
  await fleet.other('edge').stopOnly();
  second.change({});
  await until(async () => (await container('edge', 'own'))?.reason !== null, 'it is known');
  first.change({ here: app('here'), more: app('more') });
  await until(() => site('more'), 'the first agent goes on');
  first.change({ here: app('here') });
  await until(async () => !(await site('more')), 'it is deleted');
  expect((await fleet.call('GET', '/vhosts')).text).toBe(before);
  second.change({ app: app('app'), own: app('own'), late: app('late') });
  await fleet.other('edge').restart();
  await until(async () => (await container('edge', 'own'))?.reason === null, 'it is back');
});

test('a renamed agent keeps the sites of its containers', async () => {
  const { id } = (await site('own')) as Site;
  expect((await fleet.call('PATCH', '/agents/edge', { name: 'east' })).status).toBe(200);
  expect(await site('own')).toMatchObject({ id, source: 'containers/east', enabled: true });
  second.change({ app: app('app') });
  await until(async () => !(await site('own')), 'it is deleted');
  expect((await container('east', 'app'))?.reason).toBeNull();
});
