/**
 * What is read of one of several agents. The publisher is a stand-in, because this machine has only one
 * clock; and so is the agent, which hangs at a given moment.
 */
import { expect, test } from 'bun:test';
import type { Agent } from '../../../src/hub/agents/agents.ts';
import { EMPTY_SET, type SiteSet, type Vhost } from '../../../src/hub/model/vhost.ts';
import type { Publisher } from '../../../src/hub/publish/publisher.ts';
import { createFactsReader } from '../../../src/hub/watch/agent-facts.ts';
import { NO_CHECKS } from '../../../src/hub/watch/checks.ts';
import { Failure } from '../../../src/shared/failure.ts';
import { siteState } from '../../harness/facts.ts';
import { storedVhost } from '../../harness/vhost.ts';

const gone = () => Promise.reject(new Error('gone'));
const agent = {
  id: 1,
  name: 'vps',
  client: { isSilent: () => true, status: gone, sites: gone, certificates: gone },
} as unknown as Agent;

const read = (agent: Agent, skewMs: number | null, isOnly: boolean) =>
  readerOf(agent, skewMs, isOnly)(agent);

/** @param broken gets what its proxy refuses */
function readerOf(
  agent: Agent,
  skewMs: number | null,
  isOnly: boolean,
  stored = () => EMPTY_SET,
  broken: object[] = [],
) {
  const standing = {
    agent: { id: 1, name: 'vps', paused: false },
    skewMs,
    behindSince: null,
    broken,
    failure: null,
    ownership: null,
    warnings: [],
  };
  const publisher = {
    current: stored,
    isInStep: () => true,
    standings: () => [standing],
    isOnTrial: () => false,
    lastPublish: () => null,
    agents: { all: () => (isOnly ? [agent] : [agent, { ...agent, id: 2 }]) },
  } as unknown as Publisher;
  const clock = { now: () => new Date(), elapsed: () => 0 };
  // Asks at each look.
  return createFactsReader(publisher, NO_CHECKS, clock, { every: 0, kept: 1 });
}

const warningsWith = async (skewMs: number | null, isOnly: boolean) =>
  (await read(agent, skewMs, isOnly))?.warnings ?? ['no facts'];

test('what is known of sites is made again when the agent, what is stored or what is refused is another', async () => {
  const setWith = (more: Partial<Vhost>): SiteSet => ({
    ...EMPTY_SET,
    vhosts: [storedVhost(more)],
  });
  const refused: object[] = [];
  let set = setWith({});
  const site = siteState();
  let sites: object[] = [site];
  const client = {
    isSilent: () => false,
    status: async () => ({ proxy: { running: true, version: '2.11.4' }, serving: null }),
    sites: async () => ({ sites }),
    certificates: async () => ({ sites: [] }),
    ports: gone,
  };
  const reads = { id: 1, name: 'vps', client } as unknown as Agent;
  const reader = readerOf(reads, null, true, () => set, refused);
  const facts = async () => (await reader(reads))?.sites ?? [];
  const first = await facts();
  expect(first).toMatchObject([{ enabled: true, addresses: [{ served: true }] }]);
  expect(await facts()).toBe(first);
  sites = [];
  expect(await facts()).toMatchObject([{ addresses: [{ served: false }] }]);
  const none = await facts();
  set = setWith({ enabled: false });
  expect(await facts()).toMatchObject([{ enabled: false }]);
  set = setWith({});
  refused.push({ vhost: set.vhosts[0], failure: new Failure('PROXY_REJECTED', 'No.') });
  expect(await facts()).toMatchObject([{ problem: expect.stringContaining('No.') }]);
  refused.length = 0;
  expect(await facts()).toEqual(none);
});

test('one that stops answering is waited for once', async () => {
  const never = () => new Promise<never>(() => {});
  const client = { isSilent: () => false, status: gone, sites: gone, certificates: never };
  const hung = { id: 1, name: 'vps', client } as unknown as Agent;
  expect(await read(hung, null, false)).toMatchObject({
    status: null,
    inStep: false,
    certificates: [],
  });
});

test.each<[string, number | null, boolean]>([
  ['that is right', 0, false],
  ['that is a little off', -2_000, false],
  ['of an agent that does not say', null, false],
  ['of the only agent', 60_000, true],
])('no warning of a clock %s', async (_, skewMs, isOnly) => {
  expect(await warningsWith(skewMs, isOnly)).toEqual([]);
});

test.each([
  [2_100, /^Its clock is 2\.1 s ahead of the hub’s, .*NTP/],
  [-90_000, /^Its clock is 90\.0 s behind the hub’s, /],
])('a clock that is %d ms off is one', async (skewMs, words) => {
  const [warning, ...others] = await warningsWith(skewMs, false);
  expect(warning).toMatch(words);
  expect(others).toEqual([]);
});
