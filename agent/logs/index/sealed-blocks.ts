/** The blocks of an index that no longer grow. */
import { mayHaveAddress, shrunk } from '../line/address.ts';
import type { Block, Moments } from './block.ts';
import { type Arena, createArena } from './growable.ts';
import type { OpenBlock } from './open-block.ts';

/**
 * Receives one row of a block: the number of lines of a pair. Their latency steps (latency.ts) are
 * the `count` values from `first` on in `steps`.
 */
export type VisitRow = (pair: number, count: number, steps: Uint8Array, first: number) => void;

/** A block, packed into typed arrays of its own: what grows is a list of blocks, and nothing is copied. */
export type SealedBlock = Pick<Block, 'start' | 'end' | 'earliest' | 'latest' | 'timeless'> & {
  /** By row: a pair, and the number of its lines. */
  pairs: Uint32Array;
  counts: Uint16Array;
  /** By line, in the order of the rows; for `ticks` see `SealedBlocks.times`. */
  steps: Uint8Array;
  places: Uint16Array;
  ticks: Uint16Array;
  /** See line/address.ts. */
  addresses: Uint32Array;
};

export type SealedBlocks = {
  readonly length: number;
  /** Appends a copy of the open block. */
  push(open: OpenBlock): void;
  /** A block with the lines of the wanted pairs (a table by pair) or of all. */
  get(block: number, wanted?: Uint8Array): Block;
  rows(block: number, visit: VisitRow): void;
  /**
   * When the lines of a block were written, in the order of its rows: line n at
   * `earliest + ticks[n] * tick` or less than a tick later. Only if all entries have a time.
   */
  times(block: number): { earliest: number; tick: number; ticks: Uint16Array };
  /** False if no line of a block has an address with this hash. */
  mayHave(block: number, addressHash: number): boolean;
  /** Number of lines of a pair in all blocks. */
  total(pair: number): number;
};

/** Whole milliseconds, so that every time of a block is some ticks of 16 bits after its earliest. */
const tickOf = ({ earliest, latest }: Pick<Block, 'earliest' | 'latest'>): number =>
  Math.max(1, Math.ceil((latest - earliest + 1) / 2 ** 16));

/** @param blocks the first ones; the result owns the list, and appends to it */
export function createSealedBlocks(blocks: SealedBlock[]): SealedBlocks {
  const totals: number[] = [];
  const arena = createArena();
  for (const block of blocks) addTotals(block);

  function addTotals({ pairs, counts }: SealedBlock): void {
    for (let row = 0; row < pairs.length; row++) {
      const pair = pairs[row] as number;
      while (totals.length <= pair) totals.push(0);
      totals[pair] = (totals[pair] as number) + (counts[row] as number);
    }
  }

  const at = (block: number): SealedBlock => blocks[block] as SealedBlock;

  return {
    get length() {
      return blocks.length;
    },

    push(open) {
      const block = seal(open, arena);
      blocks.push(block);
      addTotals(block);
    },

    get(number, wanted) {
      const block = at(number);
      const { start, end, earliest, latest, timeless } = block;
      const count = countIn(block, wanted);
      const places = () => placesIn(block, count, wanted);
      const moments = () => momentsIn(block, count, wanted);
      return { number, start, end, count, places, moments, earliest, latest, timeless };
    },

    rows(block, visit) {
      const { pairs, counts, steps } = at(block);
      let first = 0;
      for (let row = 0; row < pairs.length; row++) {
        const count = counts[row] as number;
        visit(pairs[row] as number, count, steps, first);
        first += count;
      }
    },

    times(block) {
      const { earliest, latest, ticks } = at(block);
      return { earliest, tick: tickOf({ earliest, latest }), ticks };
    },

    mayHave: (block, addressHash) => mayHaveAddress(at(block).addresses, addressHash),

    total: (pair) => totals[pair] ?? 0,
  };
}

/** A copy of the open block; its lines are brought from their own order into that of the rows. */
function seal(open: OpenBlock, arena: Arena): SealedBlock {
  const { start, end, earliest, latest, timeless, lines } = open;
  const { length } = lines;
  const pairs = arena(Uint32Array, open.pairs.length);
  const counts = arena(Uint16Array, open.pairs.length);
  const steps = arena(Uint8Array, length);
  const places = arena(Uint16Array, length);
  const ticks = arena(Uint16Array, length);
  const tick = tickOf(open);
  const nextOfPair = new Uint32Array(open.counts.length);
  let first = 0;
  for (const [row, pair] of open.pairs.entries()) {
    const count = open.counts[pair] as number;
    pairs[row] = pair;
    counts[row] = count;
    nextOfPair[pair] = first;
    first += count;
  }
  for (let line = 0; line < length; line++) {
    const pair = lines.pairs[line] as number;
    const next = nextOfPair[pair] as number;
    nextOfPair[pair] = next + 1;
    steps[next] = lines.steps[line] as number;
    places[next] = lines.places[line] as number;
    ticks[next] = Math.floor(((lines.times[line] as number) - earliest) / tick);
  }
  const filter = shrunk(open.addresses);
  const addresses = arena(Uint32Array, filter.length);
  addresses.set(filter);
  return { start, end, earliest, latest, timeless, pairs, counts, steps, places, ticks, addresses };
}

function placesIn(block: SealedBlock, count: number, wanted: Uint8Array | undefined): Uint16Array {
  const { pairs, counts, places } = block;
  const found = new Uint16Array(count);
  let [first, length] = [0, 0];
  for (let row = 0; row < pairs.length; row++) {
    const next = first + (counts[row] as number);
    if (!wanted || wanted[pairs[row] as number] === 1) {
      found.set(places.subarray(first, next), length);
      length += next - first;
    }
    first = next;
  }
  return found.sort();
}

function momentsIn(
  block: SealedBlock,
  count: number,
  wanted: Uint8Array | undefined,
): Moments | null {
  const { pairs, counts, places, ticks, earliest, timeless } = block;
  if (timeless > 0 || tickOf(block) > 1) return null;
  const found = { times: new Float64Array(count), places: new Uint16Array(count) };
  let [line, length] = [0, 0];
  for (let row = 0; row < pairs.length; row++) {
    const next = line + (counts[row] as number);
    if (!wanted || wanted[pairs[row] as number] === 1) {
      found.places.set(places.subarray(line, next), length);
      for (; line < next; line++) found.times[length++] = earliest + (ticks[line] as number);
    }
    line = next;
  }
  return found;
}

function countIn({ pairs, counts, steps }: SealedBlock, wanted: Uint8Array | undefined): number {
  if (!wanted) return steps.length;
  let count = 0;
  for (let row = 0; row < pairs.length; row++) {
    if (wanted[pairs[row] as number] === 1) count += counts[row] as number;
  }
  return count;
}
