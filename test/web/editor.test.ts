/** What the editor knows of Caddyfile. */
import { describe, expect, test } from 'bun:test';
import { CompletionContext } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import { DIRECTIVES as KNOWN } from '../../src/hub/caddyfile/site.ts';
import { DIRECTIVES } from '../../src/web/editor/directives.ts';
import { changed } from '../../src/web/editor/editor.ts';
import {
  completions,
  type Kind,
  matchersIn,
  positionAfter,
  readWord,
  snippetsIn,
  startPosition,
} from '../../src/web/editor/grammar.ts';

/** Each word of a text that is something, as `kind word`. */
function wordsOf(text: string): string[] {
  const at = startPosition();
  const found: string[] = [];
  for (const line of text.split('\n')) {
    let rest = line;
    const take = (pattern: RegExp) => {
      const match = pattern.exec(rest);
      if (match) rest = rest.slice(match[0].length);
      return match;
    };
    while (rest !== '') {
      const before = rest;
      const kind: Kind | null = readWord(
        { sol: () => rest === line, eatSpace: () => take(/^\s+/) !== null, match: take },
        at,
      );
      if (rest === before) throw new Error(`no step at ${rest}`);
      if (kind) found.push(`${kind} ${before.slice(0, before.length - rest.length)}`);
    }
  }
  return found;
}

describe('the reader of Caddyfile', () => {
  test('takes no word for a comment, a block or a directive that is none', () => {
    expect(wordsOf('redir /a#b {scheme}://x\nrespond handle')).toEqual([
      'directive redir',
      'placeholder {scheme}',
      'directive respond',
    ]);
    expect(wordsOf('reverse_prox x')).toEqual(['address reverse_prox']);
    expect(positionAfter('respond "{"\nheader X {a}\n# {').blocks).toEqual([]);
    expect(positionAfter('}\n}\nhandle {').blocks).toEqual(['directives']);
  });

  test('always goes on, whatever the text', () => {
    for (const text of [
      '"',
      '`',
      '{',
      '}',
      '@',
      '{}',
      '{ }',
      '{a',
      '\\',
      ' \t',
      '"\\',
      '{$X} {',
      '@ {',
    ]) {
      expect(() => wordsOf(`${text}\nhandle ${text}\n${text} handle`)).not.toThrow();
    }
  });

  test('tells directives from settings, by the block', () => {
    const text = '@lan remote_ip 10.0.0.0/8\nhandle @lan {\n\theader {\n\t\tX-A "b"\n\t}\n}';
    expect(wordsOf(text)).toEqual([
      'matcher @lan',
      'directive handle',
      'matcher @lan',
      'brace {',
      'directive header',
      'brace {',
      'setting X-A',
      'string "b"',
      'brace }',
      'brace }',
    ]);
    expect(positionAfter('{\n').blocks).toEqual([{ of: 'options' }]);
    expect(positionAfter('(snippet) {\n').blocks).toEqual(['directives']);
    expect(positionAfter('a.example, b.example {\n').blocks).toEqual(['directives']);
    expect(positionAfter('@m {\n').blocks).toEqual([{ of: '@' }]);
    expect(positionAfter('reverse_proxy {\ntransport http {\n').blocks).toEqual([
      { of: 'reverse_proxy' },
      { of: 'transport' },
    ]);
  });

  test('finds matchers and snippets', () => {
    expect(matchersIn('@a path /x\n\t@b {\n}\nhandle @c\n@a path /y')).toEqual(['@a', '@b']);
    expect(snippetsIn('(one) {\n}\n (no) {\n(two-2) {\n}')).toEqual(['one', 'two-2']);
  });
});

describe('completion', () => {
  const PREAMBLE = '(security) {\n\theader X-A b\n}';
  /** What is offered at the `|` in a text. */
  const offered = async (marked: string, explicit = false): Promise<string[]> => {
    const pos = marked.indexOf('|');
    const state = EditorState.create({ doc: marked.replace('|', '') });
    const offer = await completions(async () => PREAMBLE)(
      new CompletionContext(state, pos, explicit),
    );
    const typed = offer ? state.sliceDoc(offer.from, pos) : '';
    return (offer?.options ?? []).map(({ label }) => label).filter((one) => one.startsWith(typed));
  };

  test('offers nothing in comments, for new matchers, in unknown blocks, or before a letter', async () => {
    const texts = [
      '# rev|',
      'respond "x" # {h|',
      '@la|',
      'map {\n\tx|',
      '|',
      'respond h|',
      'route {|',
    ];
    for (const text of texts) expect(await offered(text)).toEqual([]);
  });

  test('offers directives and what their blocks can hold', async () => {
    expect(await offered('rev|')).toEqual(['reverse_proxy']);
    expect(await offered('handle {\n\tfile|\n}')).toEqual(['file_server']);
    expect(await offered('reverse_proxy a {\n\thealth_u|')).toEqual(['health_uri']);
    expect(await offered('reverse_proxy a {\n\ttransport http {\n\t\ttls_i|')).toEqual([
      'tls_insecure_skip_verify',
    ]);
    expect((await offered('|', true)).length).toBeGreaterThan(30);
    expect(await offered('timeouts {\n\tread|')).toEqual(['read_timeout']);
    expect(await offered('{\n\ttls_r|')).toEqual(['tls_resolvers']);
    expect(await offered('{\n\tservers {\n\t\texpected_d|')).toEqual(['expected_dot_headers']);
    expect(await offered('{\n\tservers {\n\t\ttimeouts {\n\t\t\tread_b|')).toEqual([
      'read_body',
      'read_body_idle',
    ]);
    expect(await offered('@m {\n\turl|')).toEqual(['url_pattern']);
    expect(await offered('@m {\n\turl_pattern /a/:id {\n\t\t|', true)).toEqual([
      'base_url',
      'ignore_case',
    ]);
  });

  test('offers what the hub knows, and nothing else', () => {
    for (const name of ['import', 'tls', ...Object.keys(DIRECTIVES)]) {
      expect([name, KNOWN.has(name)]).toEqual([name, true]);
    }
    expect([...KNOWN].filter((name) => !Object.hasOwn(DIRECTIVES, name))).toEqual([]);
  });

  test('offers new placeholders', async () => {
    expect(await offered('respond {http.request.p|')).toEqual(['{http.request.proto_name}']);
    expect(await offered('respond {http.url|')).toEqual(['{http.url_pattern.*}']);
  });

  test('offers matchers of the text, snippets of the preamble, and placeholders', async () => {
    expect(await offered('@lan path /x\nhandle @|')).toEqual(['@lan']);
    expect(await offered('import |')).toEqual(['security']);
    expect(await offered('reverse_proxy {up|')).toEqual(['{upstream}']);
    expect(await offered('redir https://{ho|}')).toContain('{host}');
  });
});

test.each([
  ['one two three', 'one 2 three', { from: 4, to: 7, insert: '2' }],
  ['one three', 'one two three', { from: 5, to: 5, insert: 'wo t' }],
  ['one two', 'one', { from: 3, to: 7, insert: '' }],
  ['aa', 'aaa', { from: 2, to: 2, insert: 'a' }],
  ['same', 'same', { from: 4, to: 4, insert: '' }],
  ['', 'new', { from: 0, to: 0, insert: 'new' }],
])('what replaces %j by %j is the one place in which they differ', (old, text, expected) => {
  const { from, to, insert } = changed(old, text);
  expect({ from, to, insert }).toEqual(expected);
  expect(old.slice(0, from) + insert + old.slice(to)).toBe(text);
});
