import { afterAll, describe, expect, test } from 'bun:test';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { parseActivityQuery } from '../../../agent/logs/answers/activity.ts';
import { parseStatsQuery } from '../../../agent/logs/answers/stats.ts';
import { createLogs } from '../../../agent/logs/logs.ts';
import { createLogReader } from '../../../src/hub/logs/reader.ts';
import { createAgentsActivity } from '../../../src/hub/watch/activity.ts';
import type { LogActivity, LogStats, StatsQuery } from '../../../src/shared/wire/logs.ts';
import { anyLines, line, random } from '../../agent/logs/lines.ts';
import { agentsOf, type LogAgent } from '../../harness/log-agents.ts';
import { temporaryAgents } from './temporary-agents.ts';

const newAgents = temporaryAgents();
const START = 1795212767;

/** Agents with logs, and a log with all of their lines. */
function agentsAndSum(count: number): { some: LogAgent[]; whole: string } {
  const [sum, ...some] = newAgents('sum', 'one', 'two', 'three') as [LogAgent, ...LogAgent[]];
  for (const [i, { file }] of some.entries()) {
    const r = random(i);
    // Of different lengths, and with domains and latencies of their own.
    const own = Array.from({ length: 50 + i }, (_, n) =>
      line({ ts: START + n, duration: r.unit() * (i + 1), request: { host: `${i}${n}.example` } }),
    );
    writeFileSync(file, Buffer.concat([anyLines(r, count * (i + 1), START + 10 * i)]));
    appendFileSync(file, `\n${own.join('\n')}\n`);
    appendFileSync(sum.file, readFileSync(file));
  }
  return { some, whole: sum.file };
}

const stats = (some: LogAgent[], query: StatsQuery & { agent?: string }): Promise<LogStats> =>
  createLogReader(agentsOf(...some)).stats(query);

describe('statistics of several agents', () => {
  const { some, whole } = agentsAndSum(1000);
  const logs = createLogs({ file: whole, timeout: 20_000 });
  afterAll(() => logs.close());

  test.each<StatsQuery>([
    {},
    { buckets: '7' },
    { buckets: '1', from: '2026-11-20T22:12:50Z' },
    { buckets: '500', to: '2026-11-20T22:12:55.123Z' },
    { from: '2026-11-20T22:12:50Z', to: '2026-11-20T22:13:05Z' },
    { domain: 'a.example', buckets: '24' },
    { domain: '011.example' },
    { path: '/p/1', status: '4xx', buckets: '9' },
    { method: 'post', q: '7', ip: '10.0.0.9', from: '2026-11-20T22:12:50Z' },
    { from: '2026-11-21', to: '2026-11-20' },
    { from: '2027-11-21' },
    { to: '2025-11-21' },
  ])('are those of all lines in one log, for %j', async (query) => {
    const { latest, ...expected } = await logs.stats(parseStatsQuery(query));
    const { latest: found, ...merged } = await stats(some, query);
    expect(merged).toEqual(expected);
    // Fewer lines than those that are looked at for these.
    expect(found).toEqual(latest);
  });

  test('of empty logs are empty, and an empty log changes nothing', async () => {
    const some = newAgents('one', 'two') as [LogAgent, LogAgent];
    const empty = await stats(some, {});
    expect(empty).toEqual({
      from: null,
      to: null,
      requests: 0,
      buckets: [],
      domains: [],
      statuses: [],
      latest: { requests: 0, paths: [], ips: [], userAgents: [] },
    });
    appendFileSync(some[1].file, anyLines(random(1), 500, START));
    expect(await stats(some, {})).toEqual(await stats([some[1]], {}));
    expect(await stats(some, { agent: 'one' })).toEqual(empty);
    expect(stats(some, { agent: 'other' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(stats(some, { from: 'now' })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });
});

describe('sampled statistics of several agents', () => {
  const some = newAgents(
    'all',
    { name: 'few', readLimit: 1 },
    { name: 'some', readLimit: 1 << 16 },
  );
  const lines = (count: number, from: number) =>
    Array.from({ length: count }, (_, i) =>
      line({ ts: START + from + i / 10, request: { uri: i % 2 ? '/odd' : '/even' } }),
    ).join('\n');
  for (const [i, { file }] of some.entries()) writeFileSync(file, `${lines(3000, i * 1000)}\n`);
  const range = { from: '2026-11-20T22:12:00Z', to: '2026-11-20T23:30:00Z', buckets: '20' };

  test('name each agent that read only a part, and say of the sum what the least exact one says', async () => {
    expect((await stats(some, range)).sampled).toBeUndefined();
    const query = { ...range, path: '/odd' };
    const each = await Promise.all(some.map((one) => stats([one], query)));
    const [few, part] = [each[1]?.sampled?.of ?? 0, each[2]?.sampled?.of ?? 0];
    expect(few).toBeGreaterThan(part);
    expect(part).toBeGreaterThan(1);
    const alone = await stats(some, { ...query, agent: 'all' });
    expect([alone.requests, alone.sampled]).toEqual([1500, undefined]);
    const merged = await stats(some, query);
    expect(merged.sampled).toEqual({ of: few, agents: { few, some: part } });
    expect(merged.requests).toBe(each.reduce((sum, { requests }) => sum + requests, 0));
    expect(merged.latest.requests).toBe(merged.requests);
    for (const [at, { unread }] of merged.buckets.entries()) {
      expect(unread).toBe(each.some(({ buckets }) => buckets[at]?.unread) || undefined);
    }
    expect(merged.buckets.filter(({ unread }) => unread).length).toBeGreaterThan(0);
  });
});

describe('activity of several agents', () => {
  const range = { from: '2026-11-20T22:12:00Z', to: '2026-11-20T22:14:00Z', buckets: '6' };
  const activity = (some: LogAgent[], agent?: string): Promise<LogActivity> =>
    createAgentsActivity(agentsOf(...some)).activity({ ...range, ...(agent && { agent }) });

  test('is that of all lines in one log', async () => {
    const { some, whole } = agentsAndSum(300);
    const logs = createLogs({ file: whole, timeout: 20_000 });
    expect(await activity(some)).toEqual(await logs.activity(parseActivityQuery(range)));
    logs.close();
  });

  test('is of those that can be reached, and names the others', async () => {
    const { some } = agentsAndSum(10);
    const [one, two, three] = some as [LogAgent, LogAgent, LogAgent];
    const alone = await activity([one]);
    expect(await activity(some, 'one')).toEqual(alone);
    expect(activity(some, 'other')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await two.stop();
    await three.stop();
    expect(await activity(some)).toEqual({ ...alone, missing: ['three', 'two'] });
    await one.stop();
    expect(activity(some)).rejects.toMatchObject({ code: 'AGENT_UNREACHABLE' });
    for (const agent of some) agent.start();
  });
});
