/** Compares a segment with what was known of it. */
import type { Segment } from '../files/segments.ts';
import type { SegmentIndex } from './segment-index.ts';

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
