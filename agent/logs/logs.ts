import type { LogActivity, LogEntry, LogPage, LogStats } from '../../src/shared/wire.ts';
import { type ActivityFilter, readActivity } from './answers/activity.ts';
import { createDecoder } from './answers/block-decoder.ts';
import { createReader, Vanished } from './answers/block-reader.ts';
import type { Conditions, LogFilter } from './answers/filter.ts';
import { createLatest } from './answers/latest.ts';
import { createTallies } from './answers/match-counter.ts';
import { readPage, type Segments } from './answers/page.ts';
import { readStats, type StatsFilter } from './answers/stats.ts';
import { createTails } from './answers/tail.ts';
import type { Place } from './files/log-position.ts';
import { createClassifier } from './index/classifier.ts';
import { createPatience, type Patience } from './index/deadline.ts';
import { createHistory, type OnIndexing } from './index/log-index.ts';

export type Logs = {
  /**
   * Begins to index, so that the first query need not; its faults are told to the queries.
   * Resolves when that is over, however it ended.
   */
  warm(): Promise<void>;
  /**
   * A page of the access log as it is now: what was written before the call is in it. Rejects
   * when a file cannot be read, and after `close`.
   */
  page(filter: LogFilter): Promise<LogPage>;
  /** The newest entry of a host, null where there is none; rejects as `page`. */
  newest(domain: string): Promise<LogEntry | null>;
  /** Numbers over time; rejects as `page`. */
  stats(filter: StatsFilter): Promise<LogStats>;
  /** Requests over time of each domain; rejects as `page`. */
  activity(filter: ActivityFilter): Promise<LogActivity>;
  /** What is written from now on, or from a place on, as server-sent events. */
  tail(conditions: Conditions, after: Place | undefined): ReadableStream<Uint8Array>;
  /** Ends the tails, which a server that stops would wait for; see `Tails.end`. */
  endTails(): number;
  /** Bytes indexed so far (uncompressed), files that have an index, readers of tails. */
  counts(): { indexedBytes: number; segments: number; tails: number };
  /** Lets go of the indexes and ends work under way. */
  close(): void;
};

export type LogsOptions = {
  /** The path of the live file; the rolled ones lie beside it. */
  file: string;
  /** Milliseconds after which a query answers with what it has found until then. */
  patience?: number;
  /** Hears how far the first indexing is. */
  onIndexing?: OnIndexing;
};

const PATIENCE_MS = 2000;
// How often a page is begun anew because a roll took a file away under it.
const ATTEMPTS = 20;

export function createLogs({ file, patience = PATIENCE_MS, onIndexing }: LogsOptions): Logs {
  const classifier = createClassifier();
  const history = createHistory(file, classifier, onIndexing);
  const reader = createReader(classifier);
  const tallies = createTallies(reader);
  const decoder = createDecoder(reader, classifier);
  const latest = createLatest(reader, classifier);
  const tails = createTails({ file });

  // While the log is indexed for the first time nobody waits for it longer than patience.
  async function segmentsNow(): Promise<Segments> {
    const fresh = history.refresh().then((segments) => ({ segments, complete: true }));
    if (!history.beginning()) return fresh;
    let timer: Timer | undefined;
    const late = new Promise<Segments | undefined>((resolve) => {
      timer = setTimeout(() => {
        const segments = history.beginning();
        resolve(segments && { segments, complete: false });
      }, patience);
    });
    try {
      return (await Promise.race([fresh, late])) ?? (await fresh);
    } finally {
      clearTimeout(timer);
      fresh.catch(() => undefined);
    }
  }

  async function answer<T>(
    read: (segments: Segments, patience: Patience) => Promise<T>,
  ): Promise<T> {
    const deadline = createPatience(patience);
    for (let attempt = 1; ; attempt++) {
      try {
        return await read(await segmentsNow(), deadline);
      } catch (fault) {
        if (!(fault instanceof Vanished) || attempt === ATTEMPTS) throw fault;
      }
    }
  }

  const page = (filter: LogFilter): Promise<LogPage> =>
    answer((segments, patience) =>
      readPage(segments, filter, { reader, tallies, classifier, patience }),
    );

  return {
    warm() {
      return history.refresh().then(
        () => undefined,
        () => undefined,
      );
    },
    page,
    newest: async (domain) => (await page({ domain, page: 1, pageSize: 1 })).logs[0] ?? null,
    stats: (filter) =>
      answer((segments, patience) =>
        readStats(segments, filter, { reader, decoder, latest, classifier, patience }),
      ),
    activity: (filter) =>
      answer((segments, patience) => readActivity(segments, filter, { decoder, patience })),
    tail: tails.open,
    endTails: tails.end,
    counts: () => ({ ...history.counts(), tails: tails.count() }),
    close() {
      tails.end();
      history.close();
      reader.close();
      for (const each of [tallies, decoder, latest]) each.clear();
    },
  };
}
