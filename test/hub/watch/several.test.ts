/** The state over several agents: the worst where there is one answer, and whose it is. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { type AgentSeen, startFleet } from '../../harness/fleet.ts';
import { forFile } from '../../harness/for-file.ts';
import { holdPort80 } from '../../harness/listeners.ts';
import { freePort, until } from '../../harness/stack.ts';

type Warning = { code: string; message: string };
type Problem = { code: string; level: string; since: string; agents?: string[]; message: string };
type Status = {
  agent: { reachable: boolean; latencyMs: number | null };
  proxy: { running: boolean };
  agents: AgentSeen[];
  inStep: boolean;
  serving: { http: { blocked?: boolean; reason?: string } };
  problems: Problem[];
  warnings: string[];
};
type State = {
  id: number;
  addresses: { port: number; served: boolean }[];
  warnings: Warning[];
  agents?: { name: string; warnings: Warning[] }[];
  missing?: string[];
};
type Refusal = { code: string; message: string };
type Certificate = { agent?: string; name: string; port: number };

const fleet = await forFile(startFleet(['twin', 'vps']));

const ALL = ['local', 'twin', 'vps'];
const get = <T>(path: string) => fleet.call<T>('GET', path);
const create = async (host: string, config: string, more: object = {}) =>
  (await fleet.call<State>('POST', '/vhosts', { domain: host, config, ...more })).body;
const status = async () => (await get<Status>('/status')).body;
const problem = async (code: string) => (await status()).problems.find((one) => one.code === code);

describe('a question is refused', () => {
  test.each([
    ['GET', '/vhosts/state?agent=nobody', 404],
    ['GET', '/vhosts/1/state?agent=nobody', 404],
    ['GET', '/certificates?agent=nobody', 404],
    ['GET', '/certificates/root?agent=nobody', 404],
    ['POST', '/ports/standard?agent=nobody', 404],
  ])('%s %s', async (method, path, code) => {
    expect((await fleet.call(method, path)).status).toBe(code);
  });

  test('about a draft that is placed on an agent that is none', async () => {
    const draft = { domain: 'a.example', config: 'respond a', agents: ['nobody'] };
    const answer = await fleet.call<{ field: string }>('POST', '/certificates/advice', draft);
    expect([answer.status, answer.body.field]).toEqual([400, 'agents']);
  });

  test('about a vhost on an agent that it is not placed on', async () => {
    const { id } = await create('http://elsewhere.example', 'respond a', { agents: ['vps'] });
    expect((await get(`/vhosts/${id}/state?agent=twin`)).status).toBe(404);
    const names = async (agent: string) =>
      (await get<State[]>(`/vhosts/state?agent=${agent}`)).body.map((one) => one.id);
    expect(await names('twin')).not.toContain(id);
    expect(await names('vps')).toContain(id);
  });
});

describe('if all agents answer', () => {
  test('the status has them, and a change leaves them in step', async () => {
    for (const name of ALL) await fleet.untilState(name, 'in-step');
    await create('http://one.example', 'respond one');
    const found = await status();
    expect(found).toMatchObject({ inStep: true, agent: { reachable: true } });
    expect(found.agents.map(({ name, state }) => [name, state])).toEqual(
      ALL.map((name) => [name, 'in-step']),
    );
    const unmeasured = (all: AgentSeen[]) => all.map((one) => ({ ...one, latencyMs: null }));
    expect(unmeasured(found.agents)).toEqual(unmeasured(await fleet.agents()));
    expect(found.problems.filter(({ level }) => level === 'bad')).toEqual([]);
  });

  test('a warning says which of them it is about', async () => {
    const upstream = `127.0.0.1:${freePort()}`;
    const words = `${upstream} does not answer: connection refused`;
    const everywhere = await create('http://down.example', 'reverse_proxy {upstream}', {
      upstream,
    });
    const message = `local, twin and vps: ${words}`;
    expect(everywhere.warnings).toEqual([{ code: 'UPSTREAM_DOWN', message }]);
    const config = 'reverse_proxy {upstream}';
    const there = await create('http://there.example', config, { upstream, agents: ['vps'] });
    expect(there.warnings).toEqual([{ code: 'UPSTREAM_DOWN', message: `vps: ${words}` }]);

    const state = (await get<State>(`/vhosts/${everywhere.id}/state`)).body;
    expect(state.warnings).toEqual(everywhere.warnings);
    expect(state.agents?.map(({ name, warnings }) => [name, warnings])).toEqual(
      ALL.map((name) => [name, [{ code: 'UPSTREAM_DOWN', message: words }]]),
    );
    const { missing, addresses } = state;
    expect([missing, addresses.every(({ served }) => served)]).toEqual([undefined, true]);
    const own = (await get<State>(`/vhosts/${everywhere.id}/state?agent=twin`)).body;
    expect([own.agents, own.warnings[0]?.message]).toEqual([undefined, words]);
  });

  test('certificates are those of each', async () => {
    await create('secure.example', 'tls internal\nrespond secure');
    const found = await until(async () => {
      const { body } = await get<Certificate[]>('/certificates');
      return body.length === ALL.length && body;
    }, 'a certificate on each');
    expect(found.map(({ agent, name }) => [agent, name])).toEqual(
      ALL.map((agent) => [agent, 'secure.example']),
    );
    expect(new Set(found.map(({ port }) => port)).size).toBe(ALL.length);
    const [only, ...others] = (await get<Certificate[]>('/certificates?agent=vps')).body;
    expect([only?.name, only?.agent, others]).toEqual(['secure.example', undefined, []]);
    const roots = ALL.map(async (name) => (await get(`/certificates/root?agent=${name}`)).text);
    expect(new Set(await Promise.all(roots)).size).toBe(ALL.length);
  });

  test.each([
    ['', /: local: 80 is (held|forbidden)/],
    ['?agent=vps', /: 80 is (held|forbidden)/],
  ])('the way to port 80 is closed where something is in it: %s', async (query, words) => {
    const held = holdPort80();
    const moved = await fleet.call<Refusal>('POST', `/ports/standard${query}`);
    // On a busy machine nothing may be known of an agent just then.
    const { reason } = await until(async () => {
      const { http } = (await status()).serving;
      return http.blocked && http;
    }, 'what is in the way');
    held?.stop(true);
    expect([moved.status, moved.body.code]).toEqual([409, 'PORT_UNAVAILABLE']);
    expect(moved.body.message).toMatch(words);
    expect(reason).toMatch(/^local: 80/);
  });
});

describe('if one of them does not answer', () => {
  let id: number;
  let gone: number;
  beforeAll(async () => {
    id = (await create('http://only.example', 'respond only', { agents: ['twin'] })).id;
    gone = (await create('http://gone.example', 'respond gone')).id;
    await fleet.other('twin').stopOnly();
    await fleet.untilState('twin', 'unreachable');
  });

  test('the status says who, and that its proxy goes on', async () => {
    expect(await status()).toMatchObject({
      agent: { reachable: false, latencyMs: null },
      proxy: { running: false },
      inStep: false,
    });
    const message =
      'twin: The agent does not answer. Until it returns, its Caddy keeps its current sites.';
    expect(await problem('AGENT_UNREACHABLE')).toMatchObject({
      level: 'bad',
      agents: ['twin'],
      message,
    });
  });

  test('the status says what its proxy still serves, and since when it does not answer', async () => {
    const from = new Date().toISOString();
    const deleted = await fleet.call<{ behind: string[] }>('DELETE', `/vhosts/${gone}`);
    expect(deleted.body.behind).toEqual(['twin']);
    const message =
      'twin: The agent does not answer. Its Caddy lacks changes: it still serves deleted sites and ignores new policies.';
    const { since } = await until(async () => {
      const found = await problem('AGENT_UNREACHABLE');
      return found?.message === message && found;
    }, message);
    expect((since ?? from) < from).toBe(true);
    expect(await fleet.served('vps', 'gone.example')).toBe('');
  });

  test('it is left out of what the others say, and named', async () => {
    const { body } = await get<State[]>('/vhosts/state');
    const only = body.find((one) => one.id === id);
    expect(only).toMatchObject({ missing: ['twin'], downOn: ['twin'], addresses: [], agents: [] });
    expect(body.filter(({ missing }) => missing === undefined).length).toBeGreaterThan(0);
    const certificates = await get<Certificate[]>('/certificates');
    expect(certificates.body.map(({ agent }) => agent)).toEqual(['local', 'vps']);
    expect(certificates.headers.get('x-missing-agents')).toBe('twin');
  });

  test.each(['/vhosts/state?agent=twin', '/certificates?agent=twin'])(
    'nobody else answers for it: %s',
    async (path) => {
      const { status: code, body } = await get<{ code: string }>(path);
      expect([code, body.code]).toEqual([502, 'AGENT_UNREACHABLE']);
    },
  );

  test('nor for a vhost that is placed on it alone', async () => {
    expect((await get(`/vhosts/${id}/state`)).status).toBe(502);
  });

  test('once it is back, there is no problem any more', async () => {
    await fleet.other('twin').restart();
    await fleet.untilState('twin', 'in-step');
    expect(await problem('AGENT_UNREACHABLE')).toBeUndefined();
    expect(await status()).toMatchObject({ inStep: true, agent: { reachable: true } });
    expect(await fleet.served('twin', 'gone.example')).toBe('');
  });
});

test('one that is paused is named if it lacks a change', async () => {
  await fleet.call('PATCH', '/agents/vps', { paused: true });
  expect(await problem('NOT_IN_STEP')).toBeUndefined();
  await create('http://paused.example', 'respond paused');
  // On a busy machine nothing may be known of the agent just then.
  expect(await until(() => problem('NOT_IN_STEP'), 'the problem')).toMatchObject({
    level: 'warn',
    agents: ['vps'],
    message: expect.stringMatching(/^vps: The agent is paused\. Its Caddy lacks changes: /),
  });
  await fleet.call('PATCH', '/agents/vps', { paused: false });
  await fleet.untilState('vps', 'in-step');
  expect(await problem('NOT_IN_STEP')).toBeUndefined();
});
