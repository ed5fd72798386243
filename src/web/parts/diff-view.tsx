/** Shows a unified diff; sign, wording and colour each distinguish added from removed lines. */

export type DiffLine = { kind: 'add' | 'remove' | 'context' | 'hunk'; text: string };

/** The lines of a unified diff, without its file names. */
export function diffLines(diff: string): DiffLine[] {
  const lines = diff.replace(/\n$/, '').split('\n');
  const first = lines.findIndex((line) => line.startsWith('@@'));
  return (first < 0 ? [] : lines.slice(first)).flatMap((line): DiffLine[] => {
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
