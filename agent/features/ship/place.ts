/**
 * Up to where the log has been shipped: stored after each answer, so that a restart continues there,
 * whatever has happened to the log's files since.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { writeDurablyLater } from '../../../src/shared/system/files.ts';
import {
  formatPosition,
  type LogPosition,
  parsePosition,
  segmentIdOf,
} from '../../logs/files/log-position.ts';
import { withSource } from '../../logs/files/open-source.ts';
import { absent, listSegments } from '../../logs/files/segments.ts';
import { endOf, findSegment } from '../../logs/tail/follow.ts';

export type Place = {
  /** After the last entry that the engine has accepted; undefined if shipping began without one. */
  position: LogPosition | undefined;
  /** The time of that entry, or when shipping began: milliseconds since 1970. */
  time: number;
  /** The engine that has accepted entries before, as `engineOf` names it; null if none has. */
  engine: string | null;
};

/** Names an engine without repeating its address, which may contain a secret. */
export const engineOf = (url: string): string =>
  createHash('sha256').update(url).digest('hex').slice(0, 16);

/**
 * The stored place; undefined if there is no file.
 * @throws Error if the file is damaged; file system errors
 */
export async function loadPlace(file: string): Promise<Place | undefined> {
  const text = await readFile(file, 'utf8').catch(absent);
  if (text === undefined) return undefined;
  const place = parsePlace(text);
  if (place) return place;
  throw new Error(`${basename(file)} is damaged; delete it to ship only new entries`);
}

function parsePlace(text: string): Place | undefined {
  try {
    const { after, time, engine } = JSON.parse(text) as Record<string, unknown>;
    const position = typeof after === 'string' ? parsePosition(after) : undefined;
    if ((after !== null && !position) || typeof time !== 'number') return undefined;
    return { position, time, engine: typeof engine === 'string' ? engine : null };
  } catch {
    return undefined;
  }
}

/** Replaces the stored place, safe from a power cut from then on. @throws file system errors */
export async function storePlace(file: string, { position, time, engine }: Place): Promise<void> {
  const after = position ? formatPosition(position) : null;
  await writeDurablyLater(file, `${JSON.stringify({ after, time, engine })}\n`, 0o600);
}

/** `isAfterGap`: the segment of the place is gone, and with it what was written after the place. */
export type Resumption = { after: LogPosition; isAfterGap: boolean };

/** The time of a file's last change may be this much older than that of its last line. */
const CLOCK_SLACK_MS = 1000;

/**
 * Where a place is now, or the oldest segment that was written to after it. Undefined if there is
 * nothing to read yet, or if a file was renamed meanwhile: ask again.
 * @throws when a file cannot be read
 */
export async function resume(file: string, place: Place): Promise<Resumption | undefined> {
  const segments = await listSegments(file);
  if (!segments) return undefined;
  const { position } = place;
  if (position) {
    const found = await findSegment(segments, position.segment);
    if (found === undefined) return undefined;
    if (found >= 0) return { after: position, isAfterGap: false };
  }
  for (const segment of segments.toReversed()) {
    if (segment.mtimeMs + CLOCK_SLACK_MS < place.time) continue;
    const id = await withSource(segment, (source) => segmentIdOf(source, !segment.live));
    if (id === undefined) continue;
    return { after: { segment: id, offset: 0 }, isAfterGap: position !== undefined };
  }
  return undefined;
}

/**
 * The end of the log as it is now; undefined if a file was renamed meanwhile.
 * @param now milliseconds since 1970
 */
export async function placeAtEnd(file: string, now: number): Promise<Place | undefined> {
  const segments = await listSegments(file);
  if (!segments) return undefined;
  const [newest] = segments;
  const position = newest?.live ? await endOf(newest) : undefined;
  return { position, time: now, engine: null };
}

/**
 * How many uncompressed bytes of the log are after a place; of segments that do not state that, the
 * stored ones. 0 if the files are being renamed.
 * @throws when a file cannot be read
 */
export async function bytesAfter(file: string, { position, time }: Place): Promise<number> {
  const segments = (await listSegments(file)) ?? [];
  const found = position ? await findSegment(segments, position.segment) : -1;
  if (found === undefined) return 0;
  const newer =
    found < 0
      ? segments.filter(({ mtimeMs }) => mtimeMs + CLOCK_SLACK_MS >= time)
      : segments.slice(0, found + 1);
  let sum = found < 0 ? 0 : -(position?.offset ?? 0);
  for (const segment of newer) {
    sum += (await withSource(segment, (source) => source.statedSize())) ?? segment.size;
  }
  return Math.max(0, sum);
}
