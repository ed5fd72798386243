/** The blocks that a segment is indexed in, and the places of lines in a block. */

/** A block ends at the first line end from here on. */
export const BLOCK_BYTES = 1 << 20;

/**
 * A place is an offset in a block divided by this: two bytes for any line that starts in it. An entry
 * is longer than a place, so it is the last line that starts there.
 */
export const PLACE_BYTES = 16;

/** The times of lines in milliseconds, NaN without one, and their places; in any order. */
export type Moments = { times: Float64Array; places: Uint16Array };

/** A block of a segment, with its lines that a filter selects. */
export type Block = {
  /** Identifies its rows; -1 while it grows. */
  number: number;
  /** Byte offsets in the (uncompressed) segment; both are line ends. */
  start: number;
  end: number;
  /** Number of selected lines. */
  count: number;
  /** Where these lines start, in rising order; maybe with lines that are not selected. */
  places(): Uint16Array;
  /** When exactly these lines, and no others, were written; null if the index does not hold that. */
  moments(): Moments | null;
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

/** The place of a line that starts at an offset in a block. */
export const placeOf = (offset: number): number => Math.floor(offset / PLACE_BYTES);
