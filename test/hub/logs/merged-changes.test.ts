/** What happens to agents and their logs while a page is put together from several answers. */
import { describe, expect, test } from 'bun:test';
import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Agent, askAll } from '../../../src/hub/agents/agents.ts';
import type { AgentClient } from '../../../src/hub/agents/client.ts';
import { readMergedPage } from '../../../src/hub/logs/merged-page.ts';
import { MERGE_LIMIT } from '../../../src/shared/wire/merge.ts';
import { line } from '../../agent/logs/lines.ts';
import { ROLL } from '../../agent/logs/temp.ts';
import { agentsOf, type LogAgent } from '../../harness/log-agents.ts';
import { temporaryAgents } from './temporary-agents.ts';

const newAgents = temporaryAgents();
const START = 1795212767;
const COUNT = 2000;

/** Each agent has a line every 10 ms; the paths name agent and number. */
function writeLines({ name, file }: LogAgent): void {
  const text = Array.from({ length: COUNT }, (_, i) =>
    line({ ts: START + i / 100, request: { uri: `/${name}/${i}` } }),
  );
  writeFileSync(file, `${text.join('\n')}\n`);
}

function twoAgents(): [LogAgent, LogAgent] {
  const both = newAgents('one', 'two');
  for (const agent of both) writeLines(agent);
  return both as [LogAgent, LogAgent];
}

/** The agent, with something that happens after each of its answers. */
const after = (agent: LogAgent, happens: (answers: number) => unknown): Agent => {
  let answers = 0;
  const merge: AgentClient['merge'] = async (request) => {
    const answer = await agent.client.merge(request);
    await happens(++answers);
    return answer;
  };
  return { ...agent, client: { ...agent.client, merge } };
};

/** A page that takes several questions to find. */
const DEEP = { page: '30', pageSize: '50' };
const pathsOf = (logs: readonly { path: string }[]) => logs.map(({ path }) => path);
/** The paths of that page, of agents with such lines. @param newer how many others come before */
const expected = (names: string[], newer = 0) => {
  const all = Array.from({ length: COUNT }, (_, i) => names.map((name) => `/${name}/${i}`));
  return all
    .reverse()
    .flat()
    .slice(1450 - newer, 1500 - newer);
};

describe('an agent is left out and named', () => {
  test('if it cannot be reached', async () => {
    const [one, two] = twoAgents();
    await two.stop();
    // The second time, it is known to be away.
    for (let i = 0; i < 2; i++) {
      const page = await readMergedPage([one, two], DEEP);
      expect([page.missing, page.total]).toEqual([['two'], COUNT]);
      expect(pathsOf(page.logs)).toEqual(expected(['one']));
      expect(two.client.isSilent()).toBe(true);
    }
    two.start();
    await two.client.answers(5_000);
    const page = await readMergedPage([one, two], DEEP);
    expect(page).not.toHaveProperty('missing');
    expect(pathsOf(page.logs)).toEqual(expected(['one', 'two']));
  });

  test('if it goes away in between', async () => {
    const [one, two] = twoAgents();
    const page = await readMergedPage([one, after(two, two.stop)], DEEP);
    expect([page.missing, page.total]).toEqual([['two'], COUNT]);
    expect(pathsOf(page.logs)).toEqual(expected(['one']));
    two.start();
  });

  test('but not all of them', async () => {
    const both = twoAgents();
    for (const agent of both) await agent.stop();
    for (let i = 0; i < 2; i++) {
      expect(readMergedPage(both, {})).rejects.toMatchObject({ code: 'AGENT_UNREACHABLE' });
    }
    for (const agent of both) agent.start();
  });
});

test('an agent that is known to be away is not waited for, but asked whether it is back', async () => {
  // A stand-in: whether one was asked cannot be seen otherwise.
  const asked: string[] = [];
  const agent = (name: string, isSilent: boolean): Agent => {
    const client: Partial<AgentClient> = {
      isSilent: () => isSilent,
      answers: async () => asked.push(`answers ${name}`) > 0,
    };
    return { id: 1, name, client: client as AgentClient };
  };
  const ask = async ({ name }: Agent) => asked.push(name);
  const { missing } = await askAll([agent('b', true), agent('c', false), agent('a', true)], ask);
  expect([missing, asked]).toEqual([
    ['a', 'b'],
    ['answers b', 'answers a', 'c'],
  ]);
  asked.length = 0;
  await askAll([agent('a', true), agent('b', true)], ask);
  expect(asked).toEqual(['a', 'b']);
});

test('a query that an agent refuses is refused', async () => {
  expect(readMergedPage(twoAgents(), { from: 'now' })).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
  });
});

test.each([
  { slice: { skip: 0, limit: MERGE_LIMIT + 1 } },
  { slice: { skip: -1, limit: 1 } },
  { slice: { skip: 0, limit: 1, from: 0.5 } },
  { times: Array.from({ length: MERGE_LIMIT + 1 }, (_, i) => i) },
  { pin: 'x'.repeat(201) },
  { conditions: { status: 'x' } },
])('an agent refuses %j', async (asked) => {
  const [one] = twoAgents();
  expect(one.client.merge({ conditions: {}, ...asked })).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
  });
});

describe('a page is of what was there at first', () => {
  test.each([
    ['without a filter', {}],
    ['with one that the index holds', { domain: 'b.example' }],
    ['with one that it does not', { path: '/' }],
  ])('%s', async (_, filter) => {
    const [one, two] = twoAgents();
    let added = 0;
    const append = ({ file }: LogAgent) => {
      // Also among the times of the page.
      for (const ts of [START + 30, START + 12.5, START + 12.6]) {
        appendFileSync(file, `${line({ ts, request: { uri: `/new/${added++}` } })}\n`);
      }
    };
    const roll = ({ file }: LogAgent) => renameSync(file, join(dirname(file), ROLL));
    const page = await readMergedPage(
      [
        after(one, () => append(one)),
        after(two, (answers) => {
          if (answers === 2) roll(two);
          append(two);
        }),
      ],
      { ...filter, ...DEEP },
    );
    expect(page.total).toBe(2 * COUNT);
    expect(pathsOf(page.logs)).toEqual(expected(['one', 'two']));
    expect(added).toBeGreaterThan(12);
    expect((await readMergedPage([one, two], {})).total).toBe(2 * COUNT + added);
  });

  test('or is put together again if that is gone', async () => {
    const [one, two] = twoAgents();
    let restarts = 0;
    const restarting = after(two, async () => {
      if (restarts++ > 0) return;
      await two.stop();
      appendFileSync(two.file, `${line({ ts: START + 30, request: { uri: '/new' } })}\n`);
      two.start();
    });
    const page = await readMergedPage([one, restarting], DEEP);
    expect([page.total, page.missing]).toEqual([2 * COUNT + 1, undefined]);
    expect(pathsOf(page.logs)).toEqual(expected(['one', 'two'], 1));
  });
});

test('details are those of the agents, and come only if they are asked for', async () => {
  const both = twoAgents();
  for (const page of ['1', '30']) {
    const plain = await readMergedPage(both, { page });
    expect(plain.logs[0]).not.toHaveProperty('details');
    const detailed = await readMergedPage(both, { page, details: 'true' });
    const [entry] = detailed.logs;
    expect(entry?.details).toMatchObject({ request: { uri: entry?.path } });
    expect(detailed.logs.map(({ details, ...rest }) => rest)).toEqual(plain.logs);
  }
});

test('an answer without time is partial, and so is the page', async () => {
  const [one, two] = twoAgents();
  const page = await readMergedPage(
    [
      one,
      {
        ...two,
        // A stand-in for an agent whose time is up.
        client: {
          ...two.client,
          merge: async (asked) => ({ ...(await two.client.merge(asked)), partial: true }),
        },
      },
    ],
    DEEP,
  );
  expect(page.partial).toBe(true);
  expect(pathsOf(page.logs)).toEqual(expected(['one', 'two']));
});

test('the largest page of the largest logs fits in what an agent answers', async () => {
  const both = twoAgents();
  const asked: number[] = [];
  const watched = both.map((agent) => ({
    ...agent,
    client: {
      ...agent.client,
      merge: (request: Parameters<AgentClient['merge']>[0]) => {
        asked.push(request.slice?.limit ?? 0);
        return agent.client.merge(request);
      },
    },
  }));
  for (const page of ['1', '3', '8', '9']) {
    const { logs } = await readMergedPage(watched, { page, pageSize: '500' });
    expect(logs.length).toBe(page === '9' ? 0 : 500);
  }
  expect(Math.max(...asked)).toBeLessThanOrEqual(MERGE_LIMIT);
  expect(agentsOf(...both).named('two')).toBe(both[1]);
});
