/** Holds answers against all entries of a log while it grows. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { StatsFilter } from '../../../../agent/logs/answers/stats.ts';
import { createLogs, type Logs } from '../../../../agent/logs/logs.ts';
import { FULL } from '../../../harness/full.ts';
import { anyLines, type Random, random } from '../lines.ts';
import { allEntries, isWanted, type Keyed } from '../reference.ts';
import { keeperOf } from '../temp.ts';

/** The time of the first line, in seconds since 1970. */
export const START = 1795212767;

/** A file of 16,000 lines, several blocks. */
export function writeLongLog(file: string): void {
  for (let i = 0; i < 8; i++) appendFileSync(file, anyLines(random(i + 1), 2000, START + i * 20));
}

/** The logs that `checkGrowingLog` is called with. */
export const SEEDS = FULL ? [1, 2, 3] : [1, 2];

/** Calls `check` six times, with all entries that are in the log at that moment. */
export async function checkGrowingLog(
  folder: string,
  seed: number,
  check: (logs: Logs, entries: Keyed[], r: Random) => Promise<void>,
): Promise<void> {
  const r = random(seed);
  const file = join(folder, 'access.log');
  const roll = (n: number) => join(folder, `access-2026-11-20T22-17-03.10${n}.log`);
  writeFileSync(`${roll(1)}.gz`, gzipSync(anyLines(r, 3000, START)));
  writeFileSync(roll(2), anyLines(r, 2000, START + 30));
  if (r.chance(0.5)) await keeperOf(file).run();
  writeFileSync(file, anyLines(r, 2500, START + 48));
  // Answers that are cut short on a busy machine would not be comparable.
  const logs = createLogs({ file, timeout: 20_000 });
  for (let round = 0; round < 6; round++) {
    if (round > 2) appendFileSync(file, anyLines(r, r.below(300), START + 60 + round));
    await check(logs, allEntries(file), r);
  }
  logs.close();
}

const withTimes = (entries: readonly Keyed[]) =>
  entries
    .filter(({ entry }) => entry.timestamp !== '')
    .map((each) => ({ ...each, time: Date.parse(each.entry.timestamp) }));
/** A log is held against many filters. */
const timedOf = new WeakMap<readonly Keyed[], ReturnType<typeof withTimes>>();

/** The entries that a filter selects, and those in each of its buckets. */
export function divide(entries: readonly Keyed[], { buckets: wanted, ...filter }: StatsFilter) {
  const timed = timedOf.get(entries) ?? withTimes(entries);
  timedOf.set(entries, timed);
  const from = filter.from ?? Math.min(...timed.map(({ time }) => time));
  const to = Math.max(from, filter.to ?? Math.max(...timed.map(({ time }) => time)) + 1);
  const { from: _, to: __, ...others } = filter;
  const found = timed.filter(
    (each) => each.time >= from && each.time < to && isWanted(each, others),
  );
  const length = Math.min(wanted, to - from);
  const edge = (i: number) => from + Math.floor((i * (to - from)) / length);
  const buckets = Array.from({ length }, (_, i) => {
    const [begin, end] = [edge(i), edge(i + 1)];
    const inside = found.filter(({ time }) => time >= begin && time < end);
    return { from: begin, to: end, inside };
  });
  return { from, to, found, buckets };
}

/** A filter for a part of the first `seconds` of the log, or for all of it. */
export function anyRange(r: Random, seconds: number, buckets: readonly number[]): StatsFilter {
  const time = () => START * 1000 + r.below(seconds * 1000);
  return {
    ...(r.chance(0.6) && { from: time() }),
    ...(r.chance(0.6) && { to: time() }),
    buckets: r.pick(buckets),
  };
}
