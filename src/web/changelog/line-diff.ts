/** Two texts compared line by line. Pure but for a limit of time. */
import { structuredPatch } from 'diff';
import type { DiffLine } from '../parts/diff-view.tsx';

/** Two texts with nothing in common take the square of their length; the page must not stand still. */
const PATIENCE_MS = 300;
const KINDS: { [sign: string]: DiffLine['kind'] } = { '+': 'add', '-': 'remove', ' ': 'context' };

/** What changed with three lines around it; after that time all old lines, then all new ones. */
export function lineDiff(old: string, now: string): DiffLine[] {
  // Without a line end of its own, a last line would differ from the same one in the middle.
  const [before, after] = [withEnd(old), withEnd(now)];
  const options = { context: 3, timeout: PATIENCE_MS };
  const patch = structuredPatch('', '', before, after, '', '', options);
  if (!patch) return [...all(before, 'remove'), ...all(after, 'add')];
  return patch.hunks.flatMap(({ oldStart, newStart, lines }, at) => {
    const hunk = { kind: 'hunk' as const, text: `line ${Math.max(oldStart, newStart, 1)}` };
    const shown = lines.flatMap((line): DiffLine[] => {
      const kind = KINDS[line.charAt(0)];
      return kind ? [{ kind, text: line.slice(1) }] : [];
    });
    // The place says something where lines are left out before it.
    return at === 0 && oldStart <= 1 ? shown : [hunk, ...shown];
  });
}

const withEnd = (text: string) => (text === '' || text.endsWith('\n') ? text : `${text}\n`);

const all = (text: string, kind: 'add' | 'remove'): DiffLine[] =>
  text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => ({ kind, text: line }));
