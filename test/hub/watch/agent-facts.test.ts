/**
 * What is read of one of several agents. The publisher is a stand-in, because this machine has only one
 * clock; and so is the agent, which hangs at a given moment.
 */
import { expect, test } from 'bun:test';
import type { Agent } from '../../../src/hub/agents/agents.ts';
import { EMPTY_SET } from '../../../src/hub/model/vhost.ts';
import { PACE } from '../../../src/hub/pace.ts';
import type { Publisher } from '../../../src/hub/publish/publisher.ts';
import { createFactsReader } from '../../../src/hub/watch/agent-facts.ts';

const gone = () => Promise.reject(new Error('gone'));
const agent = {
  ...{ id: 1, name: 'vps' },
  client: { isSilent: () => true, status: gone, sites: gone, certificates: gone },
} as unknown as Agent;

function read(agent: Agent, skewMs: number | null, isOnly: boolean) {
  const standing = {
    ...{ agent: { id: 1, name: 'vps', paused: false }, skewMs, behindSince: null },
    ...{ broken: [], failure: null, ownership: null, warnings: [] },
  };
  const publisher = {
    current: () => EMPTY_SET,
    standings: () => [standing],
    isOnTrial: () => false,
    lastPublish: () => null,
    agents: { all: () => (isOnly ? [agent] : [agent, { ...agent, id: 2 }]) },
  } as unknown as Publisher;
  const reader = createFactsReader({
    publisher,
    uptime: { of: () => null, isUnknown: () => false },
    now: () => new Date(),
    elapsed: () => 0,
    pace: PACE,
  });
  return reader(agent);
}

const warningsWith = async (skewMs: number | null, isOnly: boolean) =>
  (await read(agent, skewMs, isOnly))?.warnings ?? ['no facts'];

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
