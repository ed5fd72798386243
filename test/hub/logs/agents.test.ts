/** The routes of the log, with one agent and with several. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { uniqueLines } from '../../agent/logs/tail/tailing.ts';
import { readEvents } from '../../harness/events.ts';
import { forAllTests } from '../../harness/for-tests.ts';
import { agentsOf, type LogAgent, serveRoutes } from '../../harness/log-agents.ts';
import { ask, signUp, startStack, until } from '../../harness/stack.ts';
import { temporaryAgents } from './temporary-agents.ts';

const ROUTES = ['/logs', '/logs/stats', '/logs/export', '/logs/tail', '/vhosts/activity'];

describe('with one agent', () => {
  const stack = forAllTests(() => startStack());
  let headers: Record<string, string>;
  const call = (path: string) => ask<{ code: string }>(`${stack.hub}${path}`, { headers });

  beforeAll(async () => {
    headers = (await signUp(stack)).headers;
    const json = { domain: 'http://a.example', config: 'respond a' };
    expect((await ask(`${stack.hub}/vhosts`, { json, headers })).status).toBe(201);
    for (const path of ['/1', '/2', '/3']) await stack.served('a.example', path);
    await until(async () => (await call('/logs')).text.includes('"total":3'), 'the requests');
  });

  test.each(ROUTES)('an unknown one is not found: %s', async (route) => {
    const answer = await call(`${route}?agent=nobody`);
    expect([answer.status, answer.body.code]).toEqual([404, 'NOT_FOUND']);
    const long = await call(`${route}?agent=${'x'.repeat(101)}`);
    expect([long.status, long.body.code]).toEqual([400, 'INVALID_REQUEST']);
  });

  test.each(['/logs?', '/logs?page=2&pageSize=2&details=true', '/logs/stats?buckets=3'])(
    'the answer is that of the agent: %s',
    async (path) => {
      const { text } = await ask(`${stack.agent}${path}`, { headers: stack.agentHeaders });
      expect(text).toContain('"/1"');
      for (const agent of ['', '&agent=', '&agent=local']) {
        expect((await call(path + agent)).text).toBe(text);
      }
    },
  );

  test('an export is that of the agent', async () => {
    const { text } = await stack.askAgent('/logs/export');
    const answer = await call('/logs/export?agent=local');
    expect([answer.text, answer.headers.get('x-missing-agents')]).toEqual([text, null]);
  });
});

describe('with several agents', () => {
  const newAgents = temporaryAgents();
  let [one, two] = [] as unknown as [LogAgent, LogAgent];
  let hub: ReturnType<typeof serveRoutes>;

  beforeAll(() => {
    [one, two] = newAgents('one', 'two') as [LogAgent, LogAgent];
    writeFileSync(one.file, uniqueLines('/1', '/2'));
    writeFileSync(two.file, uniqueLines('/3', '/4'));
    hub = serveRoutes(agentsOf(one, two));
  });
  afterAll(() => hub.stop());

  type Page = { logs: { agent?: string; path: string }[]; total: number; missing?: string[] };
  const page = async (query: string) => (await ask<Page>(`${hub.url}/logs?${query}`)).body;
  const listed = ({ logs }: Page) => logs.map(({ agent, path }) => [agent, path]);

  test('a page is of all of them, or of one', async () => {
    expect(listed(await page(''))).toEqual([
      ['two', '/4'],
      ['two', '/3'],
      ['one', '/2'],
      ['one', '/1'],
    ]);
    expect(listed(await page('agent=one'))).toEqual([
      [undefined, '/2'],
      [undefined, '/1'],
    ]);
    expect(await page('page=9')).toEqual({ logs: [], total: 4, page: 9, pageSize: 50 } as never);
    for (const route of ROUTES.slice(0, 4)) {
      expect((await ask(`${hub.url}${route}?agent=three`)).status).toBe(404);
    }
  });

  test('statistics are of all of them, or of one', async () => {
    const requests = async (query: string) =>
      (await ask<{ requests: number }>(`${hub.url}/logs/stats?${query}`)).body.requests;
    expect([await requests(''), await requests('agent=two')]).toEqual([4, 2]);
  });

  test('what cannot be reached is named', async () => {
    await two.stop();
    expect(await page('')).toMatchObject({ total: 2, missing: ['two'] });
    const stats = await ask(`${hub.url}/logs/stats`);
    expect(stats.body).toMatchObject({ requests: 2, missing: ['two'] });
    const exported = await ask(`${hub.url}/logs/export?format=csv`);
    expect(exported.headers.get('x-missing-agents')).toBe('two');
    expect(exported.headers.get('x-total-count')).toBe('2');
    expect(exported.text.match(/,one\r\n/g)?.length).toBe(2);
    expect((await ask(`${hub.url}/logs?agent=two`)).status).toBe(502);
    await one.stop();
    for (const route of ROUTES.slice(0, 4)) {
      const answer = await ask<{ code: string }>(`${hub.url}${route}`);
      expect([answer.status, answer.body.code]).toEqual([502, 'AGENT_UNREACHABLE']);
    }
    for (const agent of [one, two]) agent.start();
    await until(() => one.client.answers(1000), 'the first agent');
    await until(() => two.client.answers(1000), 'the second agent');
  });

  test('a tail continues after the event in the header, or else in the address', async () => {
    const tail = async (query: string, headers = {}) => {
      const response = await fetch(`${hub.url}/logs/tail?${query}`, { headers });
      expect(response.status).toBe(200);
      return readEvents(response.body);
    };
    const events = await tail('');
    let id = '';
    while (!/1:.*2:|2:.*1:/.test(id)) id = (await events.begun())?.id ?? '';
    await events.close();
    const before = id.replaceAll(/-\d+/g, '-0');
    for (const again of [
      await tail(`after=${before}`),
      await tail('', { 'Last-Event-ID': before }),
    ]) {
      const entries = [];
      while (entries.length < 4) entries.push((await again.of('entry'))?.data ?? '');
      const found = entries.map((data) => JSON.parse(data)).map(({ agent, path }) => agent + path);
      expect(found.toSorted()).toEqual(['one/1', 'one/2', 'two/3', 'two/4']);
      await again.close();
    }
    for (const query of ['after=x', 'after=1:x', 'status=x']) {
      expect((await ask(`${hub.url}/logs/tail?${query}`)).status).toBe(400);
    }
    const wrong = { headers: { 'Last-Event-ID': 'x' } };
    expect((await ask(`${hub.url}/logs/tail`, wrong)).status).toBe(400);
  });
});
