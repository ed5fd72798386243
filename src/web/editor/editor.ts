/** The editor of configuration: CodeMirror, in a shadow root. Loaded when a form needs it. */
import {
  acceptCompletion,
  autocompletion,
  completionKeymap,
  completionStatus,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentLess, insertTab } from '@codemirror/commands';
import { indentUnit } from '@codemirror/language';
import { Compartment, EditorState, type Extension, RangeSet, Transaction } from '@codemirror/state';
import {
  EditorView,
  GutterMarker,
  gutterLineClass,
  type KeyBinding,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { completions } from './grammar.ts';
import { look } from './look.ts';

export type Editor = {
  /** Replaces the text, as an edit that can be undone; nothing happens if it is the same. */
  setText: (text: string) => void;
  /** Marks a line, from 1, and shows it; null for none. */
  mark: (line: number | null) => void;
  /** Changes what assistive technology says of the text beside its label. */
  describe: (text: string) => void;
  remove: () => void;
};

type EditorOptions = {
  text: string;
  /** Read out as the name of the editor. */
  label: string;
  /** What to select before typing begins; null leaves the focus where it is. */
  selected: { anchor: number; head: number } | null;
  onInput: (text: string) => void;
  /** Reads the preamble, for the names of its snippets. */
  preamble: () => Promise<string>;
};

const BAD_LINE = new (class extends GutterMarker {
  override elementClass = 'bad-line';
})();

/**
 * Puts an editor into `host`. Its shadow root takes a constructed style sheet: the `<style>` that
 * CodeMirror makes for a document is against the hub's content security policy.
 */
export function createEditor(host: HTMLElement, options: EditorOptions): Editor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open', delegatesFocus: true });
  const marked = new Compartment();
  const described = new Compartment();
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: options.text,
      selection: options.selected ?? { anchor: 0 },
      extensions: [
        lineNumbers(),
        history(),
        indentUnit.of('\t'),
        EditorState.tabSize.of(4),
        autocompletion({
          override: [completions(options.preamble)],
          icons: false,
          defaultKeymap: false,
        }),
        keymap.of([...KEYS, ...completionKeymap, ...historyKeymap, ...defaultKeymap]),
        EditorView.contentAttributes.of({ 'aria-label': options.label, autocapitalize: 'off' }),
        EditorView.updateListener.of(({ view: editor, docChanged, transactions, state }) => {
          const isOurs = transactions.some((one) => one.annotation(Transaction.remote));
          if (!docChanged || isOurs) return;
          editor.setTabFocusMode(false);
          options.onInput(state.doc.toString());
        }),
        EditorView.domEventHandlers({
          // It must not trap the keyboard (WCAG 2.1.2), nor stay without Tab.
          focus: (_, editor) => editor.setTabFocusMode(false),
          beforeinput: replaceSelected,
        }),
        marked.of([]),
        described.of([]),
        look,
      ],
    }),
  });
  // The text is what a click on the label or a link to the host focuses, not the box around it.
  view.scrollDOM.removeAttribute('tabindex');
  if (options.selected !== null) view.focus();

  return {
    setText(text) {
      const { doc } = view.state;
      if (doc.toString() === text) return;
      view.dispatch({
        changes: changed(doc.toString(), text),
        annotations: Transaction.remote.of(true),
      });
    },
    mark(line) {
      const { doc } = view.state;
      const at = line !== null && line >= 1 && line <= doc.lines ? doc.line(line).from : null;
      const marks = at === null ? [] : gutterLineClass.of(RangeSet.of([BAD_LINE.range(at)]));
      view.dispatch({
        effects: [
          marked.reconfigure(marks),
          ...(at === null ? [] : [EditorView.scrollIntoView(at)]),
        ],
      });
    },
    describe(text) {
      const attributes: Extension = EditorView.contentAttributes.of({ 'aria-description': text });
      view.dispatch({ effects: described.reconfigure(text === '' ? [] : attributes) });
    },
    remove: () => view.destroy(),
  };
}

/** Tab takes what is offered, or indents; after Escape it leaves the editor, until one types again. */
const KEYS: KeyBinding[] = [
  {
    key: 'Tab',
    run: (view) =>
      acceptCompletion(view) ||
      // The list has just opened, so the key may have been meant for the text: that takes none either.
      completionStatus(view.state) === 'active' ||
      insertTab(view),
    shift: indentLess,
  },
  {
    key: 'Escape',
    run: (view) => {
      view.setTabFocusMode(true);
      return false;
    },
  },
];

/**
 * Types over a selection in the browser's stead, which would give what it joins inline styles; the content
 * security policy blocks those, with an error in the console. @returns whether it did
 */
function replaceSelected(event: InputEvent, view: EditorView): boolean {
  const { inputType, data } = event;
  if (inputType !== 'insertText' || !data || view.composing) return false;
  const { from, to } = selectedIn(view);
  if (from === to) return false;
  event.preventDefault();
  view.dispatch({
    changes: { from, to, insert: data },
    selection: { anchor: from + data.length },
    userEvent: 'input.type',
    scrollIntoView: true,
  });
  return true;
}

/** What is selected: the editor learns of it a little later than the browser, where that can be asked. */
function selectedIn(view: EditorView): { from: number; to: number } {
  // Only some browsers have it for shadow roots; those that lack it add no styles.
  const root: DocumentOrShadowRoot & Partial<Pick<Document, 'getSelection'>> = view.root;
  const now = root.getSelection?.();
  if (!now?.anchorNode || !now.focusNode) return view.state.selection.main;
  const anchor = view.posAtDOM(now.anchorNode, now.anchorOffset);
  const head = view.posAtDOM(now.focusNode, now.focusOffset);
  return { from: Math.min(anchor, head), to: Math.max(anchor, head) };
}

/** The one place in which two texts differ, so that cursor and marks elsewhere stay. */
export function changed(old: string, text: string): { from: number; to: number; insert: string } {
  const most = Math.min(old.length, text.length);
  let from = 0;
  while (from < most && old[from] === text[from]) from++;
  let end = 0;
  while (end < most - from && old.at(-1 - end) === text.at(-1 - end)) end++;
  return { from, to: old.length - end, insert: text.slice(from, text.length - end) };
}
