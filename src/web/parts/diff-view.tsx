/** Compares two texts line by line, and shows a diff: sign, wording and colour each tell added from removed lines. */
import { structuredPatch } from 'diff';

type DiffLine = { kind: 'add' | 'remove' | 'context' | 'hunk'; text: string };

/** The lines of a unified diff without the names of files. */
export function diffLines(diff: string): DiffLine[] {
  if (diff === '') return [];
  const lines = diff.replace(/\n$/, '').split('\n');
  return lines.flatMap((line): DiffLine[] => {
    if (line.startsWith('@@')) return [{ kind: 'hunk', text: line }];
    if (line.startsWith('\\')) return [];
    const text = line.slice(1);
    if (line.startsWith('+')) return [{ kind: 'add', text }];
    if (line.startsWith('-')) return [{ kind: 'remove', text }];
    return [{ kind: 'context', text }];
  });
}

const SIGNS = { add: '+', remove: '−', context: ' ', hunk: '' } as const;
const WORDS = { add: 'added: ', remove: 'removed: ', context: '', hunk: '' } as const;

export function DiffView({ lines, label }: { lines: readonly DiffLine[]; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it
    <section class="diff mono" aria-label={label} tabIndex={0}>
      {lines.map((line, at) => (
        <div key={at} class={`diff-${line.kind}`}>
          <span class="diff-sign" aria-hidden="true">
            {SIGNS[line.kind]}
          </span>
          <span class="visually-hidden">{WORDS[line.kind]}</span>
          {line.text}
        </div>
      ))}
    </section>
  );
}

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

/** How many lines of a text are added, removed, or replaced by another one. */
export function linesChanged(old: string, now: string): number {
  let [count, added, removed] = [0, 0, 0];
  for (const { kind } of [...lineDiff(old, now), { kind: 'context' }]) {
    if (kind === 'add') added += 1;
    else if (kind === 'remove') removed += 1;
    else [count, added, removed] = [count + Math.max(added, removed), 0, 0];
  }
  return count;
}

const withEnd = (text: string) => (text === '' || text.endsWith('\n') ? text : `${text}\n`);

const all = (text: string, kind: 'add' | 'remove'): DiffLine[] =>
  text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => ({ kind, text: line }));
