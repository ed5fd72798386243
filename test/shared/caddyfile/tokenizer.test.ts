import { expect, test } from 'bun:test';
import { isBrace, startsLine, tokenize } from '../../../src/shared/caddyfile/tokenizer.ts';

const texts = (source: string, heredocs = false) =>
  tokenize(source, { heredocs }).map(({ text }) => text);

test.each([
  ['a byte order mark, once', '\ufeff\ufeffa', ['\ufeffa']],
  ['a byte order mark further on', 'a \ufeff', ['a', '\ufeff']],
  [
    'every space that Go knows',
    'a\u0085b\u00a0c\u3000d\u2028e\vf\u1680g\u205fh\u200ai',
    [...'abcdefghi'],
  ],
  ['no space that only JavaScript knows', 'a\u200bb\ufeffc', ['a\u200bb\ufeffc']],
  ['carriage returns, dropped even inside a word', 'a\rb\r\nc', ['ab', 'c']],
  ['carriage returns, kept inside quotes', '"a\r\nb"', ['a\r\nb']],
  ['comments only at the start of a word', 'a#b #c\nd', ['a#b', 'd']],
  ['quotes only at the start of a word', 'a"b c"', ['a"b', 'c"']],
  ['a closing quote ends the word', '"a"b`c`', ['a', 'b`c`']],
  ['the only escape inside quotes', '"a\\"b\\\\c\\n"', ['a"b\\\\c\\n']],
  ['no escape inside backticks', '`a\\` b', ['a\\', 'b']],
  ['an empty word in quotes', '"" ``', ['', '']],
  ['a backslash before a character', '\\a b\\c \\\\', ['\\a', 'b\\c', '\\\\']],
  ['a backslash before a blank', 'a\\ b', ['a', 'b']],
  ['a backslash that outlasts blanks', '\\ a', ['\\a']],
  ['a backslash before an opening quote', '\\"a" \\""b"', ['\\a', '"b']],
  ['a backslash at the end', 'a\\', ['a']],
  ['an open quote', 'a "b\nc\\', ['a', 'b\nc']],
  ['an open backtick', 'a `b\nc', ['a', 'b\nc']],
  ['an empty open quote', 'a "', ['a']],
  ['heredocs as plain text', '<<E\na\nE', ['<<E', 'a', 'E']],
])('reads %s', (_, source, expected) => {
  expect(texts(source)).toEqual(expected);
});

test.each([
  ['a heredoc without its margin', 'a <<E_1-x\n  b\n\n   c\n  E_1-x d', ['a', 'b\n\n c', 'd']],
  ['a heredoc with carriage returns', '<<E\r\n\tb\r\n\tE', ['b']],
  ['an empty heredoc', '<<E\nE', ['']],
  ['a marker in the middle of a line', '<<E\na E b', ['', 'b']],
  ['an escaped heredoc', '\\<<E\na\nE', ['<<E', 'a', 'E']],
  ['a marker followed by a blank', '<<E a\nE', ['<<E', 'a', 'E']],
  ['a heredoc that begins inside a word', 'a<<E\nE', ['a<<E', 'E']],
  ['an open heredoc', 'a <<E\nb }', ['a', 'b }']],
  ['a marker with other characters', 'a <<E"\nb\nE"', ['a', 'b\nE"']],
])('reads, from 2.7 on, %s', (_, source, expected) => {
  expect(texts(source, true)).toEqual(expected);
});

test.each([
  ['line ends', 'a\n\nb', [1, 3]],
  ['escaped line ends, counted late', 'a\\\nb\nc', [1, 1, 3]],
  ['a backslash in a comment', 'a # C:\\x\nb\nc', [1, 1, 3]],
  ['quotes over several lines', '"a\nb" c\nd', [1, 2, 3]],
  ['an escaped line end before such quotes', 'a\\\n"b\nc" d', [1, 1, 3]],
])('counts %s', (_, source, expected) => {
  expect(tokenize(source).map(({ line }) => line)).toEqual(expected);
});

test('offsets include quotes and backslashes', () => {
  const source = '\ufeff "a\\"b" `c` \\"d" e\\\r\nf';
  const slices = tokenize(source).map(({ start, end }) => source.slice(start, end));
  expect(slices).toEqual(['"a\\"b"', '`c`', '\\"d"', 'e\\', 'f']);
});

test('a token has its quote, but not if that stays open', () => {
  expect(tokenize('"a" `b` c "d').map(({ quote }) => quote)).toEqual(['"', '`', '', '']);
  expect(tokenize('<<E\nE', { heredocs: true })[0]?.quote).toBe('<<');
});

test('a quoted brace is a brace, part of a word is not', () => {
  expect(tokenize('{ } "{" `}` {} a{ {b}').map(isBrace)).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});

test('lines begin where they do for Caddy', () => {
  const starts = (source: string) => {
    const tokens = tokenize(source);
    return tokens.map((_, index) => startsLine(tokens, index));
  };
  expect(starts('a b\nc')).toEqual([true, false, true]);
  expect(starts('a "b\nc" d\ne')).toEqual([true, false, false, true]);
  expect(starts('a \\\n"b\nc" d')).toEqual([true, false, true]);
});
