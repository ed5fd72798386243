/** A text area for configuration, with line numbers; what there is until the editor is loaded, or if it cannot be. */
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Described } from './field.tsx';

export type CodeProps = {
  value: string;
  onInput: (value: string) => void;
  /** The line to mark, from 1. */
  badLine?: number | null | undefined;
  /** The least number of lines shown. */
  rows?: number;
  attributes: Described;
};

export function CodeArea({ value, onInput, badLine, rows = 10, attributes }: CodeProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const gutter = useRef<HTMLDivElement>(null);
  const lines = value.split('\n').length;
  const marked = badLine && badLine <= lines ? badLine : 0;
  // As text: with an element per line, typing in a long file is slow.
  const before = useMemo(() => numbers(1, marked > 0 ? marked - 1 : lines), [marked, lines]);
  const after = useMemo(() => numbers(marked + 1, marked > 0 ? lines : 0), [marked, lines]);

  useLayoutEffect(() => {
    if (!badLine || !area.current) return;
    const height = Number.parseFloat(getComputedStyle(area.current).lineHeight);
    const top = (badLine - 1) * height;
    const { scrollTop, clientHeight } = area.current;
    if (top < scrollTop || top > scrollTop + clientHeight - height) {
      area.current.scrollTop = Math.max(0, top - clientHeight / 2);
    }
  }, [badLine]);

  return (
    <div class="editor">
      <div class="editor-gutter muted" ref={gutter} aria-hidden="true">
        {before}
        {marked > 0 && <span class="bad-line">{marked}</span>}
        {after}
      </div>
      <textarea
        {...attributes}
        ref={area}
        class="mono"
        rows={Math.max(rows, Math.min(lines + 1, 30))}
        wrap="off"
        spellcheck={false}
        autocapitalize="off"
        autocomplete="off"
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
        onScroll={(event) => {
          if (gutter.current) gutter.current.scrollTop = event.currentTarget.scrollTop;
        }}
      />
    </div>
  );
}

const numbers = (from: number, to: number): string =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at).join('\n');
