import { beforeAll, describe, expect, test } from 'bun:test';
import { appendFileSync } from 'node:fs';
import { line } from '../../agent/logs/lines.ts';
import { forFile } from '../../harness/for-file.ts';
import { startOwner } from '../../harness/owner.ts';
import { ask, freePort, until } from '../../harness/stack.ts';

type Page = {
  logs: { path: string; details?: Record<string, unknown>; error?: string }[];
  total: number;
};

const owner = await forFile(startOwner());
const logs = async (query: string) => (await owner.call<Page>('GET', `/logs?${query}`)).body;

beforeAll(async () => {
  for (const [domain, config] of [
    ['http://up.example', 'respond up'],
    ['http://down.example', `reverse_proxy 127.0.0.1:${freePort()}`],
  ]) {
    const answer = await owner.call('POST', '/vhosts', { domain, config });
    expect(answer.status).toBe(201);
  }
  const more = { 'User-Agent': 'tester/1', Cookie: 'session=secret', Referer: 'http://from/' };
  const url = `http://127.0.0.1:${owner.stack.httpPort}/a?b=c`;
  await fetch(url, { headers: { ...more, Host: 'up.example' }, keepalive: false });
  await fetch(url, { headers: { ...more, Host: 'down.example' }, keepalive: false });
  await until(async () => (await logs('')).total === 2, 'both requests');
});

describe('an export is refused', () => {
  test('while the account has two others', async () => {
    // Enough that the agent waits for its reader.
    appendFileSync(owner.stack.accessLog, `${line()}\n`.repeat(100_000));
    const from = (signal?: AbortSignal) =>
      fetch(`${owner.stack.hub}/logs/export?format=ndjson`, {
        headers: owner.headers,
        ...(signal ? { signal } : {}),
      });
    const stop = new AbortController();
    const open = [await from(stop.signal), await from(stop.signal)];
    expect(open.map(({ status }) => status)).toEqual([200, 200]);
    const third = await from();
    expect([third.status, third.headers.get('retry-after')]).toEqual([429, '15']);
    // Another request is answered while they are under way.
    expect((await ask(`${owner.stack.hub}/health`)).status).toBe(200);
    stop.abort();
    await until(async () => {
      const answer = await from();
      await answer.body?.cancel();
      return answer.status === 200;
    }, 'room for another export');
    // Until all of it is read, an export says nothing of how much there is.
    await until(async () => (await logs('')).total === 100_002, 'the index');
  });
});

test('an export has a line for each match, and says how many there are', async () => {
  const query = 'domain=up.example&path=/a';
  const url = (format: string) => `${owner.stack.hub}/logs/export?${query}&format=${format}`;
  const csv = await ask(url('csv'), { headers: owner.headers });
  expect([csv.status, csv.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  expect(csv.headers.get('content-disposition')).toBe('attachment; filename="access-log.csv"');
  expect([csv.headers.get('x-total-count'), csv.headers.get('x-export-limit')]).toEqual([
    '1',
    '1000000',
  ]);
  const [names = '', row = '', end] = csv.text.split('\r\n');
  expect(names).toStartWith('timestamp,domain,method,path,status,latency_ms,ip,');
  expect(row).toMatch(
    /^[^,]+Z,up\.example,GET,\/a,200,[\d.]+,127\.0\.0\.1,2,HTTP\/1\.1,tester\/1,http:\/\/from\/$/,
  );
  expect(end).toBe('');

  const ndjson = await ask(url('ndjson'), { headers: owner.headers });
  expect(JSON.parse(ndjson.text)).toMatchObject({
    path: '/a',
    status: 200,
    details: { request: { uri: '/a?b=c', headers: { 'User-Agent': ['tester/1'] } } },
  });
  expect(ndjson.text).not.toContain('secret');
});

test('a page has details only if they are asked for, with the reason of a failure', async () => {
  const [plain] = (await logs('domain=down.example')).logs;
  expect(plain).not.toContainKeys(['details', 'error']);
  const page = await owner.call<Page>('GET', '/logs?domain=down.example&details=true');
  const [entry] = page.body.logs;
  expect(entry?.details).toMatchObject({ status: 502, request: { proto: 'HTTP/1.1' } });
  expect(entry?.error).toMatch(/^dial tcp 127\.0\.0\.1:\d+: connect: connection refused$/);
  expect(page.text).not.toContain('secret');
  const [up] = (await logs('domain=up.example&path=/a&details=true')).logs;
  expect(up?.details).toBeObject();
  expect(up).not.toContainKey('error');
});
