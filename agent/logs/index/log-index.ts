import { listSegments, type Segment } from '../files/segments.ts';
import { openSource } from '../files/source.ts';
import type { Classifier } from './classifier.ts';
import { continuation, type Probes, takeProbes } from './continuation.ts';
import { extendIndex } from './extend-index.ts';
import { createSegmentIndex, type SegmentIndex } from './segment-index.ts';

/** A segment with its index. `id` is the index's own, whatever becomes of the file. */
export type Indexed = { id: number; segment: Segment; index: SegmentIndex };

export type History = {
  /**
   * All segments, newest first, each indexed up to its end at some moment after the call. Calls
   * that arrive during one refresh share the next one, so that every caller sees what was
   * written before it asked.
   */
  refresh(): Promise<readonly Indexed[]>;
  /**
   * Until the first refresh has ended: the newest segments that are indexed already, with none
   * missing between them. Undefined from then on.
   */
  beginning(): readonly Indexed[] | undefined;
  /** Bytes that were taken into indexes, uncompressed, and segments that have one. */
  counts(): { indexedBytes: number; segments: number };
  close(): void;
};

type Held = Indexed & Probes;

// Listing and opening race with Caddy's rolls, of which there are few in a second.
const ATTEMPTS = 50;
const PAUSE_MS = 5;

/**
 * How far the first indexing is, in bytes as they are stored: a plain file counts as it is read, a
 * compressed one when it is done. What is written meanwhile may take `done` beyond `total`.
 */
export type OnIndexing = (done: number, total: number) => void;

/** Keeps the indexes of the segments of one log across growth, rolls and compression. */
export function createHistory(
  file: string,
  classifier: Classifier,
  onIndexing: OnIndexing = () => {},
): History {
  const closing = new AbortController();
  let held: Held[] = [];
  let cold: readonly Held[] | undefined = [];
  let lastId = 0;
  let indexedBytes = 0;
  /** Bytes of the index that is being extended. */
  let growing = () => 0;
  let running: Promise<readonly Indexed[]> | undefined;
  let next: Promise<readonly Indexed[]> | undefined;

  async function refresh(): Promise<readonly Indexed[]> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (attempt > 0) await Bun.sleep(PAUSE_MS);
      closing.signal.throwIfAborted();
      const segments = await listSegments(file);
      const current = segments && (await indexAll(segments));
      if (!current) continue;
      cold = undefined;
      return current;
    }
    throw new Error('the access log keeps changing its files');
  }

  // Undefined where a file has changed its name meanwhile; what was done until then is kept.
  async function indexAll(segments: readonly Segment[]): Promise<readonly Indexed[] | undefined> {
    const current: Held[] = [];
    const total = segments.reduce((sum, { size }) => sum + size, 0);
    let before = 0;
    const told = (done: number) => cold && onIndexing(before + done, total);
    for (const segment of segments) {
      const known = held.find((each) => isSameFile(each.segment, segment));
      const one =
        known && isUpToDate(known, segment)
          ? { ...known, segment }
          : await index(segment, known ? [known] : orphans(segments), told);
      if (!one) return undefined;
      held = [...held.filter((each) => each.index !== one.index && each !== known), one];
      current.push(one);
      before += segment.size;
      told(0);
      if (cold) cold = [...current];
    }
    held = current;
    return current;
  }

  // Rolls that were renamed and compressed since we looked have lost their file.
  function orphans(segments: readonly Segment[]): readonly Held[] {
    return held.filter(
      (each) =>
        each.segment.form === 'plain' && !segments.some((one) => isSameFile(each.segment, one)),
    );
  }

  // Goes on with the candidate that the segment is a continuation of, or else from the start.
  async function index(
    segment: Segment,
    candidates: readonly Held[],
    told: (done: number) => void,
  ): Promise<Held | undefined> {
    const source = await openSource(segment);
    if (!source) return undefined;
    try {
      for (const candidate of candidates) {
        const rest = await continuation(source, candidate);
        if (!rest) continue;
        await extend(candidate.index, rest, !segment.live);
        return { ...candidate, segment, ...(await takeProbes(source, segment, candidate.index)) };
      }
      const fresh = createSegmentIndex();
      const chunks = source.chunks(0);
      const heard = segment.form === 'plain' ? counted(chunks, told) : chunks;
      await extend(fresh, heard, !segment.live);
      const probes = await takeProbes(source, segment, fresh);
      return { id: ++lastId, segment, index: fresh, ...probes };
    } finally {
      await source.close();
    }
  }

  async function extend(
    index: SegmentIndex,
    chunks: AsyncIterable<Buffer>,
    finished: boolean,
  ): Promise<void> {
    const from = index.end;
    growing = () => index.end - from;
    try {
      await extendIndex(index, chunks, classifier, { finished, signal: closing.signal });
    } finally {
      indexedBytes += growing();
      growing = () => 0;
    }
  }

  function start(): Promise<readonly Indexed[]> {
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
    beginning: () => cold,
    counts: () => ({ indexedBytes: indexedBytes + growing(), segments: held.length }),
    close() {
      held = [];
      closing.abort(new Error('the log is closed'));
    },
  };
}

/** Tells after each chunk how many bytes there were. */
async function* counted(
  chunks: AsyncIterable<Buffer>,
  told: (done: number) => void,
): AsyncGenerator<Buffer> {
  let done = 0;
  for await (const chunk of chunks) {
    yield chunk;
    done += chunk.length;
    told(done);
  }
}

function isSameFile(a: Segment, b: Segment): boolean {
  if (a.dev !== b.dev || a.ino !== b.ino || a.born !== b.born || a.form !== b.form) return false;
  // A compressed file is written once; one that differs is another one.
  return a.form === 'plain' || hasNotChanged(a, b);
}

function hasNotChanged(a: Segment, b: Segment): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs;
}

function isUpToDate({ segment, index }: Held, now: Segment): boolean {
  if (now.form !== 'plain') return true;
  // An unfinished line becomes one when the live file is rolled.
  return hasNotChanged(segment, now) && (now.live || now.size === index.end);
}
