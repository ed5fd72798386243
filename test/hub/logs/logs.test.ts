import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { appendFileSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { ask, type Stack, signUp, startStack, until } from '../../harness/stack.ts';

type Page = {
  logs: { domain: string; path: string; status: number; timestamp: string; ip: string }[];
  total: number;
  page: number;
  pageSize: number;
};

let stack: Stack;
let headers: Record<string, string>;
const logs = async (query = '') => (await ask<Page>(`${stack.hub}/logs${query}`, { headers })).body;
/** Caddy logs a request after it has sent the response. */
const settled = (query: string, total: number) =>
  until(async () => (await logs(query)).total === total, `total ${total} of ${query}`);

beforeAll(async () => {
  stack = await startStack({ ACCESS_LOG_ROLL_MB: '1', ACCESS_LOG_KEEP: '20' });
  headers = (await signUp(stack)).headers;
  for (const [domain, config] of [
    ['http://one.example', 'respond /missing 404\nrespond one'],
    ['http://two.example', 'respond two'],
    ['http://quiet.example', 'skip_log\nrespond quiet'],
    ['http://xn--bcher-kva.example', 'log {\n\toutput discard\n}\nrespond books'],
  ]) {
    const answer = await ask(`${stack.hub}/vhosts`, { json: { domain, config }, headers });
    if (answer.status !== 201) throw new Error(answer.text);
  }
});
afterAll(() => stack.stop());

describe('an invalid query', () => {
  // All of them: see test/agent/logs/answers.
  test.each([
    'page=0',
    'pageSize=501',
    'status=6xx',
    'ip=10.0.0.1/8',
    'to=2026-02-30',
    `userAgent=${'x'.repeat(1025)}`,
  ])('%s is 400 at hub and agent', async (query) => {
    for (const [url, init] of [
      [`${stack.hub}/logs?${query}`, { headers }],
      [`${stack.agent}/logs?${query}`, { headers: stack.agentHeaders }],
    ] as const) {
      const answer = await ask<{ code: string }>(url, init);
      expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_REQUEST']);
    }
  });
});

describe('statistics', () => {
  test.each(['buckets=0', 'buckets=501', 'from=now', 'to=2026-02-30', 'status=6xx', 'ip=::/0'])(
    '%s is 400',
    async (query) => {
      for (const [url, init] of [
        [`${stack.hub}/logs/stats?${query}`, { headers }],
        [`${stack.agent}/logs/stats?${query}`, { headers: stack.agentHeaders }],
      ] as const) {
        const answer = await ask<{ code: string }>(url, init);
        expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_REQUEST']);
      }
    },
  );
});

describe('the access log', () => {
  test('is listed newest first, by domain and status, without what a site skips', async () => {
    await stack.served('one.example', '/a?secret=1');
    await stack.served('One.Example:80', '/missing');
    await stack.served('quiet.example');
    await stack.served('xn--bcher-kva.example');
    await stack.served('unknown.example');
    await settled('', 4);
    const all = await logs();
    expect(all.logs.map(({ domain, path, status }) => [domain, path, status])).toEqual([
      ['unknown.example', '/', 0],
      ['xn--bcher-kva.example', '/', 200],
      ['one.example', '/missing', 404],
      ['one.example', '/a', 200],
    ]);
    expect(JSON.stringify(all)).not.toContain('secret');
    expect((await logs('?domain=ONE.example')).total).toBe(2);
    expect((await logs('?domain=one.example&status=404')).total).toBe(1);
    expect((await logs('?domain=b%C3%BCcher.example')).total).toBe(1);
    expect((await logs('?status=0')).total).toBe(1);
    expect((await logs('?domain=quiet.example')).total).toBe(0);
    expect((await logs('?status=4xx&q=iss&path=/m&method=get&ip=127.0.0.1')).total).toBe(1);
    expect((await logs('?status=&q=&path=&method=&ip=&userAgent=&from=&to=')).total).toBe(4);
    expect((await logs('?userAgent=nobody')).total).toBe(0);
    expect((await logs(`?userAgent=BUN/${Bun.version}`)).total).toBe(4);
    const newest = all.logs[0]?.timestamp ?? '';
    const isNewest = ({ timestamp }: { timestamp: string }) => timestamp >= newest;
    expect((await logs(`?from=${newest}`)).logs).toEqual(all.logs.filter(isNewest));
    const older = all.logs.filter((entry) => !isNewest(entry));
    expect((await logs(`?to=${newest}`)).logs).toEqual(older);
    expect(await logs('?page=7&pageSize=2')).toEqual({ logs: [], total: 4, page: 7, pageSize: 2 });
    expect((await logs('?page=2&pageSize=3')).logs.length).toBe(1);
  });

  test('is counted', async () => {
    type Stats = { requests: number; domains: unknown[]; buckets: { p50: number }[] };
    const url = `${stack.hub}/logs/stats?domain=one.example&buckets=1&from=&to=`;
    const { body } = await ask<Stats>(url, { headers });
    expect(body.requests).toBe(2);
    expect(body.domains).toEqual([{ domain: 'one.example', requests: 2 }]);
    expect(body.buckets).toMatchObject([{ requests: { '2xx': 1, '4xx': 1, other: 0 } }]);
    expect(body.buckets[0]?.p50).toBeGreaterThan(0);
    const filtered = await ask<Stats>(`${url}&path=/miss&status=4xx&userAgent=bun/`, { headers });
    expect(filtered.body.requests).toBe(1);
  });

  test('ignores lines that are not access entries', async () => {
    const { total } = await logs();
    appendFileSync(
      stack.accessLog,
      'plain text\n{"level":"info","msg":"x"}\n{"cut":\n\n{"status":200}\n[1]\nnull\n{"request":{},"sta',
    );
    expect((await logs()).total).toBe(total);
    appendFileSync(stack.accessLog, '\n');
    await stack.served('one.example', '/after');
    await settled('', total + 1);
    expect((await logs()).logs[0]?.path).toBe('/after');
  });

  test('is complete while the log rolls again and again', async () => {
    const before = (await logs('?domain=two.example')).total;
    const path = `/${'x'.repeat(5_000)}`;
    const ROUNDS = 24;
    const AT_ONCE = 25;
    let seen = before;
    for (let round = 0; round < ROUNDS; round++) {
      await Promise.all(
        Array.from({ length: AT_ONCE }, () => stack.served('two.example', `${path}${round}`)),
      );
      const { total } = await logs('?domain=two.example&pageSize=1');
      expect(total).toBeGreaterThanOrEqual(seen);
      seen = total;
    }
    await settled('?domain=two.example', before + ROUNDS * AT_ONCE);
    const names = readdirSync(dirname(stack.accessLog));
    expect(names.filter((name) => /^access-.*\.log(\.zst)?$/.test(name)).length).toBeGreaterThan(2);
    const pages = await Promise.all(
      [1, 2].map((page) => logs(`?domain=two.example&pageSize=400&page=${page}`)),
    );
    const rounds = pages
      .flatMap((page) => page.logs)
      .map((entry) => Number(entry.path.slice(path.length)));
    expect(rounds.length).toBe(ROUNDS * AT_ONCE);
    expect(rounds).toEqual(rounds.toSorted((a, b) => b - a));
  });
});
