import { describe, expect, test } from 'bun:test';
import { checkConfig } from '../../../src/shared/caddyfile/check.ts';

const snippets = new Set(['s']);
const line = (config: string, form: 'body' | 'block', heredocs = false) =>
  checkConfig(config, form, { snippets, heredocs })?.line ?? null;

describe('a body is refused', () => {
  test.each([
    ['a surplus brace', 'respond a\n}\nhttp://evil.example {\nrespond b', 2],
    ['a brace followed by an address', 'respond a\n} http://evil.example {', 2],
    ['a quoted brace', '"}"\nhttp://evil.example {', 1],
    ['a brace in backticks', '\n`}`\nhttp://evil.example {', 2],
    ['a brace after a quote inside a word', 'respond a"b\n}\nx {\nrespond c"', 2],
    ['a brace as the last argument', 'respond a }', 1],
    ['an open brace', 'log\nhandle {\nrespond a', 2],
    ['the innermost of several open ones', 'handle {\nroute {\nrespond a\n', 2],
    ['a brace without a directive', '{\n}\nhttp://evil.example {\n}', 1],
    ['a brace after an import', 'import s\n{\n}', 2],
    ['an import with a block', 'import s {\n}', 1],
    ['a brace as argument of an import', 'handle {\nimport s }', 2],
    ['an open quote', 'log\nrespond "a', 2],
    ['an open backtick', 'log\nrespond `a\n\n', 2],
    ['a backslash at the end', 'log\nrespond a \\', 2],
    ['a backslash in the last comment', 'log\nrespond a # C:\\x', 2],
    ['a file import', 'log\nimport /etc/passwd', 2],
    ['a file import in a block', 'header {\nimport key.pem\n}', 2],
    ['a quoted import', '"import" /etc/passwd', 1],
    ['an import without a target', 'import', 1],
    ['an import with an unknown target', 'import {$X}', 1],
    ['an import of the upstream', 'import {upstream}', 1],
    ['an import that a default makes', '{$X:import} s', 1],
    ['an import in a default', '{$X:import /etc/passwd}', 1],
    ['an import in pieces', '{$A:im}{$B}{$C:port} x', 1],
    ['an import after what may be empty', 'log\n{$X} import s', 2],
    ['an open placeholder', 'log\nrespond {$X', 2],
    ['an open placeholder before the upstream', 'respond {$ {upstream}', 1],
    ['a comment in a default', 'respond {$NOPE:#} {\n}', 1],
    ['a quote in a default', 'respond {$X:"}', 1],
    ['a quote in a quoted default', 'respond "{$X:a"}"', 1],
    ['a backslash in a quoted default', 'respond "{$X:a\\}"', 1],
    ['a line end in a default', 'log\nrespond {$X:a\n}', 2],
    ['a line end in the default of a comment', '# {$X:\n}\n}', 3],
    ['a brace in a default', 'respond {$X:{}', 1],
    ['a brace left by an empty value', 'respond {$X}}', 1],
    ['a quote left by an empty value', 'respond {$X}"', 1],
    ['a quote uncovered by one of two values', 'respond {$A:x}{$B:y}"z w"', 1],
    ['a line end joined by an empty value', 'respond \\{$X}\nlog', 1],
    ['an escaped quote left by an empty value', 'respond "\\{$X}"', 1],
    ['a block whose directive may be empty', '{$X} {\n}', 1],
    ['a quoted default that is a brace', 'respond "{$X:{}" {\n}', 1],
    ['a brace in backticks left by an empty value', 'respond `{$X}{`', 1],
    ['a default that ends backticks', 'respond `{$X:`}`', 1],
  ])('for %s', (_, config, expected) => {
    expect(line(config, 'body')).toBe(expected);
  });

  test.each([
    ['an open heredoc', 'respond <<E\na', 1],
    ['a heredoc that contains only a brace', 'respond <<E\n}\nE', 1],
    ['a heredoc with an odd marker', 'respond <<E"\na\nE"', 1],
    ['a default that makes a heredoc a brace', 'respond <<E\n{$X:{}\nE', 2],
    ['a default that ends a heredoc', 'respond <<E\n{$X:E}\nE', 2],
  ])('from 2.7 on for %s', (_, config, expected) => {
    expect(line(config, 'body', true)).toBe(expected);
  });
});

/** Each is one block in an older Caddy, and several lines or sites in a newer one. */
describe('a quoted brace is refused', () => {
  test.each<[string, string, number]>([
    ['as an argument', 'log\nrespond "{"', 2],
    ['as a closing argument', 'handle {\n\tlog\n\trespond "}"\n}', 3],
    ['in backticks', 'respond `{`', 1],
    ['as a heredoc', 'header <<E\n\t{\n\tE\n}', 1],
    ['as a heredoc with carriage returns', 'header X <<E\r\n}\r\nE', 1],
    [
      'before a brace that would close the site',
      'header "{"\n}\nhttp://evil.test {\nheader Q "}"',
      1,
    ],
    ['before an argument', 'header "{" x\n}', 1],
    ['after a matcher', '@m path /a\nheader @m X "{"\n}', 2],
    ['as the name of a logger', 'log "{"\n}', 1],
    ['as an argument of an import', 'import s "{"\n}', 1],
    ['as a closing argument of an import', 'handle {\nimport s `}`\n}', 2],
    ['around a block', 'handle "{"\n\trespond a\n"}"', 1],
    ['even as a pair', 'header X "{" "}"', 1],
    ['as a pair across lines', 'header {\n\tX "{"\n\tY "}"\n}', 2],
    ['as a pair on a line that goes on', 'header X "{" \\\n\t"}"', 1],
  ])('%s', (_, config, expected) => {
    for (const form of ['body', 'block'] as const) {
      const text = form === 'body' ? config : `a.example {\n${config}\n}`;
      const fault = checkConfig(text, form, { snippets, heredocs: true, importBlocks: true });
      const added = form === 'body' ? 0 : 1;
      expect(fault).toEqual({
        line: expected + added,
        message: expect.stringMatching(
          /^Up to Caddy 2\.11\.4 this quoted [{}] (opens|closes) a block/,
        ),
        hint: expect.stringMatching(/^If it .* write "\\[{}]"/),
      });
    }
  });

  test('as an address', () => {
    expect(line('"{"\n}', 'block', true)).toBe(1);
    expect(line('a.example, "{" {\n}', 'block', true)).toBe(1);
  });

  test('unless there is more in the quotes', () => {
    for (const config of ['respond "\\{"', 'respond "{ "', 'header X "{}" "a}"', 'respond `{{`']) {
      expect(line(config, 'body', true)).toBeNull();
      expect(line(`a.example {\n${config}\n}`, 'block', true)).toBeNull();
    }
  });
});

describe('a body passes', () => {
  test.each([
    [''],
    ['# nothing yet'],
    ['reverse_proxy {upstream}'],
    ['reverse_proxy {upstream} {\n\theader_up Host {host}\n}'],
    ['respond "}{" 200'],
    ['respond "a\n}\n"'],
    ['respond `{\n`'],
    ['respond a}b'],
    ['respond import'],
    ['header X import /etc/passwd'],
    ['import s'],
    ['"import" s a "b c"'],
    ['handle {\n\timport s\n}'],
    ['respond a \\\n\tb'],
    ['handle\n{\n}'],
    ['handle {\r\n\trespond a\r\n}\r\n'],
    ['respond {$X}'],
    ['respond {$X:a b} {$X:"c d"}'],
    ['respond "{$X:a b}" # {$X:#}'],
    ['{$TLS:tls internal}'],
    ['reverse_proxy {$SCHEME:http}://{$HOST:localhost}:{$PORT:80}'],
    ['respond {$}'],
    ['respond <<E\na\nE'],
  ])('%j', (config) => {
    expect(line(config, 'body')).toBeNull();
  });

  test('a heredoc, from 2.7 on', () => {
    expect(line('respond <<E\n}\n"\nE', 'body', true)).toBeNull();
    expect(line('respond <<E\n}\n"\nE', 'body')).toBe(2);
  });
});

describe('from 2.9 on, in the block of an import', () => {
  const since = (config: string) =>
    checkConfig(config, 'body', { snippets, heredocs: true, importBlocks: true })?.line ?? null;

  test.each([
    ['words after the opening brace', 'import s { a\n}', 1],
    ['words after an inner brace', 'import s {\na { b\n}\n}', 2],
    ['words after the closing brace', 'import s {\na\n} b', 3],
    ['a closing brace on the line of an inner one', 'import s {\na { }\n}', 2],
    ['a file import', 'import s {\nimport /etc/passwd\n}', 2],
    ['a file import after another word', 'import s {\na import /etc/passwd\n}', 2],
    ['a file import deeper inside', 'handle {\nimport s {\na {\nb import x\n}\n}\n}', 4],
    ['an open block', 'import s {\na {\n}', 1],
  ])('%s is refused', (_, config, expected) => {
    expect(since(config)).toBe(expected);
  });

  test.each([
    ['import s {\n}'],
    ['import s { }\nrespond a'],
    ['import s a b {\n\tx {\n\t\trespond a\n\t}\n\timport s\n}\nheader X import'],
    ['handle {\n\timport s {\n\t\ta\n\t}\n\trespond a\n}'],
  ])('%j is accepted', (config) => {
    expect(since(config)).toBeNull();
  });
});

describe('a whole block is refused', () => {
  test.each([
    ['nothing', '', 1],
    ['only a comment', '# c', 1],
    ['only addresses', 'a.example,', 1],
    ['no braces', 'a.example\nrespond a', 1],
    ['an open block', 'a.example {\nrespond a', 1],
    ['an open quote', 'a.example {\nrespond "a\n}', 2],
    ['an open quote after it', 'a.example {\n}\n"', 3],
    ['a second block', 'a.example {\n}\nb.example {\n}', 3],
    ['words after it', 'a.example {\n} b.example', 2],
    ['global options', '{\n}', 1],
    ['an empty address', '"" {\n}', 1],
    ['a snippet', '(s) {\n}', 1],
    ['a named route', '&(s) {\n}', 1],
    ['an imported address', 'a.example,\nimport s {\n}', 2],
    ['a brace joined to an address', 'a.example{\n}', 1],
    ['addresses joined together', 'a.example,b.example {\n}', 1],
    ['a comma before the brace', 'a.example, {\n}', 1],
    ['a placeholder that swallows the brace', 'a.example {\nrespond {$X\n}', 1],
    ['a file import', 'a.example {\nlog\nimport x\n}', 3],
    ['a file import after the brace', 'a.example { import x\n}', 1],
    ['an address that may be an import', '{$X:import} /x {\n}', 1],
    ['a brace without a directive', 'a.example { {\n}\n}', 1],
  ])('for %s', (_, config, expected) => {
    expect(line(config, 'block')).toBe(expected);
  });

  test.each([
    ['a.example {\n}'],
    ['a.example, b.example,\nc.example\n\n{\n\tlog\n}\n'],
    ['a.example {\n} # a comment that ends in \\'],
    ['a.example {\n} \\'],
    ['{$SITE} {\n\trespond a\n}'],
    ['{$SITE:a.example, b.example} {\n}'],
    ['# first\na.example {\n}'],
  ])('but not %j', (config) => {
    expect(line(config, 'block')).toBeNull();
  });
});

test('the message is one sentence and quotes nothing from the config', () => {
  const fault = checkConfig('log\nimport /etc/passwd', 'body');
  expect(fault).toEqual({
    line: 2,
    message: 'Only snippets that the preamble defines can be imported, not files.',
  });
});

/** If each were looked at once for each other, none would end before the limit of a test. */
test('a large config with many placeholders is checked in one pass', () => {
  const config = 'header X "{$A:b c}" {$B:d e}{$C:f}x\n'.repeat(50_000);
  const many = { message: 'There are more than 1000 {$…} here.' };
  expect(checkConfig(config, 'body')).toEqual({ line: 334, ...many });
  expect(checkConfig('\\<'.repeat(2_000_000), 'body', { heredocs: true })).toBeNull();
  expect(checkConfig('{$A}\n'.repeat(200_000), 'body')).toEqual({ line: 1001, ...many });
});
