/** The blocks of an index that no longer grow, packed into typed arrays. */
import type { Block } from './block.ts';
import { growable } from './growable.ts';
import { type OpenBlock, viewOf } from './open-block.ts';

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
  /** Number of lines of a pair in all blocks. */
  total(pair: number): number;
};

export function createSealedBlocks(): SealedBlocks {
  const starts = growable(Float64Array);
  const ends = growable(Float64Array);
  const earliest = growable(Float64Array);
  const latest = growable(Float64Array);
  const timeless = growable(Uint32Array);
  // Over all rows of a block: what a query without a filter asks for.
  const allCounts = growable(Uint32Array);
  const allParts = growable(Uint32Array);
  // The rows of block b are [firstRow(b), firstRow(b + 1)).
  const firstRows = growable(Uint32Array);
  const rowPairs = growable(Uint32Array);
  const rowCounts = growable(Uint32Array);
  const rowParts = growable(Uint32Array);
  // One byte for every line, in the order of the rows, and where those of a block start.
  const steps = growable(Uint8Array);
  const firstSteps = growable(Float64Array);
  const totals = growable(Float64Array);

  const endOfRows = (block: number) =>
    block + 1 < firstRows.length ? firstRows.get(block + 1) : rowPairs.length;

  // Copies the steps from the order of the lines into that of the rows.
  function pushSteps({ pairs, counts, linePairs, lineSteps }: OpenBlock): void {
    let end = steps.length;
    firstSteps.push(end);
    const nextOfPair: number[] = [];
    for (const pair of pairs) {
      nextOfPair[pair] = end;
      end += counts[pair] ?? 0;
    }
    steps.resize(end);
    const { values } = steps;
    for (let line = 0; line < linePairs.length; line++) {
      const pair = linePairs.get(line);
      const next = nextOfPair[pair] ?? 0;
      values[next] = lineSteps.get(line);
      nextOfPair[pair] = next + 1;
    }
  }

  return {
    get length() {
      return starts.length;
    },

    push(open) {
      const all = viewOf(open);
      starts.push(all.start);
      ends.push(all.end);
      earliest.push(all.earliest);
      latest.push(all.latest);
      timeless.push(all.timeless);
      allCounts.push(all.count);
      allParts.push(all.parts);
      firstRows.push(rowPairs.length);
      for (const pair of open.pairs) {
        const count = open.counts[pair] ?? 0;
        totals.add(pair, count);
        rowPairs.push(pair);
        rowCounts.push(count);
        rowParts.push(open.parts[pair] ?? 0);
      }
      pushSteps(open);
    },

    get(block, wanted) {
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
      const end = endOfRows(block);
      const [pairs, counts, parts] = [rowPairs.values, rowCounts.values, rowParts.values];
      for (let row = firstRows.get(block); row < end; row++) {
        if (wanted[pairs[row] as number] !== 1) continue;
        found.count += counts[row] as number;
        found.parts |= parts[row] as number;
      }
      return found;
    },

    rows(block, visit) {
      let first = firstSteps.get(block);
      const end = endOfRows(block);
      const [pairs, counts] = [rowPairs.values, rowCounts.values];
      for (let row = firstRows.get(block); row < end; row++) {
        const count = counts[row] as number;
        visit(pairs[row] as number, count, steps.values, first);
        first += count;
      }
    },

    total: totals.get,
  };
}
