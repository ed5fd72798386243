/** The blocks of an index that no longer grow, packed into typed arrays. */
import type { Block, Moments } from './block.ts';
import { type Growable, growable, type Kind, type Numbers } from './growable.ts';
import type { OpenBlock } from './open-block.ts';

/**
 * Receives one row of a block: the number of lines of a pair. Their latency steps (latency.ts) are
 * the `count` values from `first` on in `steps`.
 */
export type VisitRow = (pair: number, count: number, steps: Uint8Array, first: number) => void;

export type SealedBlocks = {
  readonly length: number;
  /** Appends a copy of the open block. */
  push(open: OpenBlock): void;
  /** A block with the lines of the wanted pairs (a table by pair) or of all. */
  get(block: number, wanted?: Uint8Array): Block;
  rows(block: number, visit: VisitRow): void;
  /**
   * When the lines of a block were written, in the order of its rows: line n of all blocks at
   * `earliest + ticks[n] * tick` or less than a tick later. Only if all entries have a time.
   */
  times(block: number): { earliest: number; tick: number; ticks: Uint16Array };
  /** Number of lines of a pair in all blocks. */
  total(pair: number): number;
};

export type BlockTable = ReturnType<typeof createBlockTable>;

/**
 * All that is known of the blocks: by block, by row, by line.
 * @param initial makes the array that a list begins with
 */
export function createBlockTable(
  initial: <T extends Numbers>(name: string, kind: Kind<T>) => T = (_, kind) => new kind(0),
) {
  const list = <T extends Numbers>(name: string, kind: Kind<T>) =>
    growable(kind, initial(name, kind));
  return {
    starts: list('starts', Float64Array),
    ends: list('ends', Float64Array),
    earliest: list('earliest', Float64Array),
    latest: list('latest', Float64Array),
    timeless: list('timeless', Uint32Array),
    /** The rows of block b are [firstRows(b), firstRows(b + 1)), its lines likewise. */
    firstRows: list('firstRows', Uint32Array),
    firstLines: list('firstLines', Uint32Array),
    rowPairs: list('rowPairs', Uint32Array),
    rowCounts: list('rowCounts', Uint16Array),
    /** In the order of the rows. */
    steps: list('steps', Uint8Array),
    places: list('places', Uint16Array),
    ticks: list('ticks', Uint16Array),
  };
}

/** Whole milliseconds, so that every time of a block is some ticks of 16 bits after its earliest. */
const tickOf = ({ earliest, latest }: Pick<Block, 'earliest' | 'latest'>): number =>
  Math.max(1, Math.ceil((latest - earliest + 1) / 2 ** 16));

/** @param table may have blocks already; the result owns it */
export function createSealedBlocks(table: BlockTable): SealedBlocks {
  const { starts, ends, earliest, latest, timeless, firstRows, firstLines } = table;
  const { rowPairs, rowCounts, steps, places, ticks } = table;
  const totals = growable(Float64Array);
  for (let row = 0; row < rowPairs.length; row++) totals.add(rowPairs.get(row), rowCounts.get(row));

  const endIn = (firsts: Growable<Uint32Array>, block: number, all: { length: number }) =>
    block + 1 < firsts.length ? firsts.get(block + 1) : all.length;

  // Copies the lines from their own order into that of the rows.
  function pushLines(open: OpenBlock): void {
    const { pairs, counts, linePairs, lineSteps, linePlaces, lineTimes } = open;
    const tick = tickOf(open);
    let end = steps.length;
    firstLines.push(end);
    const nextOfPair: number[] = [];
    for (const pair of pairs) {
      nextOfPair[pair] = end;
      end += counts[pair] ?? 0;
    }
    steps.resize(end);
    places.resize(end);
    ticks.resize(end);
    for (let line = 0; line < linePairs.length; line++) {
      const pair = linePairs.get(line);
      const next = nextOfPair[pair] ?? 0;
      steps.values[next] = lineSteps.get(line);
      places.values[next] = linePlaces.get(line);
      ticks.values[next] = Math.floor((lineTimes.get(line) - open.earliest) / tick);
      nextOfPair[pair] = next + 1;
    }
  }

  function placesIn(block: number, count: number, wanted: Uint8Array | undefined): Uint16Array {
    const found = new Uint16Array(count);
    let [first, length] = [firstLines.get(block), 0];
    const end = endIn(firstRows, block, rowPairs);
    for (let row = firstRows.get(block); row < end; row++) {
      const next = first + rowCounts.get(row);
      if (!wanted || wanted[rowPairs.get(row)] === 1) {
        found.set(places.values.subarray(first, next), length);
        length += next - first;
      }
      first = next;
    }
    return found.sort();
  }

  function momentsIn(block: number, count: number, wanted: Uint8Array | undefined): Moments | null {
    const first = earliest.get(block);
    const span = { earliest: first, latest: latest.get(block) };
    if (timeless.get(block) > 0 || tickOf(span) > 1) return null;
    const found = { times: new Float64Array(count), places: new Uint16Array(count) };
    let [line, length] = [firstLines.get(block), 0];
    const end = endIn(firstRows, block, rowPairs);
    for (let row = firstRows.get(block); row < end; row++) {
      const next = line + rowCounts.get(row);
      if (!wanted || wanted[rowPairs.get(row)] === 1) {
        found.places.set(places.values.subarray(line, next), length);
        for (; line < next; line++) found.times[length++] = first + ticks.get(line);
      }
      line = next;
    }
    return found;
  }

  function countIn(block: number, wanted: Uint8Array | undefined): number {
    if (!wanted) return endIn(firstLines, block, steps) - firstLines.get(block);
    let count = 0;
    const end = endIn(firstRows, block, rowPairs);
    const [pairs, counts] = [rowPairs.values, rowCounts.values];
    for (let row = firstRows.get(block); row < end; row++) {
      if (wanted[pairs[row] as number] === 1) count += counts[row] as number;
    }
    return count;
  }

  return {
    get length() {
      return starts.length;
    },

    push(open) {
      starts.push(open.start);
      ends.push(open.end);
      earliest.push(open.earliest);
      latest.push(open.latest);
      timeless.push(open.timeless);
      firstRows.push(rowPairs.length);
      for (const pair of open.pairs) {
        const count = open.counts[pair] ?? 0;
        totals.add(pair, count);
        rowPairs.push(pair);
        rowCounts.push(count);
      }
      pushLines(open);
    },

    get(block, wanted) {
      const count = countIn(block, wanted);
      return {
        number: block,
        start: starts.get(block),
        end: ends.get(block),
        count,
        places: () => placesIn(block, count, wanted),
        moments: () => momentsIn(block, count, wanted),
        earliest: earliest.get(block),
        latest: latest.get(block),
        timeless: timeless.get(block),
      };
    },

    rows(block, visit) {
      let first = firstLines.get(block);
      const end = endIn(firstRows, block, rowPairs);
      const [pairs, counts] = [rowPairs.values, rowCounts.values];
      for (let row = firstRows.get(block); row < end; row++) {
        const count = counts[row] as number;
        visit(pairs[row] as number, count, steps.values, first);
        first += count;
      }
    },

    times(block) {
      const span = { earliest: earliest.get(block), latest: latest.get(block) };
      return { earliest: span.earliest, tick: tickOf(span), ticks: ticks.values };
    },

    total: totals.get,
  };
}
