import { describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ActivityFilter,
  parseActivityQuery,
} from '../../../../agent/logs/answers/activity.ts';
import { latencyOf, latencyStep } from '../../../../agent/logs/line/latency.ts';
import { createLogs } from '../../../../agent/logs/logs.ts';
import type { LogActivity } from '../../../../src/shared/wire/logs.ts';
import { line } from '../lines.ts';
import { allEntries, type Keyed } from '../reference.ts';
import { temporaryFolders } from '../temp.ts';
import { anyRange, checkGrowingLog, divide, SEEDS, START, writeLongLog } from './growing-log.ts';

const newFolder = temporaryFolders();

/** The same numbers, by looking at every entry. */
function naiveActivity(entries: readonly Keyed[], filter: ActivityFilter): LogActivity['domains'] {
  const { found, buckets } = divide(entries, filter);
  const domains: LogActivity['domains'] = {};
  for (const domain of new Set(found.map(({ key }) => key))) {
    const count = (isMeant: (status: number) => boolean) =>
      buckets.map(
        ({ inside }) =>
          inside.filter(({ key, entry }) => key === domain && isMeant(entry.status)).length,
      );
    domains[domain] = {
      requests: count(() => true),
      status4xx: count((status) => status >= 400 && status < 499),
      status5xx: count((status) => status >= 500 && status < 600),
      latencies: latenciesOf(
        buckets.flatMap(({ inside }) => inside.filter(({ key }) => key === domain)),
      ),
    };
  }
  return domains;
}

function latenciesOf(entries: readonly Keyed[]): [number, number][] {
  const counts = new Map<number, number>();
  for (const { latency, entry } of entries) {
    if (entry.status === 101) continue;
    const near = latencyOf(latencyStep(latency));
    counts.set(near, (counts.get(near) ?? 0) + 1);
  }
  return [...counts].sort(([a], [b]) => a - b);
}

describe('activity', () => {
  test('counts an upgrade as a request, and how long it lasts as no latency', async () => {
    const file = join(newFolder(), 'access.log');
    writeFileSync(file, `${line({ status: 101, duration: 25.6 })}\n${line({ duration: 0.002 })}\n`);
    const { domains } = await createLogs({ file }).activity({ buckets: 1 });
    const [[, found]] = Object.entries(domains) as [[string, (typeof domains)[string]]];
    expect(found.requests).toEqual([2]);
    expect(found.latencies).toEqual([[latencyOf(latencyStep(2)), 1]]);
    const stats = await createLogs({ file }).stats({ buckets: 1 } as never);
    expect(stats.buckets[0]).toMatchObject({ requests: { '1xx': 1, '2xx': 1 } });
    expect(JSON.stringify(stats)).not.toContain('256');
  });

  test('of an empty log, and of an empty range', async () => {
    const file = join(newFolder(), 'access.log');
    const nothing = { from: null, to: null, buckets: 0, domains: {}, since: null };
    expect(await createLogs({ file }).activity({ buckets: 12 })).toEqual(nothing);
    writeFileSync(file, `${line({ ts: 'never' })}\n`);
    expect(await createLogs({ file }).activity(parseActivityQuery({}))).toEqual(nothing);
    const quiet = { from: '2026-01-01T00:00:00.000Z', to: '2026-01-01T01:00:00.000Z' };
    const { domains, ...range } = await createLogs({ file }).activity(parseActivityQuery(quiet));
    expect([domains, range]).toEqual([{}, { ...quiet, buckets: 12, since: null }]);
  });

  test('says since when there are entries, whatever the range', async () => {
    const file = join(newFolder(), 'access.log');
    const begin = Date.parse('2026-01-01T00:00:00.000Z') / 1000;
    writeFileSync(file, [3600, 60, 7200].map((ts) => `${line({ ts: begin + ts })}\n`).join(''));
    const later = { from: Date.parse('2026-01-01T02:00:00.000Z'), buckets: 1 };
    expect(await createLogs({ file }).activity(later)).toMatchObject({
      from: '2026-01-01T02:00:00.000Z',
      since: '2026-01-01T00:01:00.000Z',
    });
  });

  test.each(SEEDS)('of log %d is what counting all entries gives', async (seed) => {
    await checkGrowingLog(newFolder(), seed, async (logs, entries, r) => {
      const filter = anyRange(r, 90, [1, 2, 12, 30, 60]);
      const truth = naiveActivity(entries, filter);
      for (let twice = 0; twice < 2; twice++) {
        const { domains, partial } = await logs.activity(filter);
        expect(partial).toBeUndefined();
        expect(domains).toEqual(truth);
      }
    });
  });

  test('of blocks in one bucket is added from the index', async () => {
    const file = join(newFolder(), 'access.log');
    const many = Array.from({ length: 12_000 }, (_, i) =>
      line({ ts: START + (i < 6000 ? 0 : 100), status: i % 3 === 0 ? 500 : 200 }),
    );
    writeFileSync(file, `${many.join('\n')}\n`);
    const logs = createLogs({ file, timeout: 20_000 });
    const filter = { from: START * 1000, to: (START + 200) * 1000, buckets: 2 };
    expect((await logs.activity(filter)).domains).toEqual(naiveActivity(allEntries(file), filter));
    logs.close();
  });

  test('without time is partial, and gets further with each call', async () => {
    const file = join(newFolder(), 'access.log');
    writeLongLog(file);
    const logs = createLogs({ file, timeout: 0 });
    let found = await logs.activity({ buckets: 60 });
    while (found.partial) found = await logs.activity({ buckets: 60 });
    expect(found.partial).toBeUndefined();
    expect(found.domains).toEqual(naiveActivity(allEntries(file), { buckets: 60 }));
    logs.close();
  });
});
