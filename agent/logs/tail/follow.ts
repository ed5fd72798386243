/** Reads what is written to a log from a position on, across its rolls. */
import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLineSplitter, type Line } from '../files/line-splitter.ts';
import { type LogPosition, lastLineEnd, segmentIdOf } from '../files/log-position.ts';
import { openSource, withSource } from '../files/open-source.ts';
import { absent, listSegments, type Segment } from '../files/segments.ts';
import type { Source } from '../files/source.ts';
import { type EntryFacts, entryFacts } from '../line/entry.ts';

/** Entries that were read together, each with the position after it. */
export type Batch = {
  entries: { facts: EntryFacts; line: string; position: LogPosition }[];
  /** How many entries were left out before these; null if that is unknown, 0 if it begins here. */
  missed?: number | null;
  /** The position after the batch. */
  position?: LogPosition;
  /** Set if all that was written has been read. */
  isAtEnd?: boolean;
};

// What is read and passed on at once: all that is held in memory for a reader, except longer lines.
const PIECE_BYTES = 1 << 16;
const PAUSE_MS = 40;

/**
 * Follows a log without loss or repetition, as fast as batches are requested: what a slow reader has
 * not read yet stays in the files. Ends when the signal is aborted.
 * @param after where to start; at the end of the log if undefined
 * @param maxLag a reader that had caught up and then falls behind by more bytes than this misses entries
 * @throws when a file cannot be read
 */
export async function* follow(
  file: string,
  after: LogPosition | undefined,
  signal: AbortSignal,
  isWanted: (facts: EntryFacts) => boolean = () => true,
  maxLag = Number.POSITIVE_INFINITY,
): AsyncGenerator<Batch> {
  let position = after;
  // The segment of the position has been read to its end.
  let isRead = false;
  let hasCaughtUp = false;
  // Number of entries left out so far on the way to the end; undefined unless they are left out.
  let missed: number | undefined;

  const pause = () => sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined);

  function batchOf(lines: readonly Line[], segment: string): Batch {
    const entries: Batch['entries'] = [];
    for (const { text, end } of lines) {
      position = { segment, offset: end };
      const facts = entryFacts(text);
      if (!facts || !isWanted(facts)) continue;
      if (missed === undefined) entries.push({ facts, line: text, position });
      else missed++;
    }
    return { entries, ...(position && { position }) };
  }

  function* leaveOut(): Generator<Batch> {
    missed = 0;
    yield { entries: [], missed, ...(position && { position }) };
  }

  function* gap(): Generator<Batch> {
    if (missed) yield { entries: [], missed, ...(position && { position }) };
    missed = undefined;
  }

  async function* readRolled(source: Source, from: number): AsyncGenerator<Batch> {
    const segment = await segmentIdOf(source, true);
    if (segment === undefined) return;
    const splitter = createLineSplitter(from);
    for await (const chunk of source.chunks(from)) {
      if (signal.aborted) return;
      for (let start = 0; start < chunk.length; start += PIECE_BYTES) {
        // Copies the piece: the chunk's memory may be reused.
        const lines = splitter.push(chunk.subarray(start, start + PIECE_BYTES));
        if (lines.length > 0) yield batchOf(lines, segment);
      }
    }
    const lines = splitter.rest();
    if (lines.length > 0) yield batchOf(lines, segment);
    isRead = true;
  }

  // Until the file has been rolled and read to its end.
  async function* readLive(source: Source, { path, ino }: Segment, from: number) {
    let splitter = createLineSplitter(from);
    let segment: string | undefined;
    let offset = from;
    let isRolled = false;
    while (!signal.aborted) {
      const piece = await source.slice(offset, offset + PIECE_BYTES);
      offset += piece.length;
      const lines = splitter.push(piece);
      if (lines.length > 0) {
        segment ??= await segmentIdOf(source, false);
        if (segment !== undefined) yield batchOf(lines, segment);
      }
      if (piece.length > 0) {
        if (hasCaughtUp && missed === undefined) {
          if ((await source.size()) - offset > maxLag) yield* leaveOut();
        }
        continue;
      }
      yield* gap();
      hasCaughtUp = true;
      if (isRolled) {
        const rest = splitter.rest();
        segment ??= await segmentIdOf(source, true);
        if (segment === undefined) return;
        if (rest.length > 0) yield batchOf(rest, segment);
        isRead = true;
        return;
      }
      const now = await stat(path).catch(absent);
      if (now?.ino !== ino) {
        // All that was written before the roll is there now: read to the end once more.
        isRolled = true;
        continue;
      }
      if (now.size < offset) {
        // Truncated: start again.
        splitter = createLineSplitter(0);
        offset = 0;
        segment = undefined;
        continue;
      }
      if (position) yield { entries: [], position, isAtEnd: true };
      await pause();
    }
  }

  // Reads the segments from the given one to the newest; there may be new ones afterwards.
  async function* readOn(segments: readonly Segment[], first: number): AsyncGenerator<Batch> {
    for (let i = first; i >= 0 && !signal.aborted; i--) {
      const segment = segments[i];
      const start: LogPosition | undefined = i === first ? position : undefined;
      if (!segment || (start && isRead)) continue;
      const source = await openSource(segment);
      // It has been rolled or compressed since, and has to be found again.
      if (!source) return;
      try {
        const from = start?.offset ?? 0;
        isRead = false;
        yield* segment.live ? readLive(source, segment, from) : readRolled(source, from);
      } finally {
        await source.close();
      }
    }
  }

  let isStarted = position !== undefined;
  for (; !signal.aborted; await pause()) {
    const segments = await listSegments(file);
    if (!segments) continue;
    if (!isStarted) {
      const [newest] = segments;
      position = newest?.live ? await endOf(newest) : undefined;
      isStarted = true;
      yield { entries: [], ...(position && { position }) };
    }
    const first = position ? await findSegment(segments, position.segment) : -1;
    if (first === undefined) continue;
    if (first < 0 && position) {
      // The segment has been removed, and with it an unknown number of entries.
      missed = undefined;
      isStarted = false;
      isRead = false;
      yield { entries: [], missed: null };
      continue;
    }
    const ahead = segments.slice(0, first + 1).reduce((sum, { size }) => sum + size, 0);
    const isBehind = hasCaughtUp && first > 0 && ahead - (position?.offset ?? 0) > maxLag;
    if (isBehind && missed === undefined) yield* leaveOut();
    // Without a position there was no line yet: read the live segment from its start.
    yield* readOn(segments, Math.max(0, first));
  }
}

/** The position after the last line of a segment; undefined if it has no line yet. */
export async function endOf(live: Segment): Promise<LogPosition | undefined> {
  return withSource(live, async (source) => {
    const segment = await segmentIdOf(source, false);
    const offset = await lastLineEnd(source, live.size);
    return segment === undefined ? undefined : { segment, offset };
  });
}

/** Which of the segments has an id, -1 for none; undefined if one disappeared in the meantime. */
export async function findSegment(
  segments: readonly Segment[],
  id: string,
): Promise<number | undefined> {
  for (const [i, segment] of segments.entries()) {
    const isFound = await withSource(
      segment,
      async (source) => (await segmentIdOf(source, !segment.live)) === id,
    );
    if (isFound === undefined) return undefined;
    if (isFound) return i;
  }
  return -1;
}
