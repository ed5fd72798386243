/** Counts the matches of a filter in each block of the log. */
import { type Block, isWithin } from '../index/block.ts';
import type { Deadline } from '../index/deadline.ts';
import type { IndexedSegment, Snapshot } from '../index/log-index.ts';
import type { BlockReader, Match } from './block-reader.ts';
import { type Conditions, requestTest, timeTest } from './filter.ts';
import type { MatchCounter } from './match-counter.ts';
import { selectIn } from './selection.ts';

export type PageTools = { reader: BlockReader; counter: MatchCounter; deadline: Deadline };

/** The matches in one segment; `blocks` are newest first. */
export type SegmentMatches = {
  indexed: IndexedSegment;
  match: Match;
  total: number;
  blocks: Iterable<Block>;
  /** Whether the matches of a block are what the index selects. */
  isExact(block: Block): boolean;
};

/**
 * The matches in all segments, newest first. What the index cannot count is counted by reading lines;
 * when the deadline passes, everything older counts as missing, and the result is not `complete`.
 * @throws SegmentGone
 */
export async function allMatches(
  { segments, complete }: Snapshot,
  conditions: Conditions,
  tools: PageTools,
): Promise<{ found: SegmentMatches[]; complete: boolean }> {
  const found: SegmentMatches[] = [];
  for (const indexed of segments) {
    const matches = await findMatches(indexed, conditions, tools);
    found.push(matches);
    if (!matches.complete) return { found, complete: false };
  }
  return { found, complete };
}

async function findMatches(
  indexed: IndexedSegment,
  conditions: Conditions,
  { counter, deadline }: PageTools,
): Promise<SegmentMatches & { complete: boolean }> {
  const { view, match, candidates } = selectIn(indexed, conditions);
  const hasRequestTest = requestTest(conditions) !== undefined;
  const hasTimeTest = timeTest(conditions) !== undefined;
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = conditions;
  const isExact = (block: Block) =>
    view.selection.certain && !hasRequestTest && (!hasTimeTest || isWithin(block, from, to));
  if (view.selection.certain && !hasRequestTest && !hasTimeTest) {
    return { indexed, match, total: view.total, blocks: view.blocks(), isExact, complete: true };
  }
  const name = JSON.stringify(conditions);
  const question = { name, indexed, blocks: candidates(), isExact, match };
  const { blocks, complete } = await counter.count(question, deadline);
  const total = blocks.reduce((sum, { count }) => sum + count, 0);
  return { indexed, match, total, blocks, isExact, complete };
}
