/** A text area for configuration, with line numbers and indenting; the browser's undo works. */
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Described } from './field.tsx';

type Props = {
  value: string;
  onInput: (value: string) => void;
  /** The line to mark, from 1. */
  badLine?: number | null | undefined;
  /** The least number of lines shown. */
  rows?: number;
  attributes: Described;
};

export function CodeEditor({ value, onInput, badLine, rows = 10, attributes }: Props) {
  const area = useRef<HTMLTextAreaElement>(null);
  const gutter = useRef<HTMLDivElement>(null);
  // After Escape, Tab leaves the editor: it must not trap the keyboard (WCAG 2.1.2).
  const [escaped, setEscaped] = useState(false);
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

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') setEscaped(true);
    if (event.key !== 'Tab' || escaped || !area.current) return;
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    indent(area.current, event.shiftKey);
  };

  return (
    <div class="editor">
      <div class="editor-gutter" ref={gutter} aria-hidden="true">
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
        onKeyDown={onKeyDown}
        onFocus={() => setEscaped(false)}
        onScroll={(event) => {
          if (gutter.current) gutter.current.scrollTop = event.currentTarget.scrollTop;
        }}
      />
    </div>
  );
}

const numbers = (from: number, to: number): string =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at).join('\n');

/** `insertText` is the only way to change a text area that keeps its undo history. */
const type = (text: string) => document.execCommand('insertText', false, text);

/** Inserts a tab; with several lines selected, or backwards, it indents or unindents whole lines. */
function indent(area: HTMLTextAreaElement, backwards: boolean): void {
  const { value, selectionStart, selectionEnd } = area;
  const first = value.lastIndexOf('\n', selectionStart - 1) + 1;
  const several = value.slice(selectionStart, selectionEnd).includes('\n');
  if (!backwards && !several) {
    type('\t');
    return;
  }
  const block = value.slice(first, selectionEnd);
  const moved = backwards ? block.replace(/^(\t| {1,4})/gm, '') : block.replace(/^(?=.)/gm, '\t');
  if (moved === block) return;
  area.setSelectionRange(first, selectionEnd);
  type(moved);
  area.setSelectionRange(
    several ? first : Math.max(first, selectionStart + moved.length - block.length),
    first + moved.length,
  );
}
