import { afterEach, describe, expect, test } from 'bun:test';
import { appendFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Agents } from '../../../src/hub/agents/agents.ts';
import {
  createEventParser,
  openMergedTail,
  type TailPace,
} from '../../../src/hub/logs/merged-tail.ts';
import { createLogReader } from '../../../src/hub/logs/reader.ts';
import { uniqueLines } from '../../agent/logs/tail/tailing.ts';
import { ROLL } from '../../agent/logs/temp.ts';
import { type Events, readEvents, type ServerEvent } from '../../harness/events.ts';
import { agentsOf, type LogAgent } from '../../harness/log-agents.ts';
import { until } from '../../harness/stack.ts';
import { temporaryAgents } from './temporary-agents.ts';

const newAgents = temporaryAgents();
const opened: Events[] = [];
afterEach(async () => {
  for (const events of opened.splice(0)) await events.close();
});

/** Two agents, with a line each. */
function twoAgents(): [LogAgent, LogAgent] {
  const [one, two] = newAgents('one', 'two') as [LogAgent, LogAgent];
  for (const agent of [one, two]) log(agent, '/before');
  return [one, two];
}

const log = ({ file }: LogAgent, ...paths: string[]) => appendFileSync(file, uniqueLines(...paths));

const READER = { mayRead: () => true, ended: () => {} };

async function tail(
  agents: Agents,
  { id = '', query = {}, reader = READER }: { id?: string; query?: object; reader?: object } = {},
): Promise<Events> {
  const stream = await createLogReader(agents).tail(query, id, { ...READER, ...reader });
  const events = readEvents(stream);
  opened.push(events);
  return events;
}

/** Opens a tail that notices quickly what changes. */
async function quickTail(agents: Agents, pace: Partial<TailPace>, reader = READER) {
  const quick = { heartbeat: 15_000, retry: 1_000, ...pace };
  const events = readEvents(await openMergedTail(agents, {}, new Map(), reader, quick));
  opened.push(events);
  return events;
}

const saying = (event: ServerEvent | undefined) => {
  const { agent, path, missed } = JSON.parse(event?.data ?? '{}');
  return [agent, path ?? missed];
};

/** Reads up to the first id that says where each of the agents is. @returns all events up to there */
async function begun(events: Events, agents: readonly LogAgent[]): Promise<ServerEvent[]> {
  const read: ServerEvent[] = [];
  for (;;) {
    const event = await events.next();
    if (!event) throw new Error('the tail has ended');
    read.push(event);
    if (agents.every(({ id }) => `,${event.id ?? ''}`.includes(`,${id}:`))) return read;
  }
}

describe('a tail of several agents is refused', () => {
  test.each(['x', '6b0c4b7d1f6a9e35', '0:6b0c4b7d1f6a9e35-1', '1:6b0c4b7d1f6a9e35-1,', ',', '1:x'])(
    'after the event %p',
    async (id) => {
      const agents = agentsOf(...newAgents('one', 'two'));
      let ended = 0;
      expect(tail(agents, { id, reader: { ended: () => ended++ } })).rejects.toMatchObject({
        code: 'INVALID_REQUEST',
      });
      await until(() => ended === 1, 'its end');
    },
  );

  test('for a query that the agents refuse, and if none can be reached', async () => {
    const both = twoAgents();
    const agents = agentsOf(...both);
    expect(tail(agents, { query: { from: 'now' } })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    });
    for (const agent of both) await agent.stop();
    expect(tail(agents)).rejects.toMatchObject({ code: 'AGENT_UNREACHABLE' });
    for (const agent of both) agent.start();
  });
});

describe('a tail of several agents', () => {
  test('has what each of them logs, with its name, and resumes after an event', async () => {
    const [one, two] = twoAgents();
    const agents = agentsOf(one, two);
    const events = await tail(agents, { query: { path: '/w' } });
    await begun(events, [one, two]);
    log(one, '/not', '/w1');
    const first = await events.of('entry');
    log(two, '/w2');
    const second = await events.of('entry');
    expect([saying(first), saying(second)]).toEqual([
      ['one', '/w1'],
      ['two', '/w2'],
    ]);
    expect(second?.id).toMatch(/^[12]:[0-9a-f]{16}-\d+,[12]:[0-9a-f]{16}-\d+$/);

    await events.close();
    log(one, '/w3');
    log(two, '/w4');
    const later = await tail(agents, { id: second?.id ?? '' });
    const rest = [saying(await later.of('entry')), saying(await later.of('entry'))];
    expect(rest.toSorted()).toEqual([
      ['one', '/w3'],
      ['two', '/w4'],
    ]);
    // Also of a single agent, which is told only its own position.
    const alone = await tail(agentsOf(two), { id: second?.id ?? '' });
    expect(saying(await alone.of('entry'))).toEqual([undefined, '/w4']);
    const named = await tail(agents, { id: second?.id ?? '', query: { agent: 'one' } });
    expect(saying(await named.of('entry'))).toEqual([undefined, '/w3']);
  });

  test('continues the first agent after an event of a single one', async () => {
    const [one, two] = twoAgents();
    const alone = await tail(agentsOf(one));
    const { id = '' } = (await alone.begun()) ?? {};
    expect(id).toMatch(/^[0-9a-f]{16}-\d+$/);
    log(one, '/missed');
    const events = await tail(agentsOf(one, two), { id });
    const first = await begun(events, [one, two]);
    log(two, '/later');
    const later = first.some(({ event }) => event === 'entry') ? [] : [await events.of('entry')];
    const entries = [...first, ...later, await events.of('entry')].filter((one) => one?.event);
    // In the order in which they arrive.
    expect(entries.map(saying).toSorted()).toEqual([
      ['one', '/missed'],
      ['two', '/later'],
    ]);
  });

  test('goes on while an agent is away, and gets what it logged when it is back', async () => {
    const [one, two] = twoAgents();
    const events = await quickTail(agentsOf(one, two), { retry: 10 });
    await begun(events, [one, two]);
    await two.stop();
    log(two, '/away');
    log(one, '/here');
    expect(saying(await events.of('entry'))).toEqual(['one', '/here']);
    two.start();
    const back = await events.of('entry');
    expect(saying(back)).toEqual(['two', '/away']);
    expect(back?.id).toContain('1:');
  });

  test('begins without an agent that is away, and is joined by it', async () => {
    const [one, two] = twoAgents();
    await two.stop();
    const events = await quickTail(agentsOf(one, two), { retry: 10 });
    await begun(events, [one]);
    two.start();
    await begun(events, [one, two]);
    log(two, '/joined');
    expect(saying(await events.of('entry'))).toEqual(['two', '/joined']);
  });

  test('has a gap if what an agent logged while it was away is gone', async () => {
    const [one, two] = twoAgents();
    const events = await quickTail(agentsOf(one, two), { retry: 10 });
    await begun(events, [one, two]);
    await two.stop();
    log(two, '/lost');
    const roll = join(dirname(two.file), ROLL);
    renameSync(two.file, roll);
    log(two, '/kept');
    rmSync(roll);
    two.start();
    expect(saying(await events.of('gap'))).toEqual(['two', null]);
  });

  test('sends comments while nothing is logged', async () => {
    const events = await quickTail(agentsOf(...twoAgents()), { heartbeat: 20 });
    for (let comments = 0; comments < 3; ) {
      if ((await events.next())?.comment === 'still here') comments++;
    }
  });

  test('ends with the session, when the agents are others, and when the hub stops', async () => {
    const [one, two] = twoAgents();
    const isOver = async (events: Events) => {
      while (await events.next());
      return true;
    };
    let mayRead = true;
    let ended = 0;
    const reader = { mayRead: () => mayRead, ended: () => void ended++ };
    const signedOut = await quickTail(agentsOf(one, two), { heartbeat: 20 }, reader);
    mayRead = false;
    expect(await isOver(signedOut)).toBe(true);
    expect(ended).toBeGreaterThan(0);

    const list = [one, two];
    const agents = { ...agentsOf(one, two), all: () => list };
    const changed = await quickTail(agents, { heartbeat: 20 });
    list.pop();
    expect(await isOver(changed)).toBe(true);

    const stopped = await tail(agentsOf(one, two));
    await begun(stopped, [one, two]);
    const over = isOver(stopped);
    one.client.endStreams();
    expect(await over).toBe(true);
    // The agents lose their readers, too.
    await until(() => one.logs.counts().tails + two.logs.counts().tails === 0, 'their ends');
  });
});

test('events are found in whatever pieces they come', () => {
  const text = 'retry: 1000\n\nid: a-1\n\n: still here\n\nid: a-2\nevent: entry\ndata: {"é":1}\n\n';
  const bytes = new TextEncoder().encode(text);
  const expected = [{}, { id: 'a-1' }, {}, { id: 'a-2', event: 'entry', data: '{"é":1}' }];
  for (const size of [1, 2, 7, bytes.length]) {
    const parse = createEventParser();
    const found = [];
    for (let at = 0; at < bytes.length; at += size)
      found.push(...parse(bytes.slice(at, at + size)));
    expect(found).toEqual(expected);
  }
});
