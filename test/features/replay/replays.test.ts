/** Replays of several agents, as one. The agents are stand-ins: each says what it is to have found. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { createReplays, type Replays } from '../../../src/features/replay/replays.ts';
import {
  END,
  type ReplayGroup,
  type ReplayRequest,
  type ReplayState,
} from '../../../src/features/replay/wire.ts';
import type { AgentClient } from '../../../src/hub/agents/client.ts';
import { type OpenDatabase, openDatabase } from '../../../src/hub/db/open.ts';
import {
  createAgentChange,
  deleteAgentChange,
  updateAgentChange,
} from '../../../src/hub/model/agent-changes.ts';
import { type Change, sequence } from '../../../src/hub/model/changes.ts';
import { createPolicy, updatePolicy } from '../../../src/hub/model/operation.ts';
import { agentPreambleChange, preambleChange } from '../../../src/hub/model/preamble-changes.ts';
import { createStore } from '../../../src/hub/model/store.ts';
import {
  createChange,
  deleteChange,
  toggleChange,
  updateChange,
} from '../../../src/hub/model/vhost-changes.ts';
import { PACE } from '../../../src/hub/pace.ts';
import { createPublisher, type Publisher } from '../../../src/hub/publish/publisher.ts';
import { Failure } from '../../../src/shared/failure.ts';
import { temporaryFolder } from '../../harness/stack.ts';

const AUTHOR = { userId: '', userName: '', via: null };
const unreachable = () => new Failure('AGENT_UNREACHABLE', 'The agent does not answer.');

/** An agent that stands in for one. */
function standIn() {
  const agent = {
    version: '2.6.2',
    /** What it is asked to compare, or made live. */
    asked: [] as ReplayRequest[],
    lives: [] as string[],
    ended: [] as string[],
    validated: 0,
    looks: 0,
    refuses: null as Failure | null,
    rejects: null as Failure | null,
    state: (): ReplayState => state(),
  };
  const client = {
    status: async () => ({ proxy: { running: true, version: agent.version }, foreign: false }),
    answers: async () => true,
    isSilent: () => false,
    async validate() {
      agent.validated++;
      if (agent.rejects) throw agent.rejects;
      return {};
    },
    async reload(text: string) {
      agent.lives.push(text);
      return {};
    },
    async send(call: object, body: ReplayRequest & { id: string }) {
      if (call === END) return void agent.ended.push(body.id);
      if (agent.refuses) throw agent.refuses;
      agent.asked.push(body);
      return { id: `${agent.asked.length}` };
    },
    async ask() {
      agent.looks++;
      return agent.state();
    },
  };
  return { agent, client: client as unknown as AgentClient };
}
type Agent = ReturnType<typeof standIn>['agent'];

const state = (more: Partial<ReplayState> = {}): ReplayState => ({
  state: 'done',
  done: 10,
  of: 10,
  same: 10,
  differ: 0,
  groups: [],
  leftOut: [],
  ...more,
});
const reply = (status: number) => ({ status, to: null, location: null });
const group = (domain: string): ReplayGroup => ({
  domain,
  requests: 1,
  count: 3,
  visitors: 1,
  examples: [],
  before: reply(200),
  after: reply(403),
});

let folder: string;
let database: OpenDatabase;
let publisher: Publisher;
let replays: Replays;
let local: Agent;
let vps: Agent;
let time: Date;
const apply = async (change: Change<unknown> | Promise<Change<unknown>>) =>
  publisher.apply(await change, AUTHOR);
const site = (domain: string, more: object = {}) =>
  createChange({ domain, config: 'respond hi', ...more });
const { start, end, find } = {
  start: (change: Change<unknown>, options = {}) => replays.start(change, options),
  find: (id: string) => replays.state(id),
  end: (id: string) => replays.end(id),
};
const hosts = (agent = local) => agent.asked.map((request) => request.hosts);

beforeEach(async () => {
  folder = temporaryFolder();
  database = openDatabase(folder);
  time = new Date();
  const agents = [standIn(), standIn()];
  [local, vps] = agents.map(({ agent }) => agent) as [Agent, Agent];
  publisher = createPublisher({
    pace: PACE,
    store: createStore(database),
    now: () => time,
    log: () => {},
    connect: ({ id }) => agents[id - 1]?.client as AgentClient,
  });
  replays = createReplays({ publisher, now: () => time });
  await apply(site('a.example'));
  await apply(site('http://b.example:8080'));
});
afterEach(async () => {
  await replays.stop();
  await publisher.end();
  database.close();
  rmSync(folder, { recursive: true, force: true });
});
const addVps = async () => {
  const known = { url: 'https://vps', fingerprint: 'f' };
  await apply(createAgentChange({ id: 2, name: 'vps', ...known }));
  await publisher.reconcile(2).catch(() => undefined);
};

describe('what an agent is asked', () => {
  test('is what would be published, and nothing goes live', async () => {
    const change = updateChange(1, { config: 'respond other' });
    const before = local.lives.length;
    await start(change, { days: 3, requests: 500, signedIn: true });
    expect(local.lives.length).toBe(before);
    await apply(change);
    const { proxyfile, ...rest } = local.asked[0] as ReplayRequest;
    expect(proxyfile).toContain('respond other');
    expect(proxyfile).toBe(local.lives.at(-1) ?? '');
    expect(rest).toEqual({ hosts: ['a.example'], days: 3, requests: 500, signedIn: true });
    await start(deleteChange(1));
    expect(local.asked[1]).toMatchObject({ days: 7, requests: 20_000 });
    expect(local.asked[1]?.proxyfile).not.toContain('a.example');
  });

  test('names the sites of the change, before and after', async () => {
    const asks = async (change: Change<unknown> | Promise<Change<unknown>>) => {
      const { length } = local.asked;
      await start(await change);
      return local.asked.length > length ? local.asked.at(-1)?.hosts : 'nobody';
    };
    const closed = { name: 'closed', recipe: 'block', values: { networks: ['203.0.113.7'] } };
    const policy = await apply(createPolicy(closed));
    expect(await asks(updateChange(1, { domain: 'https://C.example' }))).toEqual([
      'a.example',
      'c.example',
    ]);
    expect(await asks(toggleChange(2))).toEqual(['b.example']);
    const block = 'www.d.example, *.d.example:8443, http://[2001:DB8::1] {\n\trespond d\n}';
    expect(await asks(createChange({ domain: 'www.d.example', config: block }))).toEqual([
      '*.d.example',
      '2001:db8::1',
      'www.d.example',
    ]);
    expect(await asks(sequence<unknown>([deleteChange(1), deleteChange(2)]))).toEqual([
      'a.example',
      'b.example',
    ]);
    expect(await asks(preambleChange('{\n\temail a@example.org\n}'))).toBeNull();
    for (const address of [':8081', 'http://', '*:8081', '{$NAME:e.example}']) {
      const config = `${address} {\n\trespond all\n}`;
      expect([address, await asks(createChange({ domain: address, config }))]).toEqual([
        address,
        null,
      ]);
    }
    // A site that is off before and after.
    await apply(toggleChange(2));
    expect(await asks(updateChange(2, { config: 'respond off' }))).toBe('nobody');
    expect(await asks(updateChange(1, { tags: ['seen'] }))).toBe('nobody');
    expect(await asks(updateChange(1, { config: 'respond hi' }))).toBe('nobody');
    const { id } = policy.result as { id: number };
    const change = () => updatePolicy(publisher.current(), id, { everywhere: true });
    await apply(updateChange(1, { except: ['closed'] }));
    await apply(toggleChange(2));
    expect(await asks(change())).toEqual(['b.example']);
    await apply(change());
    const own = () => updatePolicy(publisher.current(), id, { everywhere: false });
    expect(await asks(own())).toEqual(['b.example']);
  });

  test('is nothing if no visitor can notice: then it is done at once', async () => {
    const id = await start(updateChange(1, { tags: ['seen'] }));
    expect(await find(id)).toEqual(state({ done: 0, of: 0, same: 0 }));
    expect([local.asked, local.looks]).toEqual([[], 0]);
  });

  test('is nothing if the change is refused', async () => {
    local.rejects = new Failure('PROXY_REJECTED', 'refused', { at: { line: 2 } });
    await expect(start(updateChange(1, { config: 'respond "' }))).rejects.toMatchObject({
      code: 'PROXY_REJECTED',
    });
    await expect(start(deleteChange(99))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const unknown = start(deleteChange(1), { agent: 'nobody' });
    await expect(unknown).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(local.asked).toEqual([]);
  });
});

describe('of several agents', () => {
  beforeEach(addVps);

  test('each compares its own part', async () => {
    const config = '{\n\thttp_port 8000\n}';
    await apply(agentPreambleChange('vps', config));
    await apply(site('far.example', { agents: ['vps'] }));
    const far = updateChange(3, { config: 'respond farther' });
    await start(far);
    expect([hosts(), hosts(vps)]).toEqual([[], [['far.example']]]);
    expect(vps.asked[0]?.proxyfile).toContain('http_port 8000');
    await start(sequence<unknown>([far, updateChange(1, { config: 'respond near' })]));
    expect(hosts()).toEqual([['a.example']]);
    expect(vps.asked[1]?.hosts).toEqual(['a.example', 'far.example']);
    expect(local.asked[0]?.proxyfile).not.toContain('far.example');
    await start(updateChange(1, { config: 'respond near' }), { agent: 'vps' });
    expect([local.asked.length, vps.asked.length]).toEqual([1, 3]);
  });

  test('the numbers are added up, and a group names its agent', async () => {
    const leftOut = (count: number) => [{ reason: 'websockets', count }];
    local.state = () =>
      state({ groups: [group('a'), group('b')], same: 8, differ: 2, leftOut: leftOut(4) });
    vps.state = () =>
      state({
        state: 'running',
        groups: [group('c')],
        done: 3,
        same: 2,
        differ: 1,
        leftOut: leftOut(5),
      });
    const id = await start(deleteChange(1));
    expect([local.looks, vps.looks]).toEqual([0, 0]);
    const found = await find(id);
    expect(found).toMatchObject({ state: 'running', done: 13, of: 20, same: 10, differ: 3 });
    expect(found.groups.map(({ domain, agent }) => [domain, agent])).toEqual([
      ['a', 'local'],
      ['c', 'vps'],
      ['b', 'local'],
    ]);
    expect(found.leftOut).toEqual(leftOut(9));
    vps.state = () => state();
    expect(await find(id)).toMatchObject({ state: 'done', done: 20, of: 20 });
    // What has ended is not asked again.
    await find(id);
    expect([local.looks, vps.looks]).toEqual([1, 2]);
  });

  test('one that cannot begin is named, and does not spoil the others', async () => {
    vps.refuses = unreachable();
    const id = await start(deleteChange(1));
    expect(await find(id)).toEqual(
      state({ leftOut: [{ reason: 'vps: The agent does not answer.', count: 0 }] }),
    );
    local.refuses = new Failure('AGENT_UNREACHABLE', 'The agent is too old.');
    await expect(start(deleteChange(1))).rejects.toMatchObject({ code: 'AGENT_UNREACHABLE' });
  });

  test('one that is paused is named', async () => {
    await apply(updateAgentChange('vps', { paused: true }));
    const { leftOut } = await find(await start(deleteChange(1)));
    expect(leftOut).toEqual([{ reason: 'vps: The agent is paused; resume it first.', count: 0 }]);
    expect(vps.asked).toEqual([]);
    const paused = start(deleteChange(1), { agent: 'vps' });
    await expect(paused).rejects.toMatchObject({ code: 'AGENT_UNREACHABLE' });
  });

  test('one that fails later keeps what it found; only if all fail has the replay failed', async () => {
    const id = await start(deleteChange(1));
    vps.state = () =>
      state({ state: 'running', done: 4, same: 3, differ: 1, groups: [group('c')] });
    await find(id);
    vps.state = () => {
      throw new Failure('NOT_FOUND', 'The agent no longer has it.');
    };
    const found = await find(id);
    expect(found).toMatchObject({ state: 'done', done: 14, of: 14, same: 13, differ: 1 });
    expect(found.leftOut).toEqual([{ reason: 'vps: The agent no longer has it.', count: 0 }]);
    expect(found.groups).toMatchObject([{ domain: 'c', agent: 'vps' }]);
    local.state = () => state({ state: 'failed', detail: 'The machine is short of memory.' });
    const failed = await find(await start(deleteChange(1)));
    expect(failed).toMatchObject({ state: 'failed', leftOut: [] });
    expect(failed.detail).toBe(
      'local: The machine is short of memory. vps: The agent no longer has it.',
    );
  });

  test('while one runs there, none begins anywhere', async () => {
    vps.refuses = new Failure('RATE_LIMITED', 'Another replay is running.');
    const failure = await start(deleteChange(1)).catch((error) => error);
    expect(failure).toMatchObject({ code: 'RATE_LIMITED', retryAfter: expect.any(Number) });
    expect(local.ended).toEqual(['1']);
  });

  test('one that was removed is no longer named', async () => {
    const id = await start(deleteChange(1));
    await apply(deleteAgentChange('vps'));
    expect(await find(id)).toMatchObject({ state: 'done', done: 20 });
  });
});

describe('a replay', () => {
  const isGone = (id: string) => expect(find(id)).rejects.toMatchObject({ code: 'NOT_FOUND' });

  test('has an id that nobody can guess', async () => {
    const ids = await Promise.all([start(deleteChange(1)), start(deleteChange(1))]);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(ids[0]).not.toBe(ids[1]);
    await isGone('1');
  });

  test('that is ended is forgotten, here and there', async () => {
    const id = await start(deleteChange(1));
    await end(id);
    expect(local.ended).toEqual(['1']);
    await isGone(id);
    await expect(end(id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('can be read for ten minutes after it ended', async () => {
    const id = await start(deleteChange(1));
    const later = (minutes: number) => (time = new Date(time.getTime() + minutes * 60_000));
    later(0.5);
    await find(id);
    later(9.9);
    await find(id);
    later(0.2);
    await isGone(id);
  });

  test('is forgotten if many others come', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 11; i++) ids.push(await start(deleteChange(1)));
    const [oldest = '', next = ''] = ids;
    await isGone(oldest);
    expect((await find(next)).state).toBe('done');
    expect(local.ended).toEqual(['1']);
  });

  test('ends when the hub stops, and none begins from then on', async () => {
    await start(deleteChange(1));
    await replays.stop();
    expect(local.ended).toEqual(['1']);
    await expect(start(deleteChange(1))).rejects.toMatchObject({ code: 'STOPPING' });
  });
});
