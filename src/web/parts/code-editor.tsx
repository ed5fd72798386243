/** A text area for configuration: line numbers, Tab, and the browser's own undo. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Described } from './field.tsx';

type Props = {
  value: string;
  onInput: (value: string) => void;
  /** The line the proxy named, from 1. */
  badLine?: number | null | undefined;
  /** Lines shown at least. */
  rows?: number;
  readOnly?: boolean;
  attributes?: Described;
  label?: string;
};

export function CodeEditor({
  value,
  onInput,
  badLine,
  rows = 10,
  readOnly = false,
  attributes,
  label,
}: Props) {
  const area = useRef<HTMLTextAreaElement>(null);
  const gutter = useRef<HTMLDivElement>(null);
  // After Escape, Tab leaves the editor: the keyboard must not be caught in it (WCAG 2.1.2).
  const [escaped, setEscaped] = useState(false);
  const lines = value.split('\n').length;

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
    if (event.key !== 'Tab' || escaped || readOnly || !area.current) return;
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    indent(area.current, event.shiftKey);
  };

  return (
    <div class="editor">
      <div class="editor-gutter" ref={gutter} aria-hidden="true">
        {Array.from({ length: lines }, (_, at) => (
          <span key={at} class={at + 1 === badLine ? 'bad-line' : undefined}>
            {at + 1}
          </span>
        ))}
      </div>
      <textarea
        {...attributes}
        ref={area}
        class="mono"
        aria-label={label}
        rows={Math.max(rows, Math.min(lines + 1, 30))}
        wrap="off"
        spellcheck={false}
        autocapitalize="off"
        autocomplete="off"
        readOnly={readOnly}
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

/** `insertText` is the one way to change a text area that its undo knows of. */
const type = (text: string) => document.execCommand('insertText', false, text);

/** Tab at the caret; with several lines selected, or backwards, whole lines move. */
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
