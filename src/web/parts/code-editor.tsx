/** The editor of configuration; a plain text area until it is loaded, and if it cannot be. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Editor } from '../editor/editor.ts';
import { get } from '../lib/api.ts';
import type { Preamble } from '../lib/types.ts';
import type { Described } from './field.tsx';

export function CodeEditor(props: CodeProps) {
  const { value, badLine = null, rows = 10, attributes } = props;
  const { id } = attributes;
  const host = useRef<HTMLDivElement>(null);
  const [editor, setEditor] = useState<Editor | null>(null);
  const [module, setModule] = useState<typeof import('../editor/editor.ts') | null>(null);
  const latest = useRef(props);
  latest.current = props;
  /** What was selected in the text area before the editor took its place. */
  const selected = useRef<ReturnType<typeof selectedIn>>(null);
  if (module && !editor && !host.current) selected.current = selectedIn(id);

  useEffect(() => {
    let isOver = false;
    // If it cannot be loaded, the text area stays.
    import('../editor/editor.ts').then(
      (loaded) => {
        if (!isOver) setModule(loaded);
      },
      () => {},
    );
    return () => {
      isOver = true;
    };
  }, []);

  // At once: a key between the text area and the editor would be lost.
  useLayoutEffect(() => {
    if (!module || !host.current) return;
    const label = document.querySelector<HTMLElement>(`label[for="${CSS.escape(id)}"]`);
    const made = module.createEditor(host.current, {
      text: latest.current.value,
      label: label?.textContent ?? '',
      selected: selected.current,
      onInput: (text) => latest.current.onInput(text),
      preamble: async () => (await get<Preamble>('/preamble')).config,
    });
    // A label cannot be for something in a shadow root.
    const focus = () => host.current?.focus();
    label?.addEventListener('click', focus);
    setEditor(made);
    return () => {
      label?.removeEventListener('click', focus);
      made.remove();
    };
  }, [module, id]);

  // At once: after the next key the text would be an old one, and undo what was typed.
  useLayoutEffect(() => editor?.setText(value), [editor, value]);
  useEffect(() => editor?.mark(badLine), [editor, badLine]);
  const describedBy = attributes['aria-describedby'];
  const [description, setDescription] = useState('');
  useEffect(() => {
    const texts = (describedBy ?? '').split(' ').map((of) => of && textOf(of));
    setDescription(texts.join(' ').trim());
  });
  useEffect(() => editor?.describe(description), [editor, description]);

  if (!module) return <CodeArea {...props} />;
  return <div class="editor" id={id} ref={host} style={{ '--rows': rows }} />;
}

/** The selection of a text area; null if the focus is not there. */
function selectedIn(id: string): { anchor: number; head: number } | null {
  const area = document.activeElement;
  if (!(area instanceof HTMLTextAreaElement) || area.id !== id) return null;
  return { anchor: area.selectionStart, head: area.selectionEnd };
}

const textOf = (id: string): string => document.getElementById(id)?.textContent ?? '';

type CodeProps = {
  value: string;
  onInput: (value: string) => void;
  /** The line that the editor marks, from 1. */
  badLine?: number | null | undefined;
  /** The least number of lines shown. */
  rows?: number;
  attributes: Described;
};

/** What there is until the editor is loaded, or if it cannot be. */
const CodeArea = ({ value, onInput, rows = 10, attributes }: CodeProps) => (
  <div class="editor">
    <textarea
      {...attributes}
      rows={Math.max(rows, Math.min(value.split('\n').length + 1, 30))}
      wrap="off"
      spellcheck={false}
      autocapitalize="off"
      autocomplete="off"
      value={value}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  </div>
);
