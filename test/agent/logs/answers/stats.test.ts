// proof: agent
import { describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseStatsQuery, type StatsFilter } from '../../../../agent/logs/answers/stats.ts';
import { latencyOf, latencyStep } from '../../../../agent/logs/line/latency.ts';
import { createLogs } from '../../../../agent/logs/logs.ts';
import type { LogStats } from '../../../../src/shared/wire/logs.ts';
import { caddyEntry, line, type Random, random } from '../lines.ts';
import { allEntries, type Keyed } from '../reference.ts';
import { temporaryFolders } from '../temp.ts';
import { anyRange, checkGrowingLog, divide, SEEDS, START, writeLongLog } from './growing-log.ts';

const newFolder = temporaryFolders();

const top = <T extends string | number>(values: readonly T[]) => {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1))
    .slice(0, 10)
    .map(([value, requests]): [T, number] => [value, requests]);
};

/** The same numbers, by sorting all entries. */
function naiveStats(entries: readonly Keyed[], filter: StatsFilter) {
  const { from, to, found, buckets } = divide(entries, filter);
  const counted = buckets.map(({ from, to, inside }) => {
    const latencies = inside
      .filter(({ entry }) => entry.status !== 101)
      .map(({ latency }) => latency)
      .sort((a, b) => a - b);
    const percentile = (share: number) => {
      const value = latencies[Math.ceil(latencies.length * share) - 1];
      return value === undefined ? null : latencyOf(latencyStep(value));
    };
    const ofClass = (n: number) =>
      inside.filter(({ entry }) => {
        const found = Math.floor(entry.status / 100);
        return (found >= 1 && found <= 5 && entry.status !== 499 ? found : 0) === n;
      }).length;
    return {
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      requests: {
        '1xx': ofClass(1),
        '2xx': ofClass(2),
        '3xx': ofClass(3),
        '4xx': ofClass(4),
        '5xx': ofClass(5),
        other: ofClass(0),
      },
      p50: percentile(0.5),
      p95: percentile(0.95),
    };
  });
  return {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    requests: found.length,
    buckets: counted,
    domains: top(found.map(({ key }) => key)),
    statuses: top(found.map(({ entry }) => entry.status)),
    paths: top(found.map(({ entry }) => entry.path)),
    ips: top(found.map(({ entry }) => entry.ip)),
    userAgents: top(found.map(({ userAgent }) => userAgent)),
  };
}

function flat({ domains, statuses, latest, ...rest }: LogStats) {
  expect(latest.requests).toBe(rest.requests);
  return {
    ...rest,
    domains: domains.map(({ domain, requests }): [string, number] => [domain, requests]),
    statuses: statuses.map(({ status, requests }): [number, number] => [status, requests]),
    paths: latest.paths.map(({ path, requests }): [string, number] => [path, requests]),
    ips: latest.ips.map(({ ip, requests }): [string, number] => [ip, requests]),
    userAgents: latest.userAgents?.map(({ userAgent, requests }) => [userAgent, requests]),
  };
}

// Conditions of every kind, most of which match some entry.
function anyFilter(r: Random, entries: readonly Keyed[]): StatsFilter {
  const domains = ['a.example', 'b.example', 'bücher.example', 'no.example'];
  const one = r.pick(entries)?.entry;
  return {
    ...(r.chance(0.4) && { domain: r.pick(domains) }),
    ...(r.chance(0.2) && { status: r.pick([200, 404, 0, 499, 599]) }),
    ...(r.chance(0.2) && { statusClass: 1 + r.below(5) }),
    ...(r.chance(0.2) && { method: one?.method || 'POST' }),
    ...(r.chance(0.2) && { path: one?.path.slice(0, 1 + r.below(6)) || '/p' }),
    ...(r.chance(0.2) && { q: one?.path.slice(-1 - r.below(3)) || '7' }),
    ...(r.chance(0.2) && { ip: one?.ip || '10.0.0.9' }),
    ...(r.chance(0.2) && { userAgent: r.pick(['mozilla', '"', 'curly', 'ünï']) }),
    ...anyRange(r, 90, [1, 2, 7, 60, 500]),
  };
}

describe('stats', () => {
  test('of an empty log, and of an empty range', async () => {
    const file = join(newFolder(), 'access.log');
    const nothing = {
      from: null,
      to: null,
      requests: 0,
      buckets: [],
      domains: [],
      statuses: [],
      latest: { requests: 0, paths: [], ips: [], userAgents: [] },
    };
    expect(await createLogs({ file }).stats({ buckets: 60 })).toEqual(nothing);
    writeFileSync(file, `${line({ ts: 'never' })}\n`);
    expect(await createLogs({ file }).stats(parseStatsQuery({}))).toEqual(nothing);
    const backwards = { from: '2026-11-21', to: '2026-11-20' };
    const { requests, buckets } = await createLogs({ file }).stats(parseStatsQuery(backwards));
    expect([requests, buckets]).toEqual([0, []]);
  });

  test.each(SEEDS)('of log %d are what sorting all entries gives', async (seed) => {
    await checkGrowingLog(newFolder(), seed, async (logs, entries, r) => {
      const filter = anyFilter(r, entries);
      const truth = naiveStats(entries, filter);
      for (let twice = 0; twice < 2; twice++) {
        expect(flat(await logs.stats(filter))).toEqual(truth);
      }
    });
  });

  // So slowly that the index knows the time of a line only to the tick.
  test.each([0.01, 50])('of a line every %d seconds are exact for any range', async (seconds) => {
    const r = random(Math.round(seconds) + 11);
    const folder = newFolder();
    const text = Array.from({ length: 7000 }, (_, i) =>
      JSON.stringify(caddyEntry(r, START + i * seconds)),
    );
    writeFileSync(join(folder, 'access-2026-11-20T22-17-03.101.log'), `${text.join('\n')}\n`);
    const file = join(folder, 'access.log');
    const entries = allEntries(file);
    const logs = createLogs({ file, timeout: 20_000 });
    const time = () => START * 1000 + r.below(7000 * seconds * 1000);
    for (let i = 0; i < 12; i++) {
      const domain = r.chance(0.5) && { domain: r.pick(['a.example', 'b.example']) };
      const filter = { ...domain, from: time(), to: time(), buckets: r.pick([1, 7, 60, 500]) };
      const { buckets, requests } = naiveStats(entries, filter);
      const stats = await logs.stats(filter);
      expect([stats.requests, stats.buckets]).toEqual([requests, buckets]);
    }
    // On the very millisecond of an entry, where a tick is not enough.
    for (const { entry } of entries.filter((_, i) => i % 500 === 0)) {
      const from = Date.parse(entry.timestamp);
      const filter = { from, to: from + 1, buckets: 1 };
      expect((await logs.stats(filter)).requests).toBe(divide(entries, filter).found.length);
    }
    logs.close();
  });

  test('of more domains than the index tells apart', async () => {
    const file = join(newFolder(), 'access.log');
    const many = Array.from({ length: 17_000 }, (_, i) => {
      return line({ ts: START + i / 1000, request: { host: `h${i}.example`, uri: `/${i}` } });
    });
    writeFileSync(file, `${many.join('\n')}\n`);
    const logs = createLogs({ file, timeout: 20_000 });
    for (const domain of ['h5.example', 'h16999.example']) {
      const stats = await logs.stats({ domain, buckets: 3 });
      expect(stats.requests).toBe(1);
      expect(stats.domains).toEqual([{ domain, requests: 1 }]);
      expect(stats.latest.paths.length).toBe(1);
    }
    expect((await logs.stats({ buckets: 2 })).requests).toBe(17_000);
  });

  test('without time are partial, and get further with each call', async () => {
    const file = join(newFolder(), 'access.log');
    writeLongLog(file);
    const entries = allEntries(file);
    const logs = createLogs({ file, timeout: 0 });
    let stats = await logs.stats({ buckets: 500 });
    while (stats.partial) stats = await logs.stats({ buckets: 500 });
    const { buckets, requests } = naiveStats(entries, { buckets: 500 });
    expect(stats.partial).toBeUndefined();
    expect([stats.requests, stats.buckets]).toEqual([requests, buckets]);
  });
});
