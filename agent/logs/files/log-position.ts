/** Positions in the log that stay valid across rolls, compression and restarts. */
import { createHash } from 'node:crypto';
import { NEWLINE } from './line-splitter.ts';
import type { Source } from './source.ts';

/** A segment, identified by its first line, and an offset in its uncompressed bytes. */
export type LogPosition = { segment: string; offset: number };

/** The time and the client's port are near the start of a line, so this much tells lines apart. */
const HEAD_BYTES = 4096;

/**
 * Identifies a segment in positions. Undefined until its first line is complete.
 * @param finished the segment will not grow, so a first line without a newline is complete
 */
export async function segmentIdOf(source: Source, finished: boolean): Promise<string | undefined> {
  const head = await source.slice(0, HEAD_BYTES);
  const newline = head.indexOf(NEWLINE);
  if (newline < 0 && head.length < HEAD_BYTES && !(finished && head.length > 0)) return undefined;
  const line = newline < 0 ? head : head.subarray(0, newline);
  return createHash('sha256').update(line).digest('hex').slice(0, 16);
}

/** The text form of a position, used as the id of server-sent events. */
export const formatPosition = ({ segment, offset }: LogPosition): string => `${segment}-${offset}`;

/** Reads the text form; undefined if the text is not a position. */
export function parsePosition(text: string): LogPosition | undefined {
  const [, segment, offset] = /^([0-9a-f]{16})-([0-9]{1,15})$/.exec(text) ?? [];
  return segment === undefined ? undefined : { segment, offset: Number(offset) };
}

/** Where the last complete line ends in the first `size` bytes of a segment. */
export async function lastLineEnd(source: Source, size: number): Promise<number> {
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - HEAD_BYTES);
    const newline = (await source.slice(start, end)).lastIndexOf(NEWLINE);
    if (newline >= 0) return start + newline + 1;
    end = start;
  }
  return 0;
}
