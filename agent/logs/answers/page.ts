import type { LogEntry, LogPage } from '../../../src/shared/wire.ts';
import type { Classifier } from '../index/classifier.ts';
import type { Patience } from '../index/deadline.ts';
import { entryFacts, toEntry } from '../index/entry.ts';
import { hostKey } from '../index/host.ts';
import type { Indexed } from '../index/log-index.ts';
import type { Found, IndexView } from '../index/segment-index.ts';
import { type Match, type Reader, type Request, Vanished } from './block-reader.ts';
import { type Conditions, type LogFilter, requestTest, statusTest, timeTest } from './filter.ts';
import type { Tallies } from './match-counter.ts';

export type PageTools = {
  reader: Reader;
  tallies: Tallies;
  classifier: Classifier;
  patience: Patience;
};

/** Segments of a history, newest first; not `complete` where older ones are not indexed yet. */
export type Segments = { segments: readonly Indexed[]; complete: boolean };

type Part = { indexed: Indexed; match: Match; total: number; blocks: Iterable<Found> };

/**
 * One page of a history, newest first; what the index cannot tell is looked up in the lines until
 * patience is over, and then everything older counts as absent. Throws what the reader throws.
 */
export async function readPage(
  { segments, complete: isAll }: Segments,
  filter: LogFilter,
  tools: PageTools,
): Promise<LogPage> {
  const { page, pageSize, ...conditions } = filter;
  const parts: Part[] = [];
  let complete = isAll;
  for (const indexed of segments) {
    const part = await findBlocks(indexed, conditions, tools);
    parts.push(part);
    if (part.complete) continue;
    complete = false;
    break;
  }

  const logs: LogEntry[] = [];
  let total = 0;
  let skip = (page - 1) * pageSize;
  for (const part of parts) {
    total += part.total;
    const take = Math.min(pageSize - logs.length, part.total - skip);
    if (take > 0) logs.push(...(await readEntries(part, skip, take, tools.reader)));
    skip = Math.max(0, skip - part.total);
  }
  return { logs, total, page, pageSize, ...(!complete && { partial: true as const }) };
}

/** The blocks of a segment that hold matches, newest first, with their true counts. */
async function findBlocks(
  indexed: Indexed,
  conditions: Conditions,
  { tallies, classifier, patience }: PageTools,
): Promise<Part & { complete: boolean }> {
  const key = conditions.domain === undefined ? undefined : hostKey(conditions.domain);
  const view = indexed.index.view(key, statusTest(conditions));
  const request = requestTest(conditions);
  const time = timeTest(conditions);
  const matches = matcher(view, key, conditions, classifier);
  if (view.selection.certain && !request && !time) {
    return { indexed, match: matches, total: view.total, blocks: view.blocks(), complete: true };
  }

  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = conditions;
  const question = {
    name: JSON.stringify(conditions),
    indexed,
    blocks: [...view.blocks()].filter(
      ({ earliest, latest }) => !time || (latest >= from && earliest < to),
    ),
    isSure: ({ earliest, latest, timeless }: Found) =>
      view.selection.certain &&
      !request &&
      (!time || (timeless === 0 && earliest >= from && latest < to)),
    matches,
  };
  const { blocks, complete } = await tallies.count(question, patience);
  const total = blocks.reduce((sum, { count }) => sum + count, 0);
  return { indexed, match: matches, total, blocks, complete };
}

function matcher(
  { selection }: IndexView,
  key: string | undefined,
  conditions: Conditions,
  classifier: Classifier,
): Match {
  const { wanted, certain } = selection;
  const request = requestTest(conditions);
  const time = timeTest(conditions);
  return (pair) =>
    wanted[pair] === 1 &&
    (!time || time(classifier.time)) &&
    (!request || request(classifier.request())) &&
    (certain || classifier.facts()?.key === key);
}

/** The entries of one segment after the newest `skip`; `take` of them must be there. */
async function readEntries(
  part: Part,
  skip: number,
  take: number,
  reader: Reader,
): Promise<LogEntry[]> {
  const wanted = new Map<Request, { skip: number; place: number }>();
  let toSkip = skip;
  let place = 0;
  for (const block of part.blocks) {
    if (place >= take) break;
    const limit = Math.min(block.count, toSkip + take - place);
    if (limit > toSkip) {
      wanted.set({ block, limit }, { skip: toSkip, place });
      place += limit - toSkip;
    }
    toSkip = Math.max(0, toSkip - block.count);
  }

  const entries = new Array<LogEntry | undefined>(take);
  for await (const { request, lines } of reader.read(
    part.indexed,
    [...wanted.keys()],
    part.match,
  )) {
    const at = wanted.get(request);
    if (!at || lines.length < request.limit) throw new Vanished('the segment has changed');
    for (const [i, line] of lines.slice(at.skip).entries()) {
      const facts = entryFacts(line.toString());
      entries[at.place + i] = facts && toEntry(facts);
    }
  }
  // A line that the fast path took for an entry although its headers are damaged is left out.
  return entries.filter((entry) => entry !== undefined);
}
