/** The last block of an index, to which lines are still added. */
import { type Block, partOf } from './block.ts';
import type { EntryCursor } from './classifier.ts';
import { type Growable, growable } from './growable.ts';
import { latencyStep } from './latency.ts';

export type OpenBlock = Pick<Block, 'start' | 'end' | 'earliest' | 'latest' | 'timeless'> & {
  /** The pairs that occur, in the order of their first line. */
  pairs: number[];
  /** By pair: the number of its lines, and the mask of the parts they start in. */
  counts: number[];
  parts: number[];
  /** By line: its pair and latency step. */
  linePairs: Growable<Uint32Array>;
  lineSteps: Growable<Uint8Array>;
};

export function createOpenBlock(): OpenBlock {
  const open = { counts: [], parts: [], linePairs: growable(Uint32Array) };
  return { ...open, lineSteps: growable(Uint8Array), ...emptyAt(0) };
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
  for (const pair of open.pairs) {
    open.counts[pair] = 0;
    open.parts[pair] = 0;
  }
  open.linePairs.resize(0);
  open.lineSteps.resize(0);
  Object.assign(open, emptyAt(start));
}

/** What the index keeps of an access entry; the cursor has the units. */
export type IndexedEntry = Pick<EntryCursor, 'pair' | 'time' | 'latency'>;

/** Adds an entry whose line starts at an offset in the segment. */
export function addLine(open: OpenBlock, start: number, entry: IndexedEntry): void {
  const { pair, time } = entry;
  const count = open.counts[pair] ?? 0;
  if (count === 0) open.pairs.push(pair);
  while (open.counts.length <= pair) {
    open.counts.push(0);
    open.parts.push(0);
  }
  open.counts[pair] = count + 1;
  open.parts[pair] = (open.parts[pair] ?? 0) | (1 << partOf(start - open.start));
  open.linePairs.push(pair);
  open.lineSteps.push(latencyStep(entry.latency));
  if (time < open.earliest) open.earliest = time;
  if (time > open.latest) open.latest = time;
  if (Number.isNaN(time)) open.timeless++;
}

/** The block as it is now, with the lines of the wanted pairs (a table by pair) or of all. */
export function viewOf(open: OpenBlock, wanted?: Uint8Array): Block {
  const { start, end, earliest, latest, timeless } = open;
  const block = { number: -1, start, end, count: 0, parts: 0, earliest, latest, timeless };
  for (const pair of open.pairs) {
    if (wanted && wanted[pair] !== 1) continue;
    block.count += open.counts[pair] ?? 0;
    block.parts |= open.parts[pair] ?? 0;
  }
  return block;
}
