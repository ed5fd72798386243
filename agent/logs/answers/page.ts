/** Finds one page of the log: the index counts, and only the lines of the page are parsed. */
import type { LogEntry, LogPage } from '../../../src/shared/wire.ts';
import { type Block, isWithin } from '../index/block.ts';
import type { Deadline } from '../index/deadline.ts';
import { entryFacts, toEntry } from '../index/entry.ts';
import type { IndexedSegment, Snapshot } from '../index/log-index.ts';
import type { BlockReader, BlockRequest, Match } from './block-reader.ts';
import { detailsOf } from './details.ts';
import { type Conditions, type LogFilter, requestTest, timeTest } from './filter.ts';
import { SegmentGone } from './lines-at.ts';
import type { MatchCounter } from './match-counter.ts';
import { selectIn } from './selection.ts';

export type PageTools = { reader: BlockReader; counter: MatchCounter; deadline: Deadline };

/** The matches in one segment; `blocks` are newest first. */
type SegmentMatches = {
  indexed: IndexedSegment;
  match: Match;
  total: number;
  blocks: Iterable<Block>;
};

/**
 * A page of the log, newest first. What the index cannot count is counted by reading lines; when the
 * deadline passes, everything older counts as missing and the page is `partial`.
 * @throws SegmentGone
 */
export async function readPage(
  snapshot: Snapshot,
  filter: LogFilter,
  tools: PageTools,
): Promise<LogPage> {
  const { page, pageSize, details = false, ...conditions } = filter;
  const found: SegmentMatches[] = [];
  let { complete } = snapshot;
  for (const indexed of snapshot.segments) {
    const matches = await findMatches(indexed, conditions, tools);
    found.push(matches);
    if (matches.complete) continue;
    complete = false;
    break;
  }

  const logs: LogEntry[] = [];
  let total = 0;
  let skip = (page - 1) * pageSize;
  for (const matches of found) {
    total += matches.total;
    const take = Math.min(pageSize - logs.length, matches.total - skip);
    if (take > 0) {
      logs.push(...(await readEntries(matches, skip, take, details, tools.reader)));
    }
    skip = Math.max(0, skip - matches.total);
  }
  return { logs, total, page, pageSize, ...(!complete && { partial: true as const }) };
}

/** Counts the matches in each block of a segment. */
async function findMatches(
  indexed: IndexedSegment,
  conditions: Conditions,
  { counter, deadline }: PageTools,
): Promise<SegmentMatches & { complete: boolean }> {
  const { view, match, candidates } = selectIn(indexed, conditions);
  const hasRequestTest = requestTest(conditions) !== undefined;
  const hasTimeTest = timeTest(conditions) !== undefined;
  if (view.selection.certain && !hasRequestTest && !hasTimeTest) {
    return { indexed, match, total: view.total, blocks: view.blocks(), complete: true };
  }

  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = conditions;
  const question = {
    name: JSON.stringify(conditions),
    indexed,
    blocks: candidates(),
    isExact: (block: Block) =>
      view.selection.certain && !hasRequestTest && (!hasTimeTest || isWithin(block, from, to)),
    match,
  };
  const { blocks, complete } = await counter.count(question, deadline);
  const total = blocks.reduce((sum, { count }) => sum + count, 0);
  return { indexed, match, total, blocks, complete };
}

/** `take` entries of a segment after the newest `skip`; there must be that many. */
async function readEntries(
  { indexed, match, blocks }: SegmentMatches,
  skip: number,
  take: number,
  details: boolean,
  reader: BlockReader,
): Promise<LogEntry[]> {
  // For each block: how many of its lines to skip, and where the others go on the page.
  const wanted = new Map<BlockRequest, { skip: number; first: number }>();
  let toSkip = skip;
  let first = 0;
  for (const block of blocks) {
    if (first >= take) break;
    const limit = Math.min(block.count, toSkip + take - first);
    if (limit > toSkip) {
      wanted.set({ block, limit }, { skip: toSkip, first });
      first += limit - toSkip;
    }
    toSkip = Math.max(0, toSkip - block.count);
  }

  const entries = new Array<LogEntry | undefined>(take);
  for await (const { request, lines } of reader.read(indexed, [...wanted.keys()], match)) {
    const range = wanted.get(request);
    if (!range || lines.length < request.limit) throw new SegmentGone('the segment has changed');
    for (const [i, line] of lines.slice(range.skip).entries()) {
      const text = line.toString();
      const facts = entryFacts(text);
      entries[range.first + i] = facts && {
        ...toEntry(facts),
        ...(details && { details: detailsOf(text) }),
      };
    }
  }
  // Without the lines that the scanner takes for entries although their headers are damaged.
  return entries.filter((entry) => entry !== undefined);
}
