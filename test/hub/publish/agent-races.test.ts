/** Agents that change while the hub looks at them. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { enrol } from '../../../src/hub/agent-client/enrol.ts';
import { type OpenDatabase, openDatabase } from '../../../src/hub/db/open.ts';
import {
  createAgentChange,
  deleteAgentChange,
  updateAgentChange,
} from '../../../src/hub/publish/agent-changes.ts';
import {
  agentPreambleChange,
  createChange,
  preambleChange,
  updateChange,
} from '../../../src/hub/publish/changes.ts';
import { createPublisher, type Publisher } from '../../../src/hub/publish/publisher.ts';
import { createStore } from '../../../src/hub/publish/store.ts';
import { collectStandings } from '../../../src/hub/state/agent-metrics.ts';
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

test('a scrape while an agent is renamed is of that agent', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const rename = (from: string, to: string) =>
    publisher.apply(updateAgentChange(from, { name: to }), AUTHOR);
  arrival = promise;
  const scraped = collectStandings(publisher);
  await rename('vps', 'moved');
  resolve();
  const found = (await scraped).find(({ name }) => name === 'signalbox_in_step');
  expect(found?.samples).toHaveLength(2);
  await rename('moved', 'vps');
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
