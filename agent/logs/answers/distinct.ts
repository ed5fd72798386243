/** Chooses the newest distinct requests of a log. */
import { createDeadline, type Deadline } from '../../../src/shared/async.ts';
import { type Block, blocksBetween } from '../index/block.ts';
import { hasAll, type IndexedSegment, type Snapshot } from '../index/log-index.ts';
import { type Hosts, hostsIn } from '../line/entry.ts';
import { SWITCHING_PROTOCOLS } from '../line/latency.ts';
import { addBlocks, type SegmentBlocks } from './add-blocks.ts';
import type { BlockDecoder } from './block-decoder.ts';
import type { BlockReader, Match } from './block-reader.ts';
import { createBuckets } from './buckets.ts';
import {
  createRequestSet,
  type LeftOut,
  type LoggedRequest,
  type RequestSet,
} from './request-set.ts';
import { costOf } from './sample.ts';

export type { LoggedRequest };

/** Which requests are wanted: those of visitors, without checks of the agent's. */
export type DistinctFilter = {
  /** Names and patterns, as `hostsIn` reads them; null: all. An empty one stands for any host. */
  hosts: readonly string[] | null;
  /** In [from, to), in milliseconds since 1970. */
  from: number;
  to?: number;
  /** The most distinct requests. */
  most: number;
  /** Headers that distinguish requests as well, in lower case. */
  headers: readonly string[];
};

export type DistinctRequests = {
  /** The newest first. */
  requests: LoggedRequest[];
  /** What is not among them, and what of them is not as it was. */
  leftOut: LeftOut[];
};

type DistinctTools = {
  reader: BlockReader;
  decoder: BlockDecoder;
  /** Bytes of lines to read at most. */
  readLimit: number;
  deadline: Deadline;
  signal: AbortSignal;
};

const NOT_READ = 'Not read: the log has more than can be read in time';
const NOT_INDEXED = 'Requests in files of the log that are damaged, or not indexed yet';

/** To count what was not read, after the deadline. */
const COUNT_MS = 1000;

/** What may be wanted in a segment, newest first. */
type Candidates = SegmentBlocks & { match: Match; isUpgraded: Uint8Array };

/**
 * The newest distinct requests. Those known are counted as far as the log is read, from the newest lines back;
 * what is not read is counted by the index.
 * @throws SegmentGone, and the reason of the signal
 */
export async function readDistinct(
  snapshot: Snapshot,
  { hosts: wanted, from, to = Number.MAX_SAFE_INTEGER, most, headers }: DistinctFilter,
  { reader, decoder, readLimit, deadline, signal }: DistinctTools,
): Promise<DistinctRequests> {
  const hosts = wanted === null || wanted.includes('') ? undefined : hostsIn(wanted.join(' '));
  const set = createRequestSet(most, headers);
  const unread: SegmentBlocks[] = [];
  let left = readLimit;
  for (const indexed of snapshot.segments) {
    const candidates = candidatesIn(indexed, hosts, from, to);
    const chosen: Block[] = [];
    for (const block of candidates.blocks) {
      left -= costOf(block);
      if (left < 0) break;
      chosen.push(block);
    }
    const read = await readBlocks({ ...candidates, blocks: chosen }, set, {
      reader,
      deadline,
      signal,
    });
    unread.push({ ...candidates, blocks: candidates.blocks.filter((block) => !read.has(block)) });
  }
  set.leave(NOT_READ, await countOf(unread, from, to, decoder));
  const answer = set.answer();
  if (!hasAll(snapshot, from)) answer.leftOut.push({ reason: NOT_INDEXED, count: 0 });
  return answer;
}

function candidatesIn(
  indexed: IndexedSegment,
  hosts: Hosts | undefined,
  from: number,
  to: number,
): Candidates {
  const { pairs, view: viewOf } = indexed.index;
  const view = viewOf({ hosts, visitors: true });
  const { wanted, certain } = view.selection;
  const described = Array.from(wanted, (_, pair) => pairs.describe(pair));
  const isUnnamed = Uint8Array.from(described, ({ domain }) => Number(domain === undefined));
  return {
    indexed,
    view,
    blocks: blocksBetween(view.blocks(), from, to),
    isUpgraded: Uint8Array.from(described, ({ status }) => Number(status === SWITCHING_PROTOCOLS)),
    match: (entry) =>
      wanted[entry.pair] === 1 &&
      entry.time >= from &&
      entry.time < to &&
      (certain || !hosts || isUnnamed[entry.pair] !== 1 || hosts.has(entry.facts()?.key ?? '')),
  };
}

/** @returns the blocks that were read before the deadline */
async function readBlocks(
  { indexed, match, isUpgraded, blocks }: Candidates,
  set: RequestSet,
  { reader, deadline, signal }: Pick<DistinctTools, 'reader' | 'deadline' | 'signal'>,
): Promise<Set<Block>> {
  const read = new Set<Block>();
  if (deadline.hasPassed()) return read;
  const walked = reader.walk(indexed, blocks, (entry) => {
    if (match(entry)) set.add(entry, isUpgraded[entry.pair] === 1);
  });
  let isNewestFirst = false;
  for await (const block of walked) {
    signal.throwIfAborted();
    isNewestFirst ||= read.size === 0 && block === blocks[0];
    read.add(block);
    if (isNewestFirst) set.settle();
    if (deadline.hasPassed()) break;
    await deadline.yieldTurn();
  }
  set.settle();
  signal.throwIfAborted();
  return read;
}

async function countOf(
  unread: readonly SegmentBlocks[],
  from: number,
  to: number,
  decoder: BlockDecoder,
): Promise<number> {
  const buckets = createBuckets(from, to, 1);
  const tools = { decoder, deadline: createDeadline(COUNT_MS) };
  let total = 0;
  for (const segment of unread) {
    await addBlocks(segment, buckets, tools, (_pair, _bucket, count) => {
      total += count;
    });
  }
  return total;
}
