/** Finds when the entry with a rank was written, by the counts of entries from some times on. Pure. */

/** So many entries; none is older than the first time or newer than the second. */
type Span = readonly [earliest: number, latest: number, count: number];

/**
 * Where the entry with a rank is: counted from the newest, which has rank 0, it is written in
 * [from, to).
 */
export type Bracket = { readonly rank: number; from: number; to: number };

/** For each time that was asked for, how many entries each agent has from it on. */
type Counts = ReadonlyMap<number, readonly number[]>;

/** A bracket with no more entries than that is read, instead of narrowed. */
const FEW = 250;
/** Times to ask for in each bracket. */
const PROBES = 128;

/** @param spans of all agents @param rank less than the number of entries */
export function bracketOf(spans: readonly Span[], rank: number): Bracket {
  // From the earliest time of some spans on, there are at least all of their entries.
  let [from, atLeast] = [0, 0];
  for (const [earliest, , count] of spans.toSorted(([a], [b]) => b - a)) {
    from = earliest;
    atLeast += count;
    if (atLeast > rank) break;
  }
  // After the latest time of some spans, there are at most the entries of all others.
  let [to, atMost] = [0, 0];
  for (const [, latest, count] of spans.toSorted(([, a], [, b]) => b - a)) {
    to = latest + 1;
    atMost += count;
    if (atMost > rank) break;
  }
  return { rank, from, to };
}

/** The times to count from next, with both ends. */
export function probesOf({ from, to }: Bracket): number[] {
  const steps = Math.min(PROBES, to - from);
  return Array.from({ length: steps + 1 }, (_, i) =>
    i === steps ? to : from + Math.floor((i * (to - from)) / steps),
  );
}

/** Narrows a bracket by what was counted. */
export function narrow(bracket: Bracket, counts: Counts): void {
  for (const [time, each] of counts) {
    if (time <= bracket.from || time >= bracket.to) continue;
    if (sumOf(each) > bracket.rank) bracket.from = time;
    else bracket.to = time;
  }
}

/** Whether the entries of the bracket, both ends of which are counted, can be read. */
export function isNarrow({ from, to }: Bracket, counts: Counts): boolean {
  const [atFrom, atTo] = [counts.get(from), counts.get(to)];
  if (!atFrom || !atTo) return false;
  return to - from === 1 || sumOf(atFrom) - sumOf(atTo) <= FEW;
}

/**
 * How many entries of each agent are before the one with the bracket's rank, itself included if
 * `after`. In a millisecond with many entries exactly; else too few before it, or too many after it.
 */
export function cutAt(bracket: Bracket, counts: Counts, after: boolean): number[] {
  const [atFrom = [], atTo = []] = [counts.get(bracket.from), counts.get(bracket.to)];
  if (bracket.to - bracket.from > 1) return [...(after ? atFrom : atTo)];
  let left = bracket.rank + (after ? 1 : 0) - sumOf(atTo);
  return atTo.map((newer, agent) => {
    const taken = Math.min(left, (atFrom[agent] ?? 0) - newer);
    left -= taken;
    return newer + taken;
  });
}

export const sumOf = (counts: readonly number[]): number =>
  counts.reduce((sum, count) => sum + count, 0);
