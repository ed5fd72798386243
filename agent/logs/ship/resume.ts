/** Finds where to read on, whatever has happened to the log's files since. */
import { endOf, findSegment } from '../answers/follow.ts';
import { type LogPosition, segmentIdOf } from '../files/log-position.ts';
import { openSource } from '../files/open-source.ts';
import { listSegments, type Segment } from '../files/segments.ts';
import type { Source } from '../files/source.ts';
import type { Place } from './place.ts';

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
    const id = await opened(segment, (source) => segmentIdOf(source, !segment.live));
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
    sum += (await opened(segment, (source) => source.statedSize())) ?? segment.size;
  }
  return Math.max(0, sum);
}

async function opened<T>(
  segment: Segment,
  read: (source: Source) => Promise<T>,
): Promise<T | undefined> {
  const source = await openSource(segment);
  if (!source) return undefined;
  try {
    return await read(source);
  } finally {
    await source.close();
  }
}
