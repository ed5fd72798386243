/** The last block of an index, to which lines are still added. */
import { type Block, placeOf } from './block.ts';
import type { EntryCursor } from './classifier.ts';
import { type Growable, growable } from './growable.ts';
import { latencyStep } from './latency.ts';

export type OpenBlock = Pick<Block, 'start' | 'end' | 'earliest' | 'latest' | 'timeless'> & {
  /** The pairs that occur, in the order of their first line. */
  pairs: number[];
  /** By pair: the number of its lines. */
  counts: number[];
  /** By line: its pair, latency step, place, and time in milliseconds. */
  linePairs: Growable<Uint32Array>;
  lineSteps: Growable<Uint8Array>;
  linePlaces: Growable<Uint16Array>;
  lineTimes: Growable<Float64Array>;
};

export function createOpenBlock(start: number): OpenBlock {
  return {
    counts: [],
    linePairs: growable(Uint32Array),
    lineSteps: growable(Uint8Array),
    linePlaces: growable(Uint16Array),
    lineTimes: growable(Float64Array),
    ...emptyAt(start),
  };
}

const emptyAt = (start: number) => ({
  start,
  end: start,
  earliest: Number.POSITIVE_INFINITY,
  latest: Number.NEGATIVE_INFINITY,
  timeless: 0,
  pairs: [],
});

/** Empties the block, which continues at an offset in the segment. */
export function restart(open: OpenBlock, start: number): void {
  for (const pair of open.pairs) open.counts[pair] = 0;
  const { linePairs, lineSteps, linePlaces, lineTimes } = open;
  for (const list of [linePairs, lineSteps, linePlaces, lineTimes]) list.resize(0);
  Object.assign(open, emptyAt(start));
}

/** What the index keeps of an access entry; the cursor has the units. */
export type IndexedEntry = Pick<EntryCursor, 'pair' | 'time' | 'latency'>;

/** Adds an entry whose line starts at an offset in the segment. */
export function addLine(open: OpenBlock, start: number, entry: IndexedEntry): void {
  const { pair, time } = entry;
  const count = open.counts[pair] ?? 0;
  if (count === 0) open.pairs.push(pair);
  while (open.counts.length <= pair) open.counts.push(0);
  open.counts[pair] = count + 1;
  open.linePairs.push(pair);
  open.lineSteps.push(latencyStep(entry.latency));
  open.linePlaces.push(placeOf(start - open.start));
  open.lineTimes.push(time);
  if (time < open.earliest) open.earliest = time;
  if (time > open.latest) open.latest = time;
  if (Number.isNaN(time)) open.timeless++;
}

/** The block as it is now, with the lines of the wanted pairs (a table by pair) or of all. */
export function viewOf(open: OpenBlock, wanted?: Uint8Array): Block {
  const { start, end, earliest, latest, timeless, linePairs, linePlaces, lineTimes } = open;
  const { length } = linePairs;
  const places = linePlaces.values.slice(0, length);
  const times = lineTimes.values.slice(0, length);
  let count = length;
  if (wanted) {
    count = 0;
    for (let line = 0; line < length; line++) {
      if (wanted[linePairs.get(line)] !== 1) continue;
      places[count] = places[line] as number;
      times[count++] = times[line] as number;
    }
  }
  const selected = { places: places.subarray(0, count), times: times.subarray(0, count) };
  return {
    ...{ number: -1, start, end, count, earliest, latest, timeless },
    places: () => selected.places,
    moments: () => selected,
  };
}
