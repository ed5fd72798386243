import { describe, expect, test } from 'bun:test';
import { appendFileSync, writeFileSync } from 'node:fs';
import type { Agent } from '../../../src/hub/agents/agents.ts';
import { openMergedExport } from '../../../src/hub/logs/merged-export.ts';
import { readMergedPage } from '../../../src/hub/logs/merged-page.ts';
import { CSV, createRecords, NDJSON, type RecordFormat } from '../../../src/hub/logs/records.ts';
import type { LogEntry } from '../../../src/shared/wire/logs.ts';
import { line, random } from '../../agent/logs/lines.ts';
import { agentsOf, type LogAgent } from '../../harness/log-agents.ts';
import { until } from '../../harness/stack.ts';
import { temporaryAgents } from './temporary-agents.ts';

const newAgents = temporaryAgents();
const START = 1795212767;

/** Lines in the order of their times, many of which are those of another agent as well. */
function writeLines({ name, file }: LogAgent, seed: number, count: number, size: number): void {
  const r = random(seed);
  let time = START;
  const text = Array.from({ length: count }, (_, i) => {
    time += r.pick([0, 0, 1, 5]) / 1000;
    const headers = { 'User-Agent': [r.pick(['plain', 'a "quoted", one\r\nin two lines', '=1'])] };
    return line({
      ts: Number(time.toFixed(3)),
      status: r.pick([200, 404]),
      request: { uri: `/${name}/${i}`, headers },
      padding: 'x'.repeat(size),
    });
  });
  writeFileSync(file, text.map((one) => `${one}\n`).join(''));
}

/** @param size bytes to add to each line */
function threeAgents(count = 1000, size = 0): LogAgent[] {
  const some = newAgents('one', 'two', 'a');
  for (const [i, agent] of some.entries()) writeLines(agent, i, count, size);
  return some;
}

const READER = { mayRead: () => true, ended: () => {} };
const open = (some: Agent[], query = {}, reader = READER) =>
  openMergedExport(agentsOf(...some), query, reader);

test('an export that the agents refuse, or none of which can be reached, is refused', async () => {
  const some = threeAgents(1);
  let ended = 0;
  const reader = { ...READER, ended: () => void ended++ };
  expect(open(some, { from: 'now' }, reader)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  await until(() => ended === 1, 'its end');
  for (const agent of some) await agent.stop();
  expect(open(some)).rejects.toMatchObject({ code: 'AGENT_UNREACHABLE' });
  for (const agent of some) agent.start();
});

describe('an export of several agents', () => {
  const some = threeAgents();

  test.each([{}, { status: '404' }, { path: '/two' }, { path: '/nothing' }])(
    'has the entries of all pages of %j, the oldest first',
    async (query) => {
      const { body, missing, ...facts } = await open(some, query);
      const text = await new Response(body).text();
      const rows = text.split('\n').slice(0, -1);
      const entries: LogEntry[] = rows.map((row) => JSON.parse(row));
      const pages: LogEntry[] = [];
      for (let page = 1; ; page++) {
        const asked = { ...query, details: 'true', page: String(page), pageSize: '500' };
        const { logs } = await readMergedPage(some, asked);
        if (logs.length === 0) break;
        pages.push(...logs);
      }
      expect(entries.length).toBe(pages.length);
      expect(entries.toReversed()).toEqual(pages);
      expect([facts, missing]).toEqual([
        { mediaType: 'application/x-ndjson; charset=utf-8', total: pages.length, limit: 1_000_000 },
        [],
      ]);
    },
  );

  test('has the same entries as a table', async () => {
    const some = threeAgents(500);
    const { body } = await open(some);
    const rows = (await new Response(body).text()).split('\n').slice(0, -1);
    const csv = await new Response((await open(some, { format: 'csv' })).body).text();
    const [head, ...records] = csv.split(/\r\n(?=\d{4}-|timestamp|$)/);
    expect(records.pop()).toBe('');
    expect(head).toMatch(/^timestamp,domain,.*,referer,agent$/);
    expect(records.map((record) => [record.split(',')[3], /[^,]*$/.exec(record)?.[0]])).toEqual(
      rows.map((row) => JSON.parse(row)).map(({ path, agent }) => [path, agent]),
    );
    expect(csv).toContain('"a ""quoted"", one\r\nin two lines"');
  });

  test('keeps the order of a log that is not in the order of its times', async () => {
    const [one, two] = newAgents('one', 'two') as [LogAgent, LogAgent];
    const write = ({ file, name }: LogAgent, ...times: (number | string)[]) => {
      for (const [i, ts] of times.entries()) {
        appendFileSync(file, `${line({ ts, request: { uri: `/${name}${i}` } })}\n`);
      }
    };
    write(one, 20, 10, 40);
    write(two, 30, 'never', 30);
    const text = await new Response((await open([one, two])).body).text();
    const paths = [...text.matchAll(/"path":"([^"]+)"/g)].map(([, path]) => path);
    expect(paths).toEqual(['/one0', '/one1', '/two0', '/two1', '/two2', '/one2']);
  });

  test('breaks off if an agent goes away, and ends when its reader does', async () => {
    const some = threeAgents(1000, 5000);
    let ended = 0;
    const reader = { ...READER, ended: () => void ended++ };
    const { body } = await open(some, {}, reader);
    await some[1]?.stop();
    expect(new Response(body).text()).rejects.toThrow();
    await until(() => ended > 0, 'its end');
    some[1]?.start();

    ended = 0;
    const left = await open(some, {}, reader);
    await left.body.cancel();
    expect(ended).toBeGreaterThan(0);
  });

  test('ends after the most entries that an agent sends', async () => {
    const some = threeAgents(100).map((agent) => ({
      ...agent,
      client: {
        ...agent.client,
        // A stand-in: a million lines take too long.
        export: async (...asked: Parameters<typeof agent.client.export>) => ({
          ...(await agent.client.export(...asked)),
          total: agent.name === 'a' ? null : 100,
          limit: 150,
        }),
      },
    }));
    const { body, limit, total } = await open(some);
    expect([limit, total]).toEqual([150, null]);
    expect((await new Response(body).text()).split('\n').length).toBe(151);
  });
});

test.each<[string, RecordFormat, string[]]>([
  ['NDJSON', NDJSON, ['{"timestamp":"2026-11-20T18:00:00.000Z","a":"\\"é"}', '{"timestamp":""}']],
  ['CSV', CSV, ['2026-11-20T18:00:00.000Z,"é ""x""\r\n,"', ',"\r\n"', ',x']],
])('records in %s are found in whatever pieces they come', async (_, format, expected) => {
  const bytes = new TextEncoder().encode(expected.map((one) => one + format.end).join(''));
  for (const size of [1, 2, 5, bytes.length]) {
    let at = 0;
    const records = createRecords(
      {
        async read() {
          const value = bytes.slice(at, at + size);
          at += size;
          return value.length === 0 ? { done: true } : { done: false, value };
        },
      },
      format,
    );
    const found: [string, number][] = [];
    for (let record = records.peek(); record !== null; record = records.peek()) {
      if (record === undefined) await records.load();
      else {
        found.push([record.text, record.time]);
        records.skip();
      }
    }
    const times = [Date.UTC(2026, 10, 20, 18), -Infinity, -Infinity];
    expect(found).toEqual(expected.map((text, i) => [text, times[i] ?? 0]));
  }
});
