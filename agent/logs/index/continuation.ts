/** Finds out whether a file is the one that was indexed, and continues what an index covers. */
import type { Segment } from '../files/segments.ts';
import type { Source } from '../files/source.ts';
import type { SegmentIndex } from './segment-index.ts';

/** The first and the last bytes that an index covers. */
export type Probes = { head: Buffer; tail: Buffer };

// Lines contain the time and the client's port, so no two kilobytes of a log are equal.
const PROBE_BYTES = 1024;

/** Reads the probes of a segment that has just been indexed. */
export async function takeProbes(
  source: Source,
  segment: Segment,
  index: SegmentIndex,
): Promise<Probes> {
  // A compressed file never grows, and reading its end means reading all of it.
  if (segment.form !== 'plain') return { head: Buffer.alloc(0), tail: Buffer.alloc(0) };
  const { end } = index;
  return {
    head: await source.slice(0, Math.min(PROBE_BYTES, end)),
    tail: await source.slice(Math.max(0, end - PROBE_BYTES), end),
  };
}

/**
 * The bytes that follow what is indexed, if the source starts with that: the same file, grown or
 * renamed, or its compressed form. Undefined if it was truncated or replaced, or is another file.
 */
export async function continuation(
  source: Source,
  known: Probes & { index: SegmentIndex },
): Promise<AsyncIterable<Buffer> | undefined> {
  const { index, head, tail } = known;
  if (!(await source.slice(0, head.length)).equals(head)) return undefined;
  // Saves reading a compressed roll that was completely indexed before.
  if (index.end > 0 && (await source.statedSize()) === index.end % 2 ** 32) return nothing();

  const chunks = source.chunks(index.end - tail.length);
  let expected = tail;
  let rest: Buffer = Buffer.alloc(0);
  do {
    const { value } = await chunks.next();
    if (!value) return expected.length === 0 ? nothing() : undefined;
    const length = Math.min(value.length, expected.length);
    rest = value.subarray(length);
    if (!value.subarray(0, length).equals(expected.subarray(0, length))) break;
    expected = expected.subarray(length);
    // Nothing may follow an unfinished line that was indexed as a line.
  } while (expected.length > 0 || (index.unterminated && rest.length === 0));
  if (expected.length > 0 || (index.unterminated && rest.length > 0)) {
    await chunks.return(undefined);
    return undefined;
  }
  return withFirst(rest, chunks);
}

async function* withFirst(first: Buffer, chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    if (first.length > 0) yield first;
    yield* chunks;
  } finally {
    await chunks.return(undefined);
  }
}

async function* nothing(): AsyncGenerator<Buffer> {}

/** Whether two listings are of the same file, maybe grown or renamed. */
export function isSameFile(a: Segment, b: Segment): boolean {
  if (a.dev !== b.dev || a.ino !== b.ino || a.born !== b.born || a.form !== b.form) return false;
  // A compressed file is written once; if it differs, it is another one.
  return a.form === 'plain' || isUnchanged(a, b);
}

function isUnchanged(a: Segment, b: Segment): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs;
}

/** Whether an index covers all that a listing of its segment's file shows. */
export function isUpToDate(
  { segment, index }: { segment: Segment; index: Pick<SegmentIndex, 'end'> },
  now: Segment,
): boolean {
  if (now.form !== 'plain') return true;
  // When the live file is rolled, its unfinished last line becomes a line.
  return isUnchanged(segment, now) && (now.live || now.size === index.end);
}
