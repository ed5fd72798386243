import { stat } from 'node:fs/promises';
import { createLineCutter, type Line } from '../files/line-splitter.ts';
import { lastLineEnd, nameOf, type Place } from '../files/log-position.ts';
import { absent, listSegments, type Segment } from '../files/segments.ts';
import { openSource, type Source } from '../files/source.ts';
import { type EntryFacts, entryFacts } from '../index/entry.ts';

/** What was read in one go; `place` is where to go on behind it. */
export type Batch = {
  entries: { facts: EntryFacts; place: Place }[];
  /** So many entries were left out before these; null where nobody can tell. */
  missed?: number | null;
  place?: Place;
};

export type FollowOptions = {
  file: string;
  /** Where to go on; without it at the end. */
  after: Place | undefined;
  isWanted: (facts: EntryFacts) => boolean;
  signal: AbortSignal;
  /** A reader that has kept up once and then falls further behind than this misses entries. */
  maxLag: number;
};

/** Read and handed over at once: all that is ever held for a reader, but for a longer line. */
const PIECE_BYTES = 1 << 16;
const PAUSE_MS = 40;

/**
 * Follows a log across its rolls, without loss or repetition, as fast as it is asked to: what a
 * slow reader has not read yet stays in the files. Ends when the signal says so.
 */
export async function* follow(options: FollowOptions): AsyncGenerator<Batch> {
  const { file, signal } = options;
  let place = options.after;
  /** All of the place's segment has been read. */
  let isRead = false;
  let hasKeptUp = false;
  // Entries left out on the way back to the end.
  let missed: number | undefined;

  function batchOf(lines: readonly Line[], segment: string): Batch {
    const entries: Batch['entries'] = [];
    for (const { text, end } of lines) {
      place = { segment, offset: end };
      const facts = entryFacts(text);
      if (!facts || !options.isWanted(facts)) continue;
      if (missed === undefined) entries.push({ facts, place });
      else missed++;
    }
    return { entries, ...(place && { place }) };
  }

  function* gap(): Generator<Batch> {
    if (missed) yield { entries: [], missed, ...(place && { place }) };
    missed = undefined;
  }

  async function* readRolled(source: Source, from: number): AsyncGenerator<Batch> {
    const segment = await nameOf(source, true);
    if (segment === undefined) return;
    const cutter = createLineCutter(from);
    for await (const chunk of source.chunks(from)) {
      if (signal.aborted) return;
      for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
        // Copied before anyone may ask for the next chunk.
        const lines = cutter.push(chunk.subarray(at, at + PIECE_BYTES));
        if (lines.length > 0) yield batchOf(lines, segment);
      }
    }
    const lines = cutter.rest();
    if (lines.length > 0) yield batchOf(lines, segment);
    isRead = true;
  }

  // Until the file has been rolled and read to its end, or has been cut short.
  async function* readLive(source: Source, { path, ino }: Segment, from: number) {
    let cutter = createLineCutter(from);
    let segment: string | undefined;
    let position = from;
    let isRolled = false;
    while (!signal.aborted) {
      const piece = await source.slice(position, position + PIECE_BYTES);
      position += piece.length;
      const lines = cutter.push(piece);
      if (lines.length > 0) {
        segment ??= await nameOf(source, false);
        if (segment !== undefined) yield batchOf(lines, segment);
      }
      if (piece.length > 0) {
        if (hasKeptUp && missed === undefined) {
          if ((await source.size()) - position > options.maxLag) missed = 0;
        }
        continue;
      }
      yield* gap();
      hasKeptUp = true;
      if (isRolled) {
        const rest = cutter.rest();
        segment ??= await nameOf(source, true);
        if (segment === undefined) return;
        if (rest.length > 0) yield batchOf(rest, segment);
        isRead = true;
        return;
      }
      const now = await stat(path).catch(absent);
      if (now?.ino !== ino) {
        // What was written before the roll is there now; once more to the end.
        isRolled = true;
        continue;
      }
      if (now.size < position) {
        cutter = createLineCutter(0);
        position = 0;
        segment = undefined;
        continue;
      }
      await pause(signal);
    }
  }

  // Goes through the segments from the place on; there may be new ones afterwards.
  async function* readOn(segments: readonly Segment[], at: number): AsyncGenerator<Batch> {
    for (let i = at; i >= 0 && !signal.aborted; i--) {
      const segment = segments[i];
      const isPlace: boolean = i === at && place !== undefined;
      if (!segment || (isPlace && isRead)) continue;
      const source = await openSource(segment);
      // It was rolled or compressed meanwhile, and has to be found again.
      if (!source) return;
      try {
        const from = isPlace ? (place?.offset ?? 0) : 0;
        isRead = false;
        yield* segment.live ? readLive(source, segment, from) : readRolled(source, from);
      } finally {
        await source.close();
      }
    }
  }

  // The end of what is there now; undefined where there is no line yet.
  async function endOf(segment: Segment): Promise<Place | undefined> {
    const source = await openSource(segment);
    if (!source) return undefined;
    try {
      const name = await nameOf(source, false);
      const offset = await lastLineEnd(source, segment.size);
      return name === undefined ? undefined : { segment: name, offset };
    } finally {
      await source.close();
    }
  }

  let isStarted = place !== undefined;
  for (; !signal.aborted; await pause(signal)) {
    const segments = await listSegments(file);
    if (!segments) continue;
    if (!isStarted) {
      const [newest] = segments;
      place = newest?.live ? await endOf(newest) : undefined;
      isStarted = true;
      yield { entries: [], ...(place && { place }) };
    }
    const at = await find(segments, place);
    if (at === undefined) continue;
    if (at < 0 && place) {
      // The segment has been removed: nobody knows what was in the rest of it.
      missed = undefined;
      isStarted = false;
      isRead = false;
      yield { entries: [], missed: null };
      continue;
    }
    const behind = segments.slice(0, at + 1).reduce((sum, { size }) => sum + size, 0);
    if (hasKeptUp && at > 0 && behind - (place?.offset ?? 0) > options.maxLag) missed ??= 0;
    // Without a place there was no line when we looked: the live segment from its beginning.
    yield* readOn(segments, Math.max(0, at));
  }
}

// Which of the segments a place is in, -1 for none; undefined where one of them has gone meanwhile.
async function find(
  segments: readonly Segment[],
  place: Place | undefined,
): Promise<number | undefined> {
  if (!place) return -1;
  for (const [i, segment] of segments.entries()) {
    const source = await openSource(segment);
    if (!source) return undefined;
    try {
      if ((await nameOf(source, !segment.live)) === place.segment) return i;
    } finally {
      await source.close();
    }
  }
  return -1;
}

function pause(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', done);
    resolve();
  };
  const timer = setTimeout(done, PAUSE_MS);
  signal.addEventListener('abort', done);
  if (signal.aborted) done();
  return promise;
}
