import { createHash } from 'node:crypto';
import type { Source } from './source.ts';

/**
 * A place in the log that outlives rolls, compression and restarts: a segment, told by its first
 * line, and an offset in its uncompressed bytes.
 */
export type Place = { segment: string; offset: number };

// A first line has the time and the client's port in it, and both stand at its beginning.
const HEAD_BYTES = 4096;
const NEWLINE = 0x0a;

/** What a segment is called in a place; undefined while its first line is not complete. */
export async function nameOf(source: Source, finished: boolean): Promise<string | undefined> {
  const head = await source.slice(0, HEAD_BYTES);
  const newline = head.indexOf(NEWLINE);
  if (newline < 0 && head.length < HEAD_BYTES && !(finished && head.length > 0)) return undefined;
  const line = newline < 0 ? head : head.subarray(0, newline);
  return createHash('sha256').update(line).digest('hex').slice(0, 16);
}

export const showPlace = ({ segment, offset }: Place): string => `${segment}-${offset}`;

/** Undefined where the text is no place. */
export function parsePlace(text: string): Place | undefined {
  const [, segment, offset] = /^([0-9a-f]{16})-([0-9]{1,15})$/.exec(text) ?? [];
  return segment === undefined ? undefined : { segment, offset: Number(offset) };
}

/** The end of the last whole line of a segment of a size. */
export async function lastLineEnd(source: Source, size: number): Promise<number> {
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - HEAD_BYTES);
    const newline = (await source.slice(start, end)).lastIndexOf(NEWLINE);
    if (newline >= 0) return start + newline + 1;
    end = start;
  }
  return 0;
}
