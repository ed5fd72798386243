/** Metrics of agents that do not answer: stand-ins, which cannot be made silent at the right moment. */
import { expect, test } from 'bun:test';
import { collectCertificates, collectStandings } from '../../../src/features/metrics/agents.ts';
import type { Agent } from '../../../src/hub/agents/agents.ts';
import type { AgentClient } from '../../../src/hub/agents/client.ts';
import { EMPTY_SET } from '../../../src/hub/model/vhost.ts';
import { proxyStatus } from '../../harness/facts.ts';

const asked: string[] = [];
const never = (name: string) => () => {
  asked.push(name);
  return new Promise<never>(() => {});
};
const status = proxyStatus();

let made = 0;

function agentNamed(name: string, client: object): Agent {
  const awake = {
    isSilent: () => false,
    status: async () => status,
    answers: async () => true,
    certificates: async () => ({ sites: [] }),
  };
  return { id: ++made, name, client: { ...awake, ...client } as unknown as AgentClient };
}

const publisherOf = (...all: Agent[]) => ({
  current: () => EMPTY_SET,
  agents: { all: () => all } as never,
  isInStep: () => true,
  standings: () => [],
});

const silent = agentNamed('twin', {
  isSilent: () => true,
  status: never('status'),
  answers: never('answers'),
  certificates: never('certificates'),
});

test('an agent that is known to be silent is not asked, and 0', async () => {
  const publisher = publisherOf(agentNamed('local', {}), silent);
  const [up] = await collectStandings(publisher);
  expect(up?.name).toBe('signalbox_agent_up');
  expect(up?.samples).toEqual([
    { labels: { agent: 'local' }, value: 1 },
    { labels: { agent: 'twin' }, value: 0 },
  ]);
  const [expiry] = await collectCertificates(publisher);
  expect(expiry).toMatchObject({ labelNames: ['agent', 'name'], samples: [] });
  expect(asked).toEqual([]);
});

test('one that turns silent during a scrape leaves out only its own certificates', async () => {
  const hung = agentNamed('vps', { certificates: never('certificates') });
  const found = await collectCertificates(publisherOf(agentNamed('local', {}), hung));
  expect(found).toHaveLength(1);
  expect(asked).toEqual(['certificates']);
});

test('the only agent has no label', async () => {
  const [up] = await collectStandings(publisherOf(agentNamed('local', {})));
  expect(up?.samples).toEqual([{ value: 1 }]);
});

test('a scrape while an agent is renamed is of that agent', async () => {
  const { promise, resolve } = Promise.withResolvers<typeof status>();
  const local = agentNamed('local', {});
  const vps = agentNamed('vps', { status: () => promise });
  let all = [local, vps];
  const scraped = collectStandings({ ...publisherOf(), agents: { all: () => all } as never });
  all = [local, { ...vps, name: 'moved' }];
  resolve(status);
  const found = (await scraped).find(({ name }) => name === 'signalbox_in_step');
  expect(found?.samples).toHaveLength(2);
});
