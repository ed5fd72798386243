import type { LogEntry, LogPage } from '../wire.ts';
import { entryFacts, toEntry } from './entry.ts';
import type { Indexed } from './history.ts';
import { hostKey } from './host.ts';
import { type Match, type Reader, type Request, Vanished } from './reader.ts';
import type { Found, IndexView } from './segment-index.ts';

/** Filters that are absent match everything; `page` counts from 1. */
export type LogFilter = { domain?: string; status?: number; page: number; pageSize: number };

type Part = { indexed: Indexed; view: IndexView; match: Match; total: number; blocks?: Found[] };

/** One page of a history, newest first. Throws what the reader throws. */
export async function readPage(
  history: readonly Indexed[],
  filter: LogFilter,
  reader: Reader,
): Promise<LogPage> {
  const key = filter.domain === undefined ? undefined : hostKey(filter.domain);
  const parts: Part[] = history.map((indexed) => {
    const view = indexed.index.view(key, filter.status);
    return { indexed, view, match: matcher(view, key), total: view.total };
  });
  for (const part of parts) {
    if (!part.view.selection.certain && part.total > 0) await countExactly(part, reader);
  }

  const { page, pageSize } = filter;
  const logs: LogEntry[] = [];
  let total = 0;
  let skip = (page - 1) * pageSize;
  for (const part of parts) {
    total += part.total;
    const take = Math.min(pageSize - logs.length, part.total - skip);
    if (take > 0) logs.push(...(await readEntries(part, skip, take, reader)));
    skip = Math.max(0, skip - part.total);
  }
  return { logs, total, page, pageSize };
}

function matcher({ selection }: IndexView, key: string | undefined): Match {
  const { wanted, certain } = selection;
  if (certain) return (pair) => wanted[pair] === 1;
  return (pair, buffer, start, end) =>
    wanted[pair] === 1 && entryFacts(buffer.toString('utf8', start, end))?.key === key;
}

// For a domain that the index of a segment has no number for: looks at the lines in question.
async function countExactly(part: Part, reader: Reader): Promise<void> {
  const requests = [...part.view.blocks()].map((block) => ({ block, limit: block.count }));
  const counts = new Map<Found, number>();
  for await (const { request, lines } of reader.read(part.indexed, requests, part.match)) {
    counts.set(request.block, lines.length);
  }
  part.blocks = requests
    .map(({ block }) => ({ ...block, count: counts.get(block) ?? 0 }))
    .filter((block) => block.count > 0);
  part.total = part.blocks.reduce((sum, block) => sum + block.count, 0);
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
  for (const block of part.blocks ?? part.view.blocks()) {
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
      entries[at.place + i] = toEntry(line.toString());
    }
  }
  // A line that the fast path took for an entry although its headers are damaged is left out.
  return entries.filter((entry) => entry !== undefined);
}
