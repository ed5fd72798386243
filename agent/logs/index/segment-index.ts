/**
 * The sparse index of one segment: for each block, the number of lines of each pair (line/pairs.ts). That
 * of a finished segment is kept beside it, for the next start.
 */
import { open, rename, rm, stat } from 'node:fs/promises';
import { withSource } from '../files/open-source.ts';
import { plainPathOf, type Segment } from '../files/segments.ts';
import type { Source } from '../files/source.ts';
import { createPairs, type Pairs, type Selection, type Wanted } from '../line/pairs.ts';
import { BLOCK_BYTES, type Block } from './block.ts';
import { type IndexData, readIndexFile, writeIndexFile } from './index-file.ts';
import { addLine, createOpenBlock, type IndexedEntry, restart, viewOf } from './open-block.ts';
import { createSealedBlocks, type SealedBlocks } from './sealed-blocks.ts';

/** An answer of the index. Its numbers are those of the moment it was made; later growth is not in it. */
export type IndexView = {
  selection: Selection;
  /** Number of selected lines. */
  total: number;
  /** The blocks that hold some of them, newest first. */
  blocks(): Iterable<Block>;
};

export type SegmentIndex = {
  readonly pairs: Pairs;
  /** Offset up to which the segment has been indexed. */
  readonly end: number;
  /** The last line has no newline, so the segment must not grow any more. */
  readonly unterminated: boolean;
  /** Times of the earliest and the latest entry; infinite if none has a time. */
  readonly earliest: number;
  readonly latest: number;
  /** Adds the entry in [start, end) of the segment. Lines are added in the order of the file. */
  add(start: number, end: number, entry: IndexedEntry): void;
  /** Skips a line that is not an entry. One longer than a block belongs to no block. */
  skip(start: number, end: number): void;
  /** The rest of the segment was added as a line although it has no newline. */
  terminate(): void;
  /** All that is needed to make the same index again; the last block ends here. Not a copy. */
  seal(): IndexData;
  /** What is known of the lines of a block that no longer grows. */
  rows: SealedBlocks['rows'];
  times: SealedBlocks['times'];
  /** False if no line of a block has an address with this hash (`addressHash`). */
  mayHave(block: Block, addressHash: number): boolean;
  view(wanted: Wanted): IndexView;
};

/** @param data the beginning, as `seal` has returned it; the result owns it */
export function createSegmentIndex(data?: IndexData): SegmentIndex {
  const blocks = data?.blocks ?? [];
  const pairs = createPairs(data?.pairs);
  const sealed = createSealedBlocks(blocks);
  const open = createOpenBlock(data?.end ?? 0);
  let unterminated = data?.unterminated ?? false;
  let sealedEarliest = Number.POSITIVE_INFINITY;
  let sealedLatest = Number.NEGATIVE_INFINITY;
  for (const block of blocks) extendTimes(block);

  function extendTimes({ earliest, latest }: Pick<Block, 'earliest' | 'latest'>): void {
    sealedEarliest = Math.min(sealedEarliest, earliest);
    sealedLatest = Math.max(sealedLatest, latest);
  }

  function sealAt(nextStart: number): void {
    sealed.push(open);
    extendTimes(open);
    restart(open, nextStart);
  }

  function growTo(end: number): void {
    open.end = end;
    if (end - open.start >= BLOCK_BYTES) sealAt(end);
  }

  return {
    pairs,
    get end() {
      return open.end;
    },
    get unterminated() {
      return unterminated;
    },
    get earliest() {
      return Math.min(sealedEarliest, open.earliest);
    },
    get latest() {
      return Math.max(sealedLatest, open.latest);
    },

    add(start, end, entry) {
      addLine(open, start, entry);
      growTo(end);
    },
    skip(start, end) {
      if (end - start > BLOCK_BYTES) sealAt(end);
      else growTo(end);
    },
    terminate() {
      unterminated = true;
    },

    seal() {
      if (open.end > open.start) sealAt(open.end);
      return { pairs: pairs.list(), blocks, end: open.end, unterminated };
    },

    rows: sealed.rows,
    times: sealed.times,
    mayHave: ({ number }, addressHash) => number < 0 || sealed.mayHave(number, addressHash),

    view(of) {
      const selection = pairs.select(of);
      const { length } = sealed;
      const wanted = selection.all ? undefined : selection.wanted;
      const newest = viewOf(open, wanted);
      let total = newest.count;
      for (const pair of selection.ids) total += sealed.total(pair);
      return {
        selection,
        total,
        *blocks() {
          if (newest.count > 0) yield newest;
          for (let number = length - 1; number >= 0; number--) {
            const block = sealed.get(number, wanted);
            if (block.count > 0) yield block;
          }
        },
      };
    },
  };
}

// That of a segment of 100 GB.
const LARGEST = 1 << 30;

const indexOf = (segment: Segment): string => `${plainPathOf(segment)}.index`;

/** The stored index; undefined if there is none of this very file. Never rejects. */
export async function loadIndex(
  segment: Segment,
  source: Source,
): Promise<SegmentIndex | undefined> {
  try {
    const path = indexOf(segment);
    const found = await stat(path);
    if (!found.isFile() || found.size > LARGEST) return undefined;
    const bytes = await Bun.file(path).arrayBuffer();
    const data = readIndexFile(bytes, await source.fingerprint());
    // That of a damaged file is made again, so that the damage is found.
    const stated = source.isSeekable ? await source.statedSize() : undefined;
    return data && (stated === undefined || stated === data.end % 2 ** 32)
      ? createSegmentIndex(data)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Stores the index of a segment. Never rejects: whoever cannot write here reads the log again. */
export async function storeIndex(segment: Segment, index: SegmentIndex): Promise<void> {
  const path = indexOf(segment);
  const unfinished = `${path}.tmp`;
  try {
    const fingerprint = await withSource(segment, (source) => source.fingerprint());
    if (fingerprint === undefined) return;
    await rm(unfinished, { force: true });
    // Never through a link that someone else has put there.
    const target = await open(unfinished, 'wx', 0o600);
    try {
      await target.writeFile(writeIndexFile(index.seal(), fingerprint));
    } finally {
      await target.close();
    }
    await rename(unfinished, path);
  } catch {
    await rm(unfinished, { force: true }).catch(() => undefined);
  }
}

/** Deletes the stored index of a segment. Never rejects. */
export const dropIndex = (segment: Segment): Promise<void> =>
  rm(indexOf(segment), { force: true }).catch(() => undefined);
