/** The distinct requests of a log, held against all of its lines as JSON.parse reads them. */
import { describe, expect, test } from 'bun:test';
import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { LoggedRequest } from '../../../../agent/logs/answers/distinct.ts';
import { createClassifier } from '../../../../agent/logs/line/classifier.ts';
import { identityOf, lineRequest } from '../../../../agent/logs/line/line-request.ts';
import { createPairs } from '../../../../agent/logs/line/pairs.ts';
import { parseTime } from '../../../../agent/logs/line/time-values.ts';
import type { Logs } from '../../../../agent/logs/logs.ts';
import { anyLines, line, random } from '../lines.ts';
import { keeperOf, ROLL, temporaryLogs } from '../temp.ts';
import { START } from './growing-log.ts';

const logWith = temporaryLogs();
const ALL = { hosts: null, from: 0, most: 50_000, headers: [] };
const { signal } = new AbortController();
const sum = (all: readonly { count: number }[]) => all.reduce((n, { count }) => n + count, 0);
const text = (...changes: Parameters<typeof line>[0][]) =>
  changes.map((each) => `${line(each)}\n`).join('');
const shownOf = ({ requests }: Awaited<ReturnType<Logs['distinct']>>) =>
  requests.map(({ method, host, uri, ip, count }) => `${method} ${host}${uri} ${ip} ${count}`);

describe('what is left out, and said', () => {
  test.each([
    ['WebSocket connections', { status: 101 }],
    ['WebSocket connections', { request: { headers: { Upgrade: ['websocket'] } } }],
    ['Requests that HTTP/1.1 cannot repeat as they were', { request: { method: 'CONNECT' } }],
    ['Requests that HTTP/1.1 cannot repeat as they were', { request: { method: 'G T' } }],
    ['Requests that HTTP/1.1 cannot repeat as they were', { request: { uri: '/a b' } }],
    ['Requests that HTTP/1.1 cannot repeat as they were', { request: { uri: '/\u0001' } }],
    ['Requests that HTTP/1.1 cannot repeat as they were', { request: { host: 'a\ufffd' } }],
    ['Requests with more than 8 KiB of address', { request: { uri: `/${'a'.repeat(9000)}` } }],
  ])('%s', async (reason, change) => {
    const { logs } = logWith({ 'access.log': text(change, change) });
    expect(await logs.distinct(ALL, signal)).toEqual({
      requests: [],
      leftOut: [{ reason, count: 2 }],
    });
  });

  test('is what is older than the newest, wherever it is', async () => {
    const uris = (first: number, count: number) =>
      text(
        ...Array.from({ length: count }, (_, i) => ({
          ts: START + first + i,
          request: { uri: `/${first + i}` },
        })),
      );
    const again = text({ ts: START, request: { uri: '/399' } });
    for (const form of ['plain', 'gzip', 'packed']) {
      const older = again + uris(0, 300);
      const { logs, at } = logWith({
        'access.log': uris(300, 100),
        [form === 'gzip' ? `${ROLL}.gz` : ROLL]: form === 'gzip' ? gzipSync(older) : older,
      });
      if (form === 'packed') await keeperOf(at('access.log')).run();
      const { requests, leftOut } = await logs.distinct({ ...ALL, most: 100 }, signal);
      expect(requests.map(({ uri }) => uri)).toEqual(
        Array.from({ length: 100 }, (_, i) => `/${399 - i}`),
      );
      expect(requests[0]?.count).toBe(2);
      expect(leftOut).toEqual([
        { reason: 'Older than the newest 100 distinct requests', count: 300 },
      ]);
    }
  });

  test('is nothing once the signal has aborted', async () => {
    const { logs } = logWith({ 'access.log': text({}) });
    const reason = new Error('ended');
    expect(logs.distinct(ALL, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

test('bodies are counted, but their requests are taken', async () => {
  const of = (method: string, headers = {}) => ({
    request: { method, headers, uri: `/${method}` },
  });
  const { logs } = logWith({
    'access.log': text(of('POST'), of('PUT', { 'Content-Length': ['0'] }), of('DELETE'), {
      ...of('GET', { 'Content-Length': ['5'] }),
    }),
  });
  const { requests, leftOut } = await logs.distinct(ALL, signal);
  expect(requests).toHaveLength(4);
  expect(leftOut).toEqual([
    { reason: 'Request bodies: such requests are asked without one', count: 2 },
  ]);
});

test('hosts, times, headers and the address that counts', async () => {
  const { logs } = logWith({
    'access.log': text(
      { request: { host: 'a.example:8443', client_ip: '192.0.2.1' } },
      { request: { host: '[::1]:80' } },
      { request: { host: '' } },
      { ts: START - 10, request: { host: 'A.example' } },
      { request: { host: 'a.example', headers: { Accept: ['x'] } } },
      { request: { host: 'a.example', tls: { version: 772 } } },
    ),
  });
  const of = async (changes: object) =>
    shownOf(await logs.distinct({ ...ALL, ...changes }, signal));
  expect(await of({ hosts: ['*.example'], from: START * 1000 })).toHaveLength(3);
  expect(await of({ hosts: ['a.example'], to: START * 1000 })).toEqual([
    'GET A.example/ 127.0.0.1 1',
  ]);
  expect(await of({ hosts: ['[::1]'] })).toEqual(['GET [::1]:80/ 127.0.0.1 1']);
  expect(await of({ hosts: ['a.example', ''] })).toHaveLength(6);
  const { requests } = await logs.distinct({ ...ALL, headers: ['accept'] }, signal);
  expect(requests.find(({ host }) => host === 'a.example:8443')).toMatchObject({
    ip: '192.0.2.1',
    remoteIp: '127.0.0.1',
    headers: { accept: ['*/*'] },
  });
});

test('a scanned line is identified as a parsed one', () => {
  const classifier = createClassifier(() => false);
  const pairs = createPairs();
  let compared = 0;
  for (let seed = 1; seed <= 30; seed++) {
    const bytes = anyLines(random(seed), 200, START);
    classifier.open(bytes);
    for (let start = 0; start < bytes.length; ) {
      const end = bytes.indexOf(10, start);
      const entry = classifier.classify(pairs, start, end, true);
      const request = entry && lineRequest(entry.line());
      if (entry && request) {
        expect(entry.identity()).toBe(identityOf(request));
        compared++;
      }
      start = end + 1;
    }
  }
  expect(compared).toBeGreaterThan(2000);
});

/** What the lines hold, oldest first, each parsed. */
function model(texts: readonly Buffer[]): { requests: Map<string, number>; entries: number } {
  const requests = new Map<string, number>();
  let entries = 0;
  for (const one of texts.join('').split('\n').slice(0, -1)) {
    const request = lineRequest(one);
    if (!request || parseTime(JSON.parse(one).ts) === undefined) continue;
    entries++;
    const key = identityOf(request);
    requests.set(key, (requests.get(key) ?? 0) + 1);
  }
  return { requests, entries };
}

test('are those of all lines, in every form of file, and while it is rolled', async () => {
  const roll = (hour: number) => ROLL.replace('T22', `T${hour}`);
  const texts = [1, 2, 3].map((seed) => anyLines(random(seed), 4000, START + seed * 100));
  const [a, b, c] = texts as [Buffer, Buffer, Buffer];
  const { logs, at } = logWith({ [roll(19)]: a });
  const file = at('access.log');
  await keeperOf(file).run();
  writeFileSync(at(`${roll(20)}.gz`), gzipSync(b));
  writeFileSync(file, c);
  const keyOf = (one: LoggedRequest) => identityOf({ ...one, headers: new Map(), bytesRead: 0 });
  const { requests: expected, entries } = model(texts);
  const check = async () => {
    const { requests, leftOut } = await logs.distinct(ALL, signal);
    const others = leftOut.filter(({ reason }) => !reason.startsWith('Request bodies'));
    expect(sum(requests) + sum(others)).toBe(entries);
    expect(new Set(requests.map(keyOf)).size).toBe(requests.length);
    expect(requests.length).toBeGreaterThan(1000);
    for (const one of requests) expect(one.count).toBe(expected.get(keyOf(one)) ?? 0);
    return { count: sum(requests), length: requests.length };
  };
  const before = await check();
  const during = check();
  renameSync(file, at(roll(21)));
  appendFileSync(file, '');
  expect(await during).toEqual(before);
  const packing = keeperOf(file).run();
  expect(await check()).toEqual(before);
  await packing;
  expect(await check()).toEqual(before);
  expect(readFileSync(file)).toHaveLength(0);
});
