import { describe, expect, test } from 'bun:test';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import {
  type ActivityFilter,
  parseActivityQuery,
} from '../../../../agent/logs/answers/activity.ts';
import { createLogs } from '../../../../agent/logs/logs.ts';
import type { LogActivity } from '../../../../src/shared/wire.ts';
import { anyLines, line, type Random, random } from '../lines.ts';
import { allEntries, type Keyed } from '../reference.ts';
import { temporaryFolders } from '../temp.ts';

const newFolder = temporaryFolders();
const START = 1795212767;

/** The same numbers, by looking at every entry. */
function naiveActivity(entries: readonly Keyed[], filter: ActivityFilter): LogActivity['domains'] {
  const timed = entries
    .filter(({ entry }) => entry.timestamp !== '')
    .map(({ key, entry }) => ({ key, status: entry.status, time: Date.parse(entry.timestamp) }));
  const from = filter.from ?? Math.min(...timed.map(({ time }) => time));
  const to = Math.max(from, filter.to ?? Math.max(...timed.map(({ time }) => time)) + 1);
  const length = Math.min(filter.buckets, to - from);
  const edge = (at: number) => from + Math.floor((at * (to - from)) / length);
  const found = timed.filter(({ time }) => time >= from && time < to);
  const domains: LogActivity['domains'] = {};
  for (const domain of new Set(found.map(({ key }) => key))) {
    const count = (isMeant: (status: number) => boolean) =>
      Array.from({ length }, (_, i) => {
        const inside = found.filter(({ time }) => time >= edge(i) && time < edge(i + 1));
        return inside.filter(({ key, status }) => key === domain && isMeant(status)).length;
      });
    domains[domain] = {
      requests: count(() => true),
      status4xx: count((status) => status >= 400 && status < 500),
      status5xx: count((status) => status >= 500 && status < 600),
    };
  }
  return domains;
}

function anyRange(r: Random, seconds: number): ActivityFilter {
  const at = () => START * 1000 + r.below(seconds * 1000);
  return {
    ...(r.chance(0.6) && { from: at() }),
    ...(r.chance(0.6) && { to: at() }),
    buckets: r.pick([1, 2, 12, 30, 60]),
  };
}

describe('activity', () => {
  test('of nothing', async () => {
    const file = join(newFolder(), 'access.log');
    const nothing = { from: null, to: null, buckets: 0, domains: {} };
    expect(await createLogs({ file }).activity({ buckets: 12 })).toEqual(nothing);
    writeFileSync(file, `${line({ ts: 'never' })}\n`);
    expect(await createLogs({ file }).activity(parseActivityQuery({}))).toEqual(nothing);
    const quiet = { from: '2026-01-01T00:00:00.000Z', to: '2026-01-01T01:00:00.000Z' };
    const { domains, ...range } = await createLogs({ file }).activity(parseActivityQuery(quiet));
    expect([domains, range]).toEqual([{}, { ...quiet, buckets: 12 }]);
  });

  test.each([1, 2, 3])('of history %d is what every entry says', async (seed) => {
    const r = random(seed);
    const folder = newFolder();
    const file = join(folder, 'access.log');
    const roll = (n: number) => join(folder, `access-2026-11-20T22-17-03.10${n}.log`);
    writeFileSync(`${roll(1)}.gz`, gzipSync(anyLines(r, 3000, START)));
    writeFileSync(roll(2), anyLines(r, 2000, START + 30));
    writeFileSync(file, anyLines(r, 2500, START + 48));
    const logs = createLogs({ file });
    for (let round = 0; round < 6; round++) {
      if (round > 2) appendFileSync(file, anyLines(r, r.below(300), START + 60 + round));
      const entries = allEntries(file);
      const filter = anyRange(r, 90);
      for (let twice = 0; twice < 2; twice++) {
        const { domains, partial } = await logs.activity(filter);
        expect(partial).toBeUndefined();
        expect(domains).toEqual(naiveActivity(entries, filter));
      }
    }
    logs.close();
  });

  test('of blocks that lie within one bucket is added up from the index', async () => {
    const file = join(newFolder(), 'access.log');
    const many = Array.from({ length: 12_000 }, (_, i) =>
      line({ ts: START + (i < 6000 ? 0 : 100), status: i % 3 === 0 ? 500 : 200 }),
    );
    writeFileSync(file, `${many.join('\n')}\n`);
    const logs = createLogs({ file });
    const filter = { from: START * 1000, to: (START + 200) * 1000, buckets: 2 };
    expect((await logs.activity(filter)).domains).toEqual(naiveActivity(allEntries(file), filter));
    logs.close();
  });

  test('without patience says that it is partial, and gets further', async () => {
    const file = join(newFolder(), 'access.log');
    for (let i = 0; i < 8; i++) appendFileSync(file, anyLines(random(i + 1), 2000, START + i * 20));
    const logs = createLogs({ file, timeout: 0 });
    let found = await logs.activity({ buckets: 60 });
    for (let i = 0; found.partial && i < 50; i++) found = await logs.activity({ buckets: 60 });
    expect(found.partial).toBeUndefined();
    expect(found.domains).toEqual(naiveActivity(allEntries(file), { buckets: 60 }));
    logs.close();
  });
});
