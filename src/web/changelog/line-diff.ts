/** Compares two texts line by line. Pure. */
import { structuredPatch } from 'diff';
import type { DiffLine } from '../parts/diff-view.tsx';

/**
 * How many lines may be added and removed: the time to find them grows with the square of their
 * number, and must not freeze the page.
 */
const MAX_EDITS = 300;
const KINDS: { [sign: string]: DiffLine['kind'] } = { '+': 'add', '-': 'remove', ' ': 'context' };

/** The changes, each with three lines around it; if there are too many, all old lines, then all new ones. */
export function lineDiff(old: string, now: string): DiffLine[] {
  // A last line without a newline would differ from the same line in the middle.
  const [before, after] = [withEnd(old), withEnd(now)];
  const options = { context: 3, maxEditLength: MAX_EDITS };
  const patch = structuredPatch('', '', before, after, '', '', options);
  if (!patch) return [...all(before, 'remove'), ...all(after, 'add')];
  return patch.hunks.flatMap(({ oldStart, newStart, lines }, at) => {
    const hunk = { kind: 'hunk' as const, text: `line ${Math.max(oldStart, newStart, 1)}` };
    const shown = lines.flatMap((line): DiffLine[] => {
      const kind = KINDS[line.charAt(0)];
      return kind ? [{ kind, text: line.slice(1) }] : [];
    });
    // The line number only matters if lines are left out before it.
    return at === 0 && oldStart <= 1 ? shown : [hunk, ...shown];
  });
}

const withEnd = (text: string) => (text === '' || text.endsWith('\n') ? text : `${text}\n`);

const all = (text: string, kind: 'add' | 'remove'): DiffLine[] =>
  text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => ({ kind, text: line }));
