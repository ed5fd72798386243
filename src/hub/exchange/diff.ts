/** Compares two Caddyfiles in the format of `diff -u`. Pure. */
import { formatPatch, structuredPatch } from 'diff';

/**
 * How many lines may be added and removed among others. The time to find them grows with the square
 * of their number: about 0.1 s for this many.
 */
const MAX_EDITS = 300;

/** Lines shown around a change. */
const CONTEXT = 4;

/** What takes the place of the changes if there are too many of them. */
export const TOO_DIFFERENT = '@@ too different to show @@';

/**
 * The changes from `live` to `next`, both of which end with a line end; empty if nothing differs. A
 * piece that is only added, or only removed, may be of any length; other changes beyond the limit
 * are given as `TOO_DIFFERENT`.
 */
export function unifiedDiff(live: string, next: string): string {
  if (live === next) return '';
  const [old, now] = [lines(live), lines(next)];
  const shorter = Math.min(old.length, now.length);
  let first = 0;
  while (first < shorter && old[first] === now[first]) first++;
  let last = 0;
  while (last < shorter - first && old.at(-1 - last) === now.at(-1 - last)) last++;

  const [removed, added] = [old.length - last - first, now.length - last - first];
  const from = Math.max(first - CONTEXT, 0);
  const to = Math.max(last - CONTEXT, 0);
  const hunks =
    removed === 0 || added === 0
      ? [
          {
            oldStart: 1,
            oldLines: old.length - to - from,
            newStart: 1,
            newLines: now.length - to - from,
            lines: [
              ...signed(' ', old.slice(from, first)),
              ...signed('-', old.slice(first, first + removed)),
              ...signed('+', now.slice(first, first + added)),
              ...signed(' ', old.slice(old.length - last, old.length - to)),
            ],
          },
        ]
      : structuredPatch(
          ...(['', ''] as const),
          textOf(old.slice(from, old.length - to)),
          textOf(now.slice(from, now.length - to)),
          ...(['', ''] as const),
          { context: CONTEXT, maxEditLength: MAX_EDITS },
        )?.hunks;
  if (!hunks) return `--- live\n+++ preview\n${TOO_DIFFERENT}\n`;
  const moved = hunks.map((hunk) => ({
    ...hunk,
    oldStart: hunk.oldStart + from,
    newStart: hunk.newStart + from,
  }));
  return formatPatch({
    oldFileName: 'live',
    newFileName: 'preview',
    oldHeader: undefined,
    newHeader: undefined,
    hunks: moved,
  });
}

const lines = (text: string): string[] => text.replace(/\n$/, '').split('\n');
const textOf = (part: readonly string[]): string => part.map((line) => `${line}\n`).join('');
const signed = (sign: string, part: readonly string[]): string[] => part.map((line) => sign + line);
