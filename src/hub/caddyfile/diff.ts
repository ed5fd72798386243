/** Compares two Caddyfiles in the format of `diff -u`, without the names of files. Pure. */
import { formatPatch, OMIT_HEADERS, type StructuredPatchHunk, structuredPatch } from 'diff';
import type { Rendered, Span } from './render.ts';

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
export const unifiedDiff = (live: string, next: string): string =>
  live === next ? '' : patchOf(hunksOf(lines(live), lines(next)));

/**
 * The same for two Caddyfiles. If they have the same sites, the limit holds for each site: a policy
 * may change any number of them.
 */
export function caddyfileDiff(live: Rendered, next: Rendered): string {
  const isSame = ({ id }: Span, at: number) => next.spans[at]?.id === id;
  if (live.spans.length !== next.spans.length || !live.spans.every(isSame)) {
    return unifiedDiff(live.text, next.text);
  }
  if (live.text === next.text) return '';
  const [old, now] = [piecesOf(live), piecesOf(next)];
  const hunks: StructuredPatchHunk[] = [];
  let [oldLine, nowLine] = [0, 0];
  for (const [at, piece] of old.entries()) {
    const other = now[at] ?? [];
    const found = hunksOf(piece, other);
    if (!found) return patchOf(null);
    for (const hunk of found) hunks.push(movedBy(hunk, oldLine, nowLine));
    oldLine += piece.length;
    nowLine += other.length;
  }
  return patchOf(hunks);
}

/** The lines of a Caddyfile, cut before the config of each site. */
function piecesOf({ text, spans }: Rendered): string[][] {
  const all = lines(text);
  const cuts = [0, ...spans.map(({ first }) => first - 1), all.length];
  return cuts.slice(1).map((cut, at) => all.slice(cuts[at], cut));
}

/** What differs between two lists of lines, with a few lines around it; null if it is too much. */
function hunksOf(old: readonly string[], now: readonly string[]): StructuredPatchHunk[] | null {
  const shorter = Math.min(old.length, now.length);
  let first = 0;
  while (first < shorter && old[first] === now[first]) first++;
  if (first === shorter && old.length === now.length) return [];
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
  return hunks?.map((hunk) => movedBy(hunk, from, from)) ?? null;
}

const movedBy = (hunk: StructuredPatchHunk, old: number, now: number): StructuredPatchHunk => ({
  ...hunk,
  oldStart: hunk.oldStart + old,
  newStart: hunk.newStart + now,
});

const patchOf = (hunks: StructuredPatchHunk[] | null): string =>
  hunks === null ? `${TOO_DIFFERENT}\n` : formatPatch({ ...NAMELESS, hunks }, OMIT_HEADERS);

const NAMELESS = {
  oldFileName: undefined,
  newFileName: undefined,
  oldHeader: undefined,
  newHeader: undefined,
};

const lines = (text: string): string[] => text.replace(/\n$/, '').split('\n');
const textOf = (part: readonly string[]): string => part.map((line) => `${line}\n`).join('');
const signed = (sign: string, part: readonly string[]): string[] => part.map((line) => sign + line);
