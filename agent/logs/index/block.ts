/** The blocks that a segment is indexed in, and the parts that a block is divided into. */

/** A block ends at the first line end from here on. */
export const BLOCK_BYTES = 1 << 20;
/** A block has 32 parts, one for each bit of a mask; the last one may be longer. */
const PART_BYTES = 1 << 15;
export const PARTS = 32;

/** A block of a segment, with its lines that a filter selects. */
export type Block = {
  /** Identifies its rows; -1 while it grows. */
  number: number;
  /** Byte offsets in the (uncompressed) segment; both are line ends. */
  start: number;
  end: number;
  /** Number of selected lines. */
  count: number;
  /** Bit n is set if such a line starts in part n. */
  parts: number;
  /**
   * Times of the earliest and the latest entry in the block, selected or not, in milliseconds.
   * Lines need not be in the order of their times. Infinite if no entry has a time.
   */
  earliest: number;
  latest: number;
  /** Number of entries without a time, selected or not. */
  timeless: number;
};

/** The blocks that may hold entries with a time in [from, to). */
export const blocksBetween = (blocks: Iterable<Block>, from: number, to: number): Block[] =>
  [...blocks].filter(({ earliest, latest }) => latest >= from && earliest < to);

/** Whether all entries of a block have a time in [from, to). */
export const isWithin = ({ earliest, latest, timeless }: Block, from: number, to: number) =>
  timeless === 0 && earliest >= from && latest < to;

/** The number of the part that an offset in the block is in. */
export function partOf(offset: number): number {
  return Math.min(PARTS - 1, Math.floor(offset / PART_BYTES));
}

/** How many parts hold `limit` selected lines if these are spread evenly over the parts set. */
export function partsNeeded({ parts, count }: Block, limit: number): number {
  let used = 0;
  for (let part = 0; part < PARTS; part++) if (isSet(parts, part)) used++;
  return Math.ceil((limit * used) / count);
}

/** The byte ranges of the parts with selected lines, highest first, each of at most `longest` parts. */
export function* spans(block: Block, longest: number): Generator<[from: number, to: number]> {
  for (const [first, last] of runs(block.parts, longest)) {
    const from = block.start + first * PART_BYTES;
    yield [from, last === PARTS ? block.end : Math.min(block.end, block.start + last * PART_BYTES)];
  }
}

// The set bits of a mask as ranges [first, last), highest first, none longer than `longest`.
function* runs(parts: number, longest: number): Generator<[first: number, last: number]> {
  let last = PARTS;
  while (last > 0) {
    if (!isSet(parts, last - 1)) {
      last--;
      continue;
    }
    let first = last - 1;
    while (first > 0 && last - first < longest && isSet(parts, first - 1)) first--;
    yield [first, last];
    last = first;
  }
}

function isSet(parts: number, part: number): boolean {
  return ((parts >>> part) & 1) === 1;
}
