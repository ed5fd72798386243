/**
 * Pages, numbers and tails of an access log of any size. How a page is found:
 *
 * 1. `index/log-index.ts` lists the log's files (`files/segments.ts`) and indexes the bytes that were
 *    added since the last call (`index/extend-index.ts`). `line/classifier.ts` decides which lines
 *    are access entries, and `index/segment-index.ts` counts those in each block of about 1 MiB by
 *    domain and status, checks of the agent's separately. The index of a rolled file is stored beside it (`index/segment-index.ts`).
 * 2. `answers/page.ts` adds up the counts of the blocks, from the newest back, to find the blocks that
 *    the page is in. For conditions that the index does not hold (path, address, time),
 *    `answers/matches.ts` counts the matches by reading the blocks.
 * 3. `answers/block-reader.ts` reads the lines of the page from these blocks, whose places the index
 *    knows (`answers/lines-at.ts`), and only they are parsed (`line/entry.ts`).
 *
 * Code that visits the lines of a block receives each entry as a cursor (`EntryCursor`), which is valid
 * until the next entry. If a file disappears during a query (`SegmentGone`), the query starts again.
 * Stats and activity work the same way, and so do answers for a hub that merges several logs
 * (`answers/merge.ts`); a tail (`tail/tail.ts`) reads the files without an index.
 * Apart from that, `ship/shipper.ts` ships entries to a log engine, and `storage/keeper.ts` packs rolled
 * files and deletes those that are not kept.
 */
import { basename } from 'node:path';
import { createDeadline, type Deadline, within } from '../../src/shared/async.ts';
import { Failure } from '../../src/shared/failure.ts';
import { fileErrorOf } from '../../src/shared/file-errors.ts';
import type { LogExport } from '../../src/shared/http.ts';
import { listed } from '../../src/shared/one-line.ts';
import { statsOf } from '../../src/shared/wire/log-stats.ts';
import type { LogActivity, LogEntry, LogPage, LogStats } from '../../src/shared/wire/logs.ts';
import type { LogSums, MergeAnswer } from '../../src/shared/wire/merge.ts';
import { type ActivityFilter, readActivity } from './answers/activity.ts';
import { createBlockDecoder } from './answers/block-decoder.ts';
import { createBlockReader } from './answers/block-reader.ts';
import { type DistinctFilter, type DistinctRequests, readDistinct } from './answers/distinct.ts';
import { createExports, EXPORT_FORMATS } from './answers/export.ts';
import type { Conditions, LogFilter } from './answers/filter.ts';
import { createLatestRequests } from './answers/latest.ts';
import { SegmentDamaged, SegmentGone } from './answers/lines-at.ts';
import { createMatchCounter } from './answers/matches.ts';
import { type MergeFilter, readMerge } from './answers/merge.ts';
import { createMomentCache } from './answers/moments.ts';
import { readPage } from './answers/page.ts';
import { READ_LIMIT } from './answers/sample.ts';
import {
  type LetIn,
  type LetInFilter,
  type Refused,
  type RefusedFilter,
  readLetIn,
  readRefused,
} from './answers/shut-out.ts';
import { rangeOf, readSums, type StatsFilter } from './answers/stats.ts';
import { type LogVisits, readVisits, type VisitsFilter } from './answers/visits.ts';
import type { LogPosition } from './files/log-position.ts';
import { listSegments } from './files/segments.ts';
import {
  createLogIndex,
  hasAll,
  type OnDamaged,
  type OnIndexing,
  type Snapshot,
} from './index/log-index.ts';
import { createClassifier } from './line/classifier.ts';
import type { CheckWords } from './storage/check-words.ts';
import { createTails } from './tail/tail.ts';

export type Logs = {
  /**
   * Indexes the log ahead of the first query. Resolves when that is over, even if it failed; the
   * queries throw the error.
   */
  warm(): Promise<void>;
  /**
   * A page of the log, with everything that was written before the call.
   * @throws Failure AGENT_UNREACHABLE if a file cannot be read; an Error after `close`
   */
  page(filter: LogFilter): Promise<LogPage>;
  /** The newest entry of a host, or null. @throws as `page` */
  newest(domain: string): Promise<LogEntry | null>;
  /** What `MergeRequest` asks for. @throws as `page` */
  merge(filter: MergeFilter): Promise<MergeAnswer>;
  /** Numbers over time, to add to those of other logs. @throws as `page` */
  sums(filter: StatsFilter): Promise<LogSums>;
  /** Numbers over time. @throws as `page` */
  stats(filter: StatsFilter): Promise<LogStats>;
  /** Requests over time for each domain. @throws as `page` */
  activity(filter: ActivityFilter): Promise<LogActivity>;
  /**
   * The newest distinct requests of visitors. Takes up to ten seconds.
   * @throws as `page`, and the reason of the signal
   */
  distinct(filter: DistinctFilter, signal: AbortSignal): Promise<DistinctRequests>;
  /** Who came to each host since a time. Takes up to ten seconds. @throws as `distinct` */
  visits(filter: VisitsFilter, signal: AbortSignal): Promise<LogVisits>;
  /** Who from outside has been refused at hosts since a time. Takes up to ten seconds. @throws as `distinct` */
  refused(filter: RefusedFilter, signal: AbortSignal): Promise<Refused[]>;
  /** Which addresses were let in to hosts. Takes up to ten seconds. @throws as `distinct` */
  letIn(filter: LetInFilter, signal: AbortSignal): Promise<LetIn[]>;
  /** What is written from now on, or after a position, as server-sent events. @throws as `page` */
  tail(conditions: Conditions, after: LogPosition | undefined): Promise<ReadableStream<Uint8Array>>;
  /** All matching entries, oldest first. @throws as `page` */
  export(conditions: Conditions, format: keyof typeof EXPORT_FORMATS): Promise<LogExport>;
  /** Ends tails and exports, for which a server that stops would wait; see `EndableStreams.end`. */
  endStreams(): number;
  /** Number of (uncompressed) bytes indexed so far, of files with an index, and of open tails. */
  counts(): { indexedBytes: number; segments: number; tails: number };
  /** Ends the tails and other work, and drops the indexes. */
  close(): void;
};

type LogsOptions = {
  /** The path of the live file; the rolled files are beside it. */
  file: string;
  /** Milliseconds after which a query answers with what it has found so far. */
  timeout?: number;
  /** Bytes of lines that are read for numbers over time; if there are more, a sample of them. */
  readLimit?: number;
  /** Receives the progress of the first indexing. */
  onIndexing?: OnIndexing;
  /** Which requests are checks of the agent's, so that no figure counts them; none without it. */
  checkWords?: Pick<CheckWords, 'isCheck' | 'forgetBefore'>;
  /** Learns which files are damaged, so that answers lack entries of them. */
  onDamaged?: OnDamaged;
  /** Learns with each answer why the log cannot be read, as a sentence; null: it can. */
  onUnreadable?: (sentence: string | null) => void;
};

const MOST_NAMED = 3;

/** What an operator should know of damaged files; null without any. */
export function damageSentence(names: readonly string[]): string | null {
  if (names.length === 0) return null;
  return `Entries of the access log are missing in all answers, because these files are damaged: ${listed(names, MOST_NAMED)}.`;
}

/** An error of the file system as a failure that names the file, but not where it is; any other as it is. */
function inWords(error: unknown): unknown {
  const reason = fileErrorOf(error, basename);
  if (reason === null) return error;
  const message = `The access log (ACCESS_LOG) cannot be read: ${reason}.`;
  return new Failure('AGENT_UNREACHABLE', message, { cause: error });
}

/** About 300 MB of CSV, more than a spreadsheet can open. */
const EXPORT_LIMIT = 1_000_000;
const TIMEOUT_MS = 2000;
/** Of `distinct`, `visits`, `refused` and `letIn`, whose answers nobody waits for at a page of the log. */
const LONG_MS = 8000;
const DISTINCT_LIMIT = 1 << 30;
// How often a query starts again because a file disappeared.
const ATTEMPTS = 20;

export function createLogs({
  file,
  timeout = TIMEOUT_MS,
  readLimit = READ_LIMIT,
  onIndexing,
  onDamaged,
  onUnreadable = () => {},
  checkWords,
}: LogsOptions): Logs {
  const classifier = createClassifier(checkWords?.isCheck ?? (() => false));
  const index = createLogIndex(file, classifier, onIndexing, onDamaged);
  const reader = createBlockReader(classifier);
  const counter = createMatchCounter(reader);
  const decoder = createBlockDecoder(reader);
  const latest = createLatestRequests(reader);
  const moments = createMomentCache();
  const run = crypto.randomUUID();
  const tails = createTails(file);
  const exports = createExports(index.refresh, reader);

  // The first indexing may take long: after the timeout, the segments indexed so far have to do.
  async function takeSnapshot(milliseconds: number): Promise<Snapshot> {
    const complete = index.refresh();
    return index.soFar()
      ? within(complete, milliseconds, () => index.soFar() ?? complete)
      : complete;
  }

  /** What is thrown instead of an error. */
  function told(error: unknown): unknown {
    const failure = inWords(error);
    if (failure instanceof Failure) onUnreadable(failure.message);
    return failure;
  }

  async function answer<T>(
    read: (snapshot: Snapshot, deadline: Deadline) => Promise<T>,
    milliseconds = timeout,
  ) {
    const deadline = createDeadline(milliseconds);
    for (let attempt = 1; ; attempt++) {
      try {
        const found = await read(await takeSnapshot(milliseconds), deadline);
        onUnreadable(null);
        return found;
      } catch (error) {
        if (!(error instanceof SegmentGone) || attempt === ATTEMPTS) throw told(error);
        if (error instanceof SegmentDamaged) await index.forget(error.id);
      }
    }
  }

  const page = (filter: LogFilter): Promise<LogPage> =>
    answer((snapshot, deadline) => readPage(snapshot, filter, { reader, counter, deadline }));

  const sums = (filter: StatsFilter): Promise<LogSums> =>
    answer((snapshot, deadline) =>
      readSums(snapshot, filter, { reader, decoder, latest, readLimit, deadline }),
    );

  return {
    async warm() {
      const snapshot = await index.refresh().catch((error) => void told(error));
      if (snapshot && hasAll(snapshot))
        checkWords?.forgetBefore(rangeOf(snapshot.segments, {}).from);
    },
    page,
    newest: async (domain) => (await page({ domain, page: 1, pageSize: 1 })).logs[0] ?? null,
    merge: (filter) =>
      answer((snapshot, deadline) =>
        readMerge(snapshot, filter, { reader, counter, moments, run, deadline }),
      ),
    sums,
    stats: async (filter) => statsOf(await sums(filter)),
    activity: (filter) =>
      answer((snapshot, deadline) => readActivity(snapshot, filter, { decoder, deadline })),
    distinct: (filter, signal) =>
      answer(
        (snapshot, deadline) =>
          readDistinct(snapshot, filter, {
            reader,
            decoder,
            deadline,
            signal,
            readLimit: DISTINCT_LIMIT,
          }),
        LONG_MS,
      ),
    visits: (filter, signal) =>
      answer(
        (snapshot, deadline) => readVisits(snapshot, filter, { reader, deadline, signal }),
        LONG_MS,
      ),
    refused: (filter, signal) =>
      answer(
        (snapshot, deadline) => readRefused(snapshot, filter, { reader, deadline, signal }),
        LONG_MS,
      ),
    letIn: (filter, signal) =>
      answer(
        (snapshot, deadline) => readLetIn(snapshot, filter, { reader, deadline, signal }),
        LONG_MS,
      ),
    async tail(conditions, after) {
      await listSegments(file).catch((error) => {
        throw told(error);
      });
      return tails.open(conditions, after);
    },
    async export(conditions, format) {
      const { total, partial } = await page({ ...conditions, page: 1, pageSize: 1 });
      const limit = EXPORT_LIMIT;
      const body = exports.open(conditions, EXPORT_FORMATS[format], limit);
      const { mediaType } = EXPORT_FORMATS[format];
      return { mediaType, total: partial ? null : total, limit, body };
    },
    endStreams: () => tails.end() + exports.end(),
    counts: () => ({ ...index.counts(), tails: tails.count() }),
    close() {
      tails.end();
      exports.end();
      index.close();
      for (const each of [reader, counter, decoder, latest, moments]) each.clear();
    },
  };
}
