import { growable } from './growable.ts';
import { latencyStep } from './latency.ts';
import { createPairs, type Pairs, type Selection } from './pairs.ts';

/** Blocks are cut at the first line end from here on. */
export const BLOCK_BYTES = 1 << 20;
/** A block has 32 parts, one for each bit of a mask; the last one may be longer. */
export const PART_BYTES = 1 << 15;
export const PARTS = 32;

/** A block of a segment that holds lines of a selection. */
export type Found = {
  /** To ask for its rows by; -1 while it grows. */
  number: number;
  /** Byte offsets in the (uncompressed) segment; both are line ends. */
  start: number;
  end: number;
  /** Lines of the selected pairs. */
  count: number;
  /** Bit n is set when such a line begins in [start + n * PART_BYTES, …); the last bit is open. */
  parts: number;
  /**
   * Times of the earliest and the latest entry in the block (of any pair), in milliseconds; lines
   * need not be in their order. Infinite where no entry has a time.
   */
  earliest: number;
  latest: number;
  /** Entries without a time, of any pair. */
  timeless: number;
};

/** What an index answered at one moment: later growth does not change it. */
export type IndexView = {
  selection: Selection;
  /** Lines of the selected pairs. */
  total: number;
  /** The blocks that hold some, newest first. */
  blocks(): Iterable<Found>;
};

/** The sparse index of one segment: per block the number of lines of each (domain, status). */
export type SegmentIndex = {
  readonly pairs: Pairs;
  /** Offset up to which the segment has been indexed. */
  readonly end: number;
  /** The last line had no newline: the segment must not grow any more. */
  readonly unterminated: boolean;
  /** Lines that are no access entries. */
  readonly passedOver: number;
  /** Counts an entry; `time` in milliseconds since 1970 or NaN, `latency` in milliseconds. Lines come in file order. */
  entry(start: number, end: number, pair: number, time: number, latency: number): void;
  /** Passes over a line that is no entry; one longer than a block stands outside of them all. */
  other(start: number, end: number): void;
  /** The rest of the segment has been taken as a line although no newline ends it. */
  terminate(): void;
  /** Times of the earliest and the latest entry; infinite where none has a time. */
  readonly earliest: number;
  readonly latest: number;
  /**
   * The pairs of a block that no longer grows, each with the number of its lines; their latency
   * steps (see latency.ts) are those from `first` on in `steps`.
   */
  rows(
    block: number,
    visit: (pair: number, count: number, steps: Uint8Array, first: number) => void,
  ): void;
  view(key: string | undefined, status?: (status: number) => boolean): IndexView;
};

export function createSegmentIndex(): SegmentIndex {
  const pairs = createPairs();
  let passedOver = 0;
  let unterminated = false;

  // Sealed blocks. The rows of block b stand at [firstRow(b), firstRow(b + 1)).
  const starts = growable(Float64Array);
  const ends = growable(Float64Array);
  const earliest = growable(Float64Array);
  const latest = growable(Float64Array);
  const timeless = growable(Uint32Array);
  // Of all rows of a block together: what an absent filter asks for.
  const allCounts = growable(Uint32Array);
  const allParts = growable(Uint32Array);
  const firstRows = growable(Uint32Array);
  const rowPairs = growable(Uint32Array);
  const rowCounts = growable(Uint32Array);
  const rowParts = growable(Uint32Array);

  // One byte for every line in the sealed blocks, in the order of rows; where a block's begin.
  const steps = growable(Uint8Array);
  const firstSteps = growable(Float64Array);
  // Pair and step of the lines in the open block, in their order.
  const openPairs = growable(Uint32Array);
  const openSteps = growable(Uint8Array);
  let earliestOfAll = Number.POSITIVE_INFINITY;
  let latestOfAll = Number.NEGATIVE_INFINITY;

  // Lines of each pair in the sealed blocks.
  const totals = growable(Float64Array);

  // The block that is still growing.
  let open = emptyBlock(0);

  function seal(): void {
    starts.push(open.start);
    ends.push(open.end);
    earliest.push(open.earliest);
    latest.push(open.latest);
    timeless.push(open.timeless);
    firstRows.push(rowPairs.length);
    const all = openBlock();
    allCounts.push(all.count);
    allParts.push(all.parts);
    sealSteps();
    for (const pair of open.pairs) {
      const count = open.counts[pair] ?? 0;
      totals.add(pair, count);
      rowPairs.push(pair);
      rowCounts.push(count);
      rowParts.push(open.parts[pair] ?? 0);
      open.counts[pair] = 0;
      open.parts[pair] = 0;
    }
    const { counts, parts } = open;
    open = { ...emptyBlock(open.end), counts, parts };
  }

  // Puts the steps of the open block into the order of its rows.
  function sealSteps(): void {
    let next = steps.length;
    firstSteps.push(next);
    const places: number[] = [];
    for (const pair of open.pairs) {
      places[pair] = next;
      next += open.counts[pair] ?? 0;
    }
    steps.resize(next);
    const { values } = steps;
    for (let line = 0; line < openPairs.length; line++) {
      const pair = openPairs.get(line);
      const place = places[pair] ?? 0;
      values[place] = openSteps.get(line);
      places[pair] = place + 1;
    }
    openPairs.resize(0);
    openSteps.resize(0);
  }

  function reach(end: number): void {
    open.end = end;
    if (end - open.start >= BLOCK_BYTES) seal();
  }

  function sealedBlock(block: number, wanted?: Uint8Array): Found {
    const found = {
      number: block,
      start: starts.get(block),
      end: ends.get(block),
      count: allCounts.get(block),
      parts: allParts.get(block),
      earliest: earliest.get(block),
      latest: latest.get(block),
      timeless: timeless.get(block),
    };
    if (!wanted) return found;
    found.count = 0;
    found.parts = 0;
    const last = block + 1 < firstRows.length ? firstRows.get(block + 1) : rowPairs.length;
    const [pairsOfRows, counts, parts] = [rowPairs.values, rowCounts.values, rowParts.values];
    for (let row = firstRows.get(block); row < last; row++) {
      if (wanted[pairsOfRows[row] as number] !== 1) continue;
      found.count += counts[row] as number;
      found.parts |= parts[row] as number;
    }
    return found;
  }

  function openBlock(wanted?: Uint8Array): Found {
    const { start, end, earliest, latest, timeless } = open;
    const found = { number: -1, start, end, count: 0, parts: 0, earliest, latest, timeless };
    for (const pair of open.pairs) {
      if (wanted && wanted[pair] !== 1) continue;
      found.count += open.counts[pair] ?? 0;
      found.parts |= open.parts[pair] ?? 0;
    }
    return found;
  }

  return {
    pairs,
    get end() {
      return open.end;
    },
    get unterminated() {
      return unterminated;
    },
    get passedOver() {
      return passedOver;
    },

    get earliest() {
      return earliestOfAll;
    },
    get latest() {
      return latestOfAll;
    },

    rows(block, visit) {
      let first = firstSteps.get(block);
      const last = block + 1 < firstRows.length ? firstRows.get(block + 1) : rowPairs.length;
      const [pairsOfRows, counts] = [rowPairs.values, rowCounts.values];
      for (let row = firstRows.get(block); row < last; row++) {
        const count = counts[row] as number;
        visit(pairsOfRows[row] as number, count, steps.values, first);
        first += count;
      }
    },

    entry(start, end, pair, time, latency) {
      const count = open.counts[pair] ?? 0;
      if (count === 0) open.pairs.push(pair);
      while (open.counts.length <= pair) {
        open.counts.push(0);
        open.parts.push(0);
      }
      open.counts[pair] = count + 1;
      open.parts[pair] = (open.parts[pair] ?? 0) | (1 << partOf(start - open.start));
      openPairs.push(pair);
      openSteps.push(latencyStep(latency));
      if (time < open.earliest) open.earliest = time;
      if (time > open.latest) open.latest = time;
      if (time < earliestOfAll) earliestOfAll = time;
      if (time > latestOfAll) latestOfAll = time;
      if (Number.isNaN(time)) open.timeless++;
      reach(end);
    },

    other(start, end) {
      passedOver++;
      if (end - start <= BLOCK_BYTES) return reach(end);
      seal();
      open.start = end;
      open.end = end;
    },

    terminate() {
      unterminated = true;
    },

    view(key, status) {
      const selection = pairs.select(key, status);
      const sealed = starts.length;
      const wanted = key === undefined && !status ? undefined : selection.wanted;
      const newest = openBlock(wanted);
      let total = newest.count;
      for (const pair of selection.ids) total += totals.get(pair);
      return {
        selection,
        total,
        *blocks() {
          if (newest.count > 0) yield newest;
          for (let block = sealed - 1; block >= 0; block--) {
            const found = sealedBlock(block, wanted);
            if (found.count > 0) yield found;
          }
        },
      };
    },
  };
}

/** The part of its block in which a line begins. */
export function partOf(offsetInBlock: number): number {
  return Math.min(PARTS - 1, Math.floor(offsetInBlock / PART_BYTES));
}

function emptyBlock(start: number) {
  return {
    start,
    end: start,
    earliest: Number.POSITIVE_INFINITY,
    latest: Number.NEGATIVE_INFINITY,
    timeless: 0,
    /** Pairs that occur, in order of first appearance. */
    pairs: [] as number[],
    /** By pair. */
    counts: [] as number[],
    parts: [] as number[],
  };
}
