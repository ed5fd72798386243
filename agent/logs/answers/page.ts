/** Finds one page of the log: the index counts, and only the lines of the page are parsed. */
import type { LogEntry, LogPage } from '../../../src/shared/wire/logs.ts';
import type { Snapshot } from '../index/log-index.ts';
import type { BlockReader, BlockRequest } from './block-reader.ts';
import type { LogFilter } from './filter.ts';
import { goneFrom, SegmentGone } from './lines-at.ts';
import { allMatches, type PageTools, type SegmentMatches } from './matches.ts';

/**
 * A page of the log, newest first; `partial` if not all matches were counted.
 * @throws SegmentGone
 */
export async function readPage(
  snapshot: Snapshot,
  filter: LogFilter,
  tools: PageTools,
): Promise<LogPage> {
  const { page, pageSize, details = false, ...conditions } = filter;
  const { found, complete } = await allMatches(snapshot, conditions, tools);
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

/** `take` entries of a segment after the newest `skip`; there must be that many. */
async function readEntries(
  { indexed, match, blocks }: SegmentMatches,
  skip: number,
  take: number,
  details: boolean,
  reader: BlockReader,
): Promise<LogEntry[]> {
  // Where the entries of each block go on the page.
  const wanted = new Map<BlockRequest, number>();
  let toSkip = skip;
  let first = 0;
  for (const block of blocks) {
    if (first >= take) break;
    const limit = Math.min(block.count - toSkip, take - first);
    if (limit > 0) {
      wanted.set({ block, skip: toSkip, limit }, first);
      first += limit;
    }
    toSkip = Math.max(0, toSkip - block.count);
  }

  const entries = new Array<LogEntry | null>(take);
  const requests = [...wanted.keys()];
  for await (const { request, entries: read } of reader.read(indexed, requests, match, details)) {
    if (read.length < request.limit) {
      throw goneFrom(indexed, new SegmentGone('the segment has changed'));
    }
    for (const [i, entry] of read.entries()) entries[(wanted.get(request) ?? 0) + i] = entry;
  }
  return entries.filter((entry) => entry !== null);
}
