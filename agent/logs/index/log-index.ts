/** Keeps the indexes of all segments of a log up to date across growth, rolls and compression. */
import { basename } from 'node:path';
import { openSource } from '../files/open-source.ts';
import { listSegments, type Segment } from '../files/segments.ts';
import type { Classifier } from '../line/classifier.ts';
import { continuation, isSameFile, isUpToDate, type Probes, takeProbes } from './continuation.ts';
import { extendIndex, reporting } from './extend-index.ts';
import {
  createSegmentIndex,
  dropIndex,
  loadIndex,
  type SegmentIndex,
  storeIndex,
} from './segment-index.ts';

/**
 * A segment and its index. `id` identifies the index, whatever the file is called later. The index of a
 * `damaged` one lacks what could not be read.
 */
export type IndexedSegment = {
  id: number;
  segment: Segment;
  index: SegmentIndex;
  damaged: boolean;
};

/** Segments of a log, newest first; not `complete` if older ones are not indexed yet. */
export type Snapshot = { segments: readonly IndexedSegment[]; complete: boolean };

/** Whether a snapshot has all entries there are. @param from milliseconds since 1970, of the oldest wanted */
export const hasAll = ({ segments, complete }: Snapshot, from?: number): boolean =>
  complete &&
  !segments.some(
    ({ damaged, segment }) => damaged && !(from !== undefined && segment.mtimeMs < from),
  );

type LogIndex = {
  /**
   * Indexes what is there now: all segments, each up to its end at some moment after the call.
   * Calls that arrive during a refresh share the next one, so every caller sees what was written
   * before its call.
   * @throws when a file cannot be read, and after `close`
   */
  refresh(): Promise<Snapshot>;
  /**
   * During the first refresh: the newest segments that are indexed so far, without a gap.
   * Undefined afterwards.
   */
  soFar(): Snapshot | undefined;
  /** Number of (uncompressed) bytes indexed so far, and of segments with an index. */
  counts(): { indexedBytes: number; segments: number };
  /** Has a segment indexed again by the next refresh, because its index is not of what is there. */
  forget(id: number): Promise<void>;
  /** Drops the indexes and stops a refresh. */
  close(): void;
};

/** Receives the names of all damaged files, whenever they are others. */
export type OnDamaged = (names: readonly string[]) => void;

/**
 * Receives the progress of the first refresh, in bytes as stored. A plain file counts as it is read,
 * a compressed one when it is done. What is written in the meantime may take `done` beyond `total`.
 */
export type OnIndexing = (done: number, total: number) => void;

/** `isStored`: the index is beside this very file. */
type ProbedSegment = IndexedSegment & Probes & { isStored: boolean };

// Listing and opening race with Caddy's rolls, of which there are only a few per second.
const ATTEMPTS = 50;
const PAUSE_MS = 5;

/** @param file the path of the live file */
export function createLogIndex(
  file: string,
  classifier: Classifier,
  onIndexing: OnIndexing = () => {},
  onDamaged: OnDamaged = () => {},
): LogIndex {
  const closing = new AbortController();
  let known: ProbedSegment[] = [];
  // Until the first refresh is over.
  let newest: readonly ProbedSegment[] | undefined = [];
  let lastId = 0;
  let toldOf = '';
  let indexedBytes = 0;
  // Bytes added by the `extend` that is running.
  let growth = () => 0;
  let running: Promise<Snapshot> | undefined;
  let next: Promise<Snapshot> | undefined;

  async function refresh(): Promise<Snapshot> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (attempt > 0) await Bun.sleep(PAUSE_MS);
      closing.signal.throwIfAborted();
      const listed = await listSegments(file);
      const segments = listed && (await indexAll(listed));
      if (!segments) continue;
      newest = undefined;
      tellOfDamage(segments);
      return { segments, complete: true };
    }
    throw new Error("the access log's files keep changing");
  }

  function tellOfDamage(segments: readonly IndexedSegment[]): void {
    const names = segments.flatMap(({ damaged, segment }) =>
      damaged ? basename(segment.path) : [],
    );
    if (names.join('/') === toldOf) return;
    toldOf = names.join('/');
    onDamaged(names);
  }

  // Undefined if a file was renamed in the meantime; the indexes made so far are kept.
  async function indexAll(segments: readonly Segment[]): Promise<ProbedSegment[] | undefined> {
    const current: ProbedSegment[] = [];
    const total = segments.reduce((sum, { size }) => sum + size, 0);
    let before = 0;
    const report = (done: number) => newest && onIndexing(before + done, total);
    for (const segment of segments) {
      const old = known.find((each) => isSameFile(each.segment, segment));
      const indexed =
        old && isUpToDate(old, segment)
          ? { ...old, segment }
          : await index(segment, old ? [old] : orphans(segments), report);
      if (!indexed) return undefined;
      await store(indexed);
      known = [...known.filter((each) => each.index !== indexed.index && each !== old), indexed];
      current.push(indexed);
      before += segment.size;
      report(0);
      if (newest) newest = [...current];
    }
    known = current;
    return current;
  }

  // Their files are gone: renamed and compressed since the last refresh, or deleted.
  function orphans(segments: readonly Segment[]): readonly ProbedSegment[] {
    return known.filter(
      ({ segment }) =>
        segment.form === 'plain' && !segments.some((each) => isSameFile(segment, each)),
    );
  }

  // Extends the index of the candidate that the segment continues, or else makes a new one.
  async function index(
    segment: Segment,
    candidates: readonly ProbedSegment[],
    report: (done: number) => void,
  ): Promise<ProbedSegment | undefined> {
    const source = await openSource(segment);
    if (!source) return undefined;
    try {
      for (const candidate of candidates) {
        const rest = await continuation(source, candidate);
        if (!rest) continue;
        await extend(candidate.index, rest, !segment.live);
        const probes = await takeProbes(source, segment, candidate.index);
        const damaged = source.isDamaged();
        return { ...candidate, segment, ...probes, damaged, isStored: false };
      }
      const stored = segment.live ? undefined : await loadIndex(segment, source);
      if (stored) {
        indexedBytes += stored.end;
        const probes = await takeProbes(source, segment, stored);
        return { id: ++lastId, segment, index: stored, ...probes, damaged: false, isStored: true };
      }
      const fresh = createSegmentIndex();
      const chunks = source.chunks(0);
      const counted = segment.form === 'plain' ? reporting(chunks, report) : chunks;
      await extend(fresh, counted, !segment.live);
      const probes = await takeProbes(source, segment, fresh);
      const damaged = source.isDamaged();
      return { id: ++lastId, segment, index: fresh, ...probes, damaged, isStored: false };
    } finally {
      await source.close();
    }
  }

  // A finished segment's index is complete, so the next start can do without reading the segment, unless
  // that has to be found damaged again.
  async function store(indexed: ProbedSegment): Promise<void> {
    if (indexed.segment.live || indexed.damaged || indexed.isStored) return;
    indexed.isStored = true;
    await storeIndex(indexed.segment, indexed.index);
  }

  async function extend(
    index: SegmentIndex,
    chunks: AsyncIterable<Buffer>,
    finished: boolean,
  ): Promise<void> {
    const from = index.end;
    growth = () => index.end - from;
    try {
      await extendIndex(index, chunks, classifier, { finished, signal: closing.signal });
    } finally {
      indexedBytes += growth();
      growth = () => 0;
    }
  }

  function start(): Promise<Snapshot> {
    running = refresh().finally(() => {
      running = undefined;
    });
    return running;
  }

  return {
    refresh() {
      if (!running) return start();
      next ??= running
        .catch(() => undefined)
        .then(() => {
          next = undefined;
          return start();
        });
      return next;
    },
    soFar: () => newest && { segments: newest, complete: false },
    counts: () => ({ indexedBytes: indexedBytes + growth(), segments: known.length }),
    async forget(id) {
      const found = known.find((each) => each.id === id);
      known = known.filter((each) => each !== found);
      if (found) await dropIndex(found.segment);
    },
    close() {
      known = [];
      closing.abort(new Error('the log is closed'));
    },
  };
}
