/** How the editor looks, from the tokens of the dashboard; in a shadow root, so none of its CSS gets in. */
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { type Kind, type Position, readWord, startPosition } from './grammar.ts';

const TAGS = {
  comment: tags.comment,
  directive: tags.keyword,
  setting: tags.propertyName,
  matcher: tags.labelName,
  placeholder: tags.variableName,
  string: tags.string,
  address: tags.heading,
  brace: tags.brace,
} satisfies Record<Kind, unknown>;

const CADDYFILE = StreamLanguage.define<Position>({
  name: 'caddyfile',
  startState: startPosition,
  copyState: ({ blocks, first }) => ({ blocks: [...blocks], first }),
  token: (stream, at) =>
    readWord(
      {
        sol: () => stream.sol(),
        eatSpace: () => stream.eatSpace(),
        match: (pattern) => {
          const found = stream.match(pattern);
          return typeof found === 'boolean' ? null : found;
        },
      },
      at,
    ),
  tokenTable: TAGS,
  languageData: { commentTokens: { line: '#' }, closeBrackets: { brackets: ['{', '"', '`'] } },
});

const COLOURS = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--ink-soft)', fontStyle: 'italic' },
  { tag: tags.keyword, color: 'var(--accent)', fontWeight: '600' },
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: [tags.labelName, tags.variableName], color: 'var(--warn)' },
  { tag: tags.string, color: 'var(--info)' },
  { tag: tags.heading, fontWeight: '600' },
  { tag: tags.brace, color: 'var(--ink-soft)' },
]);

const THEME = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--panel)', fontSize: '0.875rem' },
  '&.cm-focused': { outline: 'none' },
  // As the text area that was here first: a line more than the text, between `--rows` and 30.
  '.cm-scroller': {
    font: '0.875rem / 1.5 var(--mono)',
    minHeight: 'calc(var(--rows) * 1.5em + 1rem)',
    maxHeight: 'calc(30 * 1.5em + 1rem)',
  },
  '.cm-content': { padding: '0.5rem 0 calc(0.5rem + 1.5em)', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 0.6rem' },
  '.cm-gutters': { border: '0', background: 'var(--sunken)', color: 'var(--ink-soft)' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 0.6rem', minWidth: '2.75rem' },
  '.cm-gutterElement.bad-line': {
    background: 'var(--bad)',
    color: 'var(--panel)',
    fontWeight: '700',
  },
  '.cm-tooltip': {
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
    background: 'var(--panel)',
    color: 'var(--ink)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    font: '0.8125rem / 1.5 var(--mono)',
    maxWidth: 'min(36rem, 92vw)',
    '& > li': { padding: '0.15rem 0.6rem' },
    '& > li[aria-selected]': { background: 'var(--accent-soft)', color: 'var(--ink)' },
  },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-completionDetail': {
    marginLeft: '1rem',
    color: 'var(--ink-soft)',
    font: '0.8125rem / 1.5 var(--font)',
  },
});

/** Highlighting of Caddyfile, and the look of the editor. */
export const look = [CADDYFILE, syntaxHighlighting(COLOURS), THEME];
