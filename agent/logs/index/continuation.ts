import type { Segment } from '../files/segments.ts';
import type { Source } from '../files/source.ts';
import type { SegmentIndex } from './segment-index.ts';

/** The bytes at the beginning and before the end of what an index covers. */
export type Probes = { head: Buffer; tail: Buffer };

// A line has its time and the client's port in it: no two kilobytes of a log are the same.
const PROBE_BYTES = 1024;

export async function takeProbes(
  source: Source,
  segment: Segment,
  index: SegmentIndex,
): Promise<Probes> {
  // A compressed file never goes on, and reading its end means reading it all.
  if (segment.form !== 'plain') return { head: Buffer.alloc(0), tail: Buffer.alloc(0) };
  const { end } = index;
  return {
    head: await source.slice(0, Math.min(PROBE_BYTES, end)),
    tail: await source.slice(Math.max(0, end - PROBE_BYTES), end),
  };
}

/**
 * The bytes that follow what is indexed, if a source begins with just that: the same file, grown
 * or renamed, or the compressed form of it. Otherwise undefined: truncated, replaced, or another.
 */
export async function continuation(
  source: Source,
  known: Probes & { index: SegmentIndex },
): Promise<AsyncIterable<Buffer> | undefined> {
  const { index, head, tail } = known;
  const beginning = await source.slice(0, head.length);
  if (!beginning.equals(head)) return undefined;
  // Spares reading a compressed roll that was indexed to its end before.
  if (index.end > 0 && (await source.compressedFrom()) === index.end % 2 ** 32) return nothing();

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
    // After an unfinished line that was taken for one, nothing may follow.
  } while (expected.length > 0 || (index.unterminated && rest.length === 0));
  if (expected.length > 0 || (index.unterminated && rest.length > 0)) {
    await chunks.return(undefined);
    return undefined;
  }
  return follow(rest, chunks);
}

async function* follow(rest: Buffer, chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    if (rest.length > 0) yield rest;
    yield* chunks;
  } finally {
    await chunks.return(undefined);
  }
}

async function* nothing(): AsyncGenerator<Buffer> {}
