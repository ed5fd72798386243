import { beforeAll, describe, expect, test } from 'bun:test';
import { appendFileSync } from 'node:fs';
import { forFile } from '../../harness/for-file.ts';
import { startOwner } from '../../harness/owner.ts';
import { ask, until } from '../../harness/stack.ts';

type Page = {
  logs: { domain: string; path: string; status: number; timestamp: string; ip: string }[];
  total: number;
  page: number;
  pageSize: number;
};

const owner = await forFile(startOwner());
const logs = async (query = '') => (await owner.call<Page>('GET', `/logs${query}`)).body;
/** Caddy logs a request after it has sent the response. */
const settled = (query: string, total: number) =>
  until(async () => (await logs(query)).total === total, `total ${total} of ${query}`);

beforeAll(async () => {
  for (const [domain, config] of [
    ['http://one.example', 'respond /missing 404\nrespond one'],
    ['http://two.example', 'respond two'],
    ['http://quiet.example', 'skip_log\nrespond quiet'],
    ['http://xn--bcher-kva.example', 'log {\n\toutput discard\n}\nrespond books'],
  ]) {
    const answer = await owner.call('POST', '/vhosts', { domain, config });
    if (answer.status !== 201) throw new Error(answer.text);
  }
});

/** All that is wrong with each parameter: see test/agent/logs/answers. */
test.each([
  ...['page=0', 'pageSize=501', 'status=6xx', 'ip=10.0.0.1/8', 'to=2026-02-30'].map(
    (query) => `/logs?${query}`,
  ),
  `/logs?userAgent=${'x'.repeat(1025)}`,
  ...['buckets=0', 'buckets=501', 'from=now', 'to=2026-02-30', 'status=6xx', 'ip=::/0'].map(
    (query) => `/logs/stats?${query}`,
  ),
  ...['format=xls', 'format=CSV', 'format=csv&status=x', 'format=csv&from=now'].map(
    (query) => `/logs/export?${query}`,
  ),
  ...['status=x', 'from=now', 'after=x', 'after=0123456789abcdef'].map(
    (query) => `/logs/tail?${query}`,
  ),
])('%s is 400 at hub and agent', async (path) => {
  const { hub, agent, agentHeaders } = owner.stack;
  for (const [url, headers] of [
    [hub, owner.headers],
    [agent, agentHeaders],
  ] as const) {
    const answer = await ask<{ code: string }>(url + path, { headers });
    expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_REQUEST']);
  }
});

describe('the access log', () => {
  test('is listed newest first, by domain and status, without what a site skips', async () => {
    await owner.stack.served('one.example', '/a?secret=1');
    await owner.stack.served('One.Example:80', '/missing');
    await owner.stack.served('quiet.example');
    await owner.stack.served('xn--bcher-kva.example');
    await owner.stack.served('unknown.example');
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
    const url = `${owner.stack.hub}/logs/stats?domain=one.example&buckets=1&from=&to=`;
    const { body } = await ask<Stats>(url, { headers: owner.headers });
    expect(body.requests).toBe(2);
    expect(body.domains).toEqual([{ domain: 'one.example', requests: 2 }]);
    expect(body.buckets).toMatchObject([{ requests: { '2xx': 1, '4xx': 1, other: 0 } }]);
    expect(body.buckets[0]?.p50).toBeGreaterThan(0);
    const filtered = await ask<Stats>(`${url}&path=/miss&status=4xx&userAgent=bun/`, {
      headers: owner.headers,
    });
    expect(filtered.body.requests).toBe(1);
  });

  test('ignores lines that are not access entries', async () => {
    const { total } = await logs();
    appendFileSync(
      owner.stack.accessLog,
      'plain text\n{"level":"info","msg":"x"}\n{"cut":\n\n{"status":200}\n[1]\nnull\n{"request":{},"sta',
    );
    expect((await logs()).total).toBe(total);
    appendFileSync(owner.stack.accessLog, '\n');
    await owner.stack.served('one.example', '/after');
    await settled('', total + 1);
    expect((await logs()).logs[0]?.path).toBe('/after');
  });
});
