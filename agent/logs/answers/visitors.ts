/** Goes through the requests of visitors in a log, as far as time allows. */
import type { Deadline } from '../../../src/shared/async.ts';
import { type Block, blocksBetween } from '../index/block.ts';
import type { IndexedSegment, Snapshot } from '../index/log-index.ts';
import type { EntryCursor } from '../line/classifier.ts';
import type { BlockReader } from './block-reader.ts';

export type VisitorTools = { reader: BlockReader; deadline: Deadline; signal: AbortSignal };

type Index = IndexedSegment['index'];

/** `mayHave`: whether a block may have one that is wanted; without it, each may. */
type Wanted = Omit<Parameters<Index['view']>[0], 'visitors'> & {
  /** Milliseconds since 1970. */
  from: number;
  mayHave?: (index: Index, block: Block) => boolean;
};

/** `domain`: undefined if only the entry itself has it. */
export type VisitedPair = { domain: string | undefined; status: number };

/**
 * Visits those since a time that fit the conditions, the newest blocks first; a host may be one of others, too.
 * @returns whether all were read before the deadline
 * @throws SegmentGone, and the reason of the signal
 */
export async function walkVisitors(
  snapshot: Snapshot,
  { from, mayHave = () => true, ...conditions }: Wanted,
  { reader, deadline, signal }: VisitorTools,
  visit: (entry: EntryCursor, pair: VisitedPair) => void,
): Promise<boolean> {
  /** @returns how many blocks were not read */
  async function walk(indexed: IndexedSegment): Promise<number> {
    const { index } = indexed;
    const view = index.view({ ...conditions, visitors: true });
    const { wanted } = view.selection;
    const described = Array.from(wanted, (_, pair) => index.pairs.describe(pair));
    const since = blocksBetween(view.blocks(), from, Number.POSITIVE_INFINITY);
    if (deadline.hasPassed()) return since.length;
    const blocks = since.filter((block) => mayHave(index, block));
    let left = blocks.length;
    const walked = reader.walk(indexed, blocks, (entry) => {
      const pair = described[entry.pair];
      if (pair && wanted[entry.pair] === 1 && entry.time >= from) visit(entry, pair);
    });
    for await (const _ of walked) {
      signal.throwIfAborted();
      left--;
      if (deadline.hasPassed()) break;
      await deadline.yieldTurn();
    }
    return left;
  }

  let left = 0;
  for (const indexed of snapshot.segments) left += await walk(indexed);
  return left === 0;
}
