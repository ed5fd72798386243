/** The last block of an index, to which lines are still added. */
import { addAddress, createAddressFilter } from '../line/address.ts';
import type { EntryCursor } from '../line/classifier.ts';
import { latencyStep } from '../line/latency.ts';
import { type Block, placeOf } from './block.ts';

/** What is kept of each line; only the first `length` values count. */
type OpenLines = {
  length: number;
  pairs: Uint32Array;
  steps: Uint8Array;
  places: Uint16Array;
  /** In milliseconds. */
  times: Float64Array;
};

export type OpenBlock = Pick<Block, 'start' | 'end' | 'earliest' | 'latest' | 'timeless'> & {
  /** The pairs that occur, in the order of their first line. */
  pairs: number[];
  /** By pair: the number of its lines. */
  counts: number[];
  lines: OpenLines;
  addresses: Uint32Array;
};

// Lines that there is room for at first.
const FIRST_LINES = 16;

export function createOpenBlock(start: number): OpenBlock {
  const [lines, addresses] = [roomFor(FIRST_LINES), createAddressFilter()];
  return { counts: [], lines, addresses, ...emptyAt(start) };
}

const roomFor = (lines: number): OpenLines => ({
  length: 0,
  pairs: new Uint32Array(lines),
  steps: new Uint8Array(lines),
  places: new Uint16Array(lines),
  times: new Float64Array(lines),
});

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
  open.lines.length = 0;
  open.addresses.fill(0);
  Object.assign(open, emptyAt(start));
}

/** What the index keeps of an access entry; the cursor has the units. */
export type IndexedEntry = Pick<EntryCursor, 'pair' | 'time' | 'latency' | 'addressHash'>;

/** Adds an entry whose line starts at an offset in the segment. */
export function addLine(open: OpenBlock, start: number, entry: IndexedEntry): void {
  const { pair, time } = entry;
  while (open.counts.length <= pair) open.counts.push(0);
  const count = open.counts[pair] as number;
  if (count === 0) open.pairs.push(pair);
  open.counts[pair] = count + 1;
  if (open.lines.length === open.lines.pairs.length) open.lines = doubled(open.lines);
  const { lines } = open;
  const line = lines.length++;
  lines.pairs[line] = pair;
  lines.steps[line] = latencyStep(entry.latency);
  lines.places[line] = placeOf(start - open.start);
  lines.times[line] = time;
  addAddress(open.addresses, entry.addressHash());
  if (time < open.earliest) open.earliest = time;
  if (time > open.latest) open.latest = time;
  if (Number.isNaN(time)) open.timeless++;
}

function doubled({ length, pairs, steps, places, times }: OpenLines): OpenLines {
  const larger = roomFor(2 * length);
  larger.length = length;
  larger.pairs.set(pairs);
  larger.steps.set(steps);
  larger.places.set(places);
  larger.times.set(times);
  return larger;
}

/** The block as it is now, with the lines of the wanted pairs (a table by pair) or of all. */
export function viewOf(open: OpenBlock, wanted?: Uint8Array): Block {
  const { start, end, earliest, latest, timeless, lines } = open;
  const places = lines.places.slice(0, lines.length);
  const times = lines.times.slice(0, lines.length);
  let count = lines.length;
  if (wanted) {
    count = 0;
    for (let line = 0; line < lines.length; line++) {
      if (wanted[lines.pairs[line] as number] !== 1) continue;
      places[count] = places[line] as number;
      times[count++] = times[line] as number;
    }
  }
  const selected = { places: places.subarray(0, count), times: times.subarray(0, count) };
  return {
    number: -1,
    start,
    end,
    count,
    earliest,
    latest,
    timeless,
    places: () => selected.places,
    moments: () => selected,
  };
}
