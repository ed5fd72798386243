/** Agents that are renamed, paused, behind or removed while the hub looks at them and publishes. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { enrol } from '../../../src/hub/agents/enrol.ts';
import { type OpenDatabase, openDatabase } from '../../../src/hub/db/open.ts';
import {
  createAgentChange,
  deleteAgentChange,
  updateAgentChange,
} from '../../../src/hub/model/agent-changes.ts';
import { agentPreambleChange, preambleChange } from '../../../src/hub/model/preamble-changes.ts';
import { createStore } from '../../../src/hub/model/store.ts';
import { createChange, deleteChange, updateChange } from '../../../src/hub/model/vhost-changes.ts';
import { PACE } from '../../../src/hub/pace.ts';
import { createPublisher, type Publisher } from '../../../src/hub/publish/publisher.ts';
import { type EnrollableAgent, startEnrollable, tokenOf } from '../../harness/enrolled.ts';
import { temporaryFolder } from '../../harness/stack.ts';

const AUTHOR = { userId: '', userName: '', via: null };
const folder = temporaryFolder();
let database: OpenDatabase;
let publisher: Publisher;
let agents: EnrollableAgent[];
let vps: EnrollableAgent;
/** Resolves when what an agent said of its proxy may arrive. */
let arrival: Promise<void> = Promise.resolve();

beforeAll(async () => {
  database = openDatabase(folder);
  const store = createStore(database);
  agents = await Promise.all([startEnrollable(), startEnrollable()]);
  for (const { invitation } of agents) {
    const request = { hub: store.id, term: 1, token: tokenOf('t'), replace: false };
    await enrol(invitation, request);
  }
  const [first, second] = agents as [EnrollableAgent, EnrollableAgent];
  vps = second;
  publisher = createPublisher({
    pace: PACE,
    store,
    connect({ id }) {
      const client = (id === 2 ? second : first).client('t', store.id);
      const status = async (deadline?: number) => {
        const found = await client.status(deadline);
        await arrival;
        return found;
      };
      return { ...client, status };
    },
    now: () => new Date(),
    log: () => {},
  });
  const { url, fingerprint } = second;
  const ports = ({ httpPort }: EnrollableAgent) => `{\n\thttp_port ${httpPort}\n}`;
  const site = { domain: 'http://a.example', config: 'respond old', agents: ['local', 'vps'] };
  await publisher.apply(preambleChange(ports(first)), AUTHOR);
  await publisher.apply(createAgentChange({ id: 2, name: 'vps', url, fingerprint }), AUTHOR);
  await publisher.apply(agentPreambleChange('vps', ports(second)), AUTHOR);
  await publisher.apply(createChange(site), AUTHOR);
});
afterAll(async () => {
  await Promise.all(agents.map((agent) => agent.stop()));
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

const pause = (paused: boolean) => publisher.apply(updateAgentChange('vps', { paused }), AUTHOR);

test('an agent that is behind again and again is not taken for one that another hub has', async () => {
  for (const words of ['one', 'two', 'three', 'four', 'old']) {
    await pause(true);
    await publisher.apply(updateChange(1, { config: `respond ${words}` }), AUTHOR);
    await pause(false);
    await publisher.reconcile(2);
    expect(vps.readProxyfile()).toContain(`respond ${words}`);
  }
  expect(publisher.standings()[1]).toMatchObject({ state: 'in-step', warnings: [] });
});

test('a look that waits while its agent is paused publishes nothing', async () => {
  const before = vps.readProxyfile();
  await pause(true);
  await publisher.apply(updateChange(1, { config: 'respond new' }), AUTHOR);
  await pause(false);
  await Promise.all([pause(true), publisher.reconcile(2)]);
  expect(vps.readProxyfile()).toBe(before);
});

test('what an agent says while it is renamed is of that agent', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const rename = (from: string, to: string) =>
    publisher.apply(updateAgentChange(from, { name: to }), AUTHOR);
  arrival = promise;
  const asked = publisher.agents.all().map(async ({ id, client }) => {
    return publisher.isInStep(await client.status(), id);
  });
  await rename('vps', 'moved');
  resolve();
  expect(await Promise.all(asked)).toHaveLength(2);
  await rename('moved', 'vps');
});

test('an agent that is renamed keeps the sites of its containers, in the same change', async () => {
  await pause(false);
  await publisher.reconcile(2);
  const kept = (name: string, agent: string) => ({
    domain: `http://${name}.example`,
    config: 'respond app',
    agents: [agent],
    source: `containers/${agent}`,
  });
  for (const site of [kept('far', 'vps'), kept('near', 'local')]) {
    await publisher.apply(createChange(site), AUTHOR);
  }
  const sources = () =>
    createStore(database)
      .load()
      .vhosts.flatMap(({ domain, source, applied }) =>
        source ? [{ domain, source, applied }] : [],
      );
  const before = sources();
  const file = vps.readProxyfile();
  await publisher.apply(updateAgentChange('vps', { name: 'moved' }), AUTHOR);
  const [far, near] = before as [(typeof before)[0], (typeof before)[0]];
  expect(sources()).toEqual([{ ...far, source: 'containers/moved' }, near]);
  expect(vps.readProxyfile()).toBe(file);
  createStore(database).nameFirstAgent('home');
  expect(sources()).toEqual([
    { ...far, source: 'containers/moved' },
    { ...near, source: 'containers/home' },
  ]);
  createStore(database).nameFirstAgent('local');
  await publisher.apply(updateAgentChange('moved', { name: 'vps' }), AUTHOR);
  expect(sources()).toEqual(before);
  for (const { id } of publisher.current().vhosts.filter(({ source }) => source !== null)) {
    await publisher.apply(deleteChange(id), AUTHOR);
  }
});

test('a site that one proxy refuses is served there again once it was changed without that proxy', async () => {
  await pause(false);
  await publisher.reconcile(2);
  const authority = join(folder, 'authority.pem');
  copyFileSync(join(vps.env.DATA_DIR, 'agent-cert.pem'), authority);
  const [common, own] = ['', 'vps'].map((name) => publisher.setOf(name).preamble);
  const trusting = `reverse_proxy https://127.0.0.1:9 {\n\ttransport http {\n\ttls_trusted_ca_certs ${authority}\n}\n}`;
  await publisher.apply(preambleChange(`${common}\n(own) {\n\trespond local\n}`), AUTHOR);
  await publisher.apply(agentPreambleChange('vps', `${own}\n(own) {\n${trusting}\n}`), AUTHOR);
  const [changed, deleted] = await Promise.all(
    ['changed', 'deleted'].map((name) =>
      publisher.apply(
        createChange({ domain: `http://${name}.example`, config: 'import own' }),
        AUTHOR,
      ),
    ),
  );
  rmSync(authority);
  await pause(true);
  await publisher.apply(createChange({ domain: 'http://b.example', config: 'respond b' }), AUTHOR);
  await pause(false);
  await publisher.reconcile(2);
  expect(publisher.standings()[1]?.broken).toHaveLength(2);
  await pause(true);
  await publisher.apply(updateChange(changed?.result.id ?? 0, { config: 'respond fixed' }), AUTHOR);
  await publisher.apply(deleteChange(deleted?.result.id ?? 0), AUTHOR);
  await pause(false);
  await publisher.reconcile(2);
  expect(vps.readProxyfile()).toContain('respond fixed');
  expect(publisher.standings()[1]).toMatchObject({ state: 'in-step', broken: [] });
});

test('a look that waits while its agent is removed leaves its proxy as it is', async () => {
  await pause(false);
  await publisher.reconcile(2);
  const before = vps.readProxyfile();
  expect(before).toContain('respond new');
  const removed = publisher.apply(deleteAgentChange('vps'), AUTHOR);
  await Promise.all([removed, publisher.reconcile(2)]);
  expect(vps.readProxyfile()).toBe(before);
});
