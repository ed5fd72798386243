import { expect, test } from 'bun:test';
import { hasGlobalOptions, portOptions } from '../../../src/shared/caddyfile/globals.ts';
import { checkPreamble, snippetNames } from '../../../src/shared/caddyfile/preamble.ts';

test.each([
  ['a site', '(s) {\n}\na.example {\n}', 3],
  ['only words', '{\n}\na.example', 3],
  ['an unfinished list of addresses', 'a.example,', 1],
  ['an open block', '{\n\tdebug\n', 1],
  ['an open quote', '(s) {\n\trespond "a\n}', 2],
  ['only a quote', '"', 1],
  ['an open placeholder', '# {$X', 1],
  ['global options after a snippet', '(s) {\n}\n{\n\tdebug\n}', 3],
  ['global options twice', '{\n}\n{\n}', 3],
  ['the same snippet twice', '(s) {\n}\n(s) {\n}', 3],
  ['a snippet with an unknown name', '({$X:s}) {\n}', 1],
  ['a named route, before 2.7', '&(r) {\n}', 1],
  ['a file import', 'import x', 1],
  ['a file import in a snippet', '(s) {\n\timport x\n}', 2],
  ['an import from an argument', '(s) {\n\timport {args.0}\n}', 2],
  ['an import in global options', '{\n\timport s\n}\n(s) {\n}', 2],
  ['an argument that may become an import', '(s) {\n\t{args.0} {args.1}\n}', 2],
  ['an argument that may leave a brace', '(s) {\n\trespond {args.0}}\n}', 2],
  ['a file import after a block', '(s) {\n\thandle {\n\t\t{block} import x\n\t}\n}', 3],
  [
    'an argument in a block of an import',
    '(t) {\n}\n(s) {\n\thandle {\n\t\timport t {\n\t\t\ta {args[0]} x\n\t\t}\n\t}\n}',
    6,
  ],
  ['a quoted brace in a snippet', '(s) {\n\theader "{"\n\tX y\n\t"}"\n}', 2],
  ['a quoted brace in global options', '{\n\tlog "{"\n}\nhttp://a.example {\n}', 2],
  ['a brace behind a backslash', '(s) {\n\trespond a\n\t\\}\n}', 3],
  ['a quoted one', '(s) {\n\trespond "\\{"\n}', 2],
  ['one after an argument', '(s) {\n\trespond {args[0]}\\}\n}', 2],
  ['one that is a default', '(s) {\n\thandle {$X:\\{}\n}', 2],
  ['a quoted one that is a default', '(s) {\n\trespond "{$X:\\{}"\n}', 2],
  ['a default after a backslash', '(s) {\n\trespond \\{$X:{}\n}', 2],
  ['a default that changes the structure', '(s) {\n\trespond {$X:"}\n}', 2],
])('refuses %s', (_, preamble, expected) => {
  expect(checkPreamble(preamble)?.line ?? null).toBe(expected);
});

test.each([
  [''],
  ['# a comment that ends in \\'],
  ['{\n\tdebug\n\tadmin off\n}\n\n(s) {\n\trespond {args.0}\n\timport t\n}\n(t)\n{\n}\n'],
  ['(s) {\n\t@{args.0} path /x\n\thandle @{args.0} {\n\t\trespond a\n\t}\n}'],
  ['{\n\temail {$EMAIL:me@example.com}\n}'],
  ['(s) {\n\trespond "a \\{ {args[0]} \\}" {args[0]}{args[1]}\n}'],
])('accepts %j', (preamble) => {
  expect(checkPreamble(preamble)).toBeNull();
});

test('accepts named routes and heredocs from 2.7 on', () => {
  expect(checkPreamble('&(r) {\n\trespond <<E\n}}\nE\n}', { heredocs: true })).toBeNull();
});

test('lists its snippets', () => {
  const preamble = '{\n\tdebug\n}\n(a) {\n\trespond "(b) {"\n}\n"(c d)" {\n}\n({$X}) {\n}\n';
  expect([...snippetNames(preamble)]).toEqual(['a', 'c d']);
});

test('recognises global options, which Caddy ignores if they are empty', () => {
  expect(hasGlobalOptions('# c\n{\n\tdebug\n}')).toBe(true);
  expect(hasGlobalOptions('{\n\t# debug\n}')).toBe(false);
  expect(hasGlobalOptions('(s) {\n}')).toBe(false);
});

test('reads the ports in the global options, and nothing that looks like them', () => {
  const ports = (preamble: string) => Object.values(portOptions(preamble));
  expect(ports('')).toEqual([80, 443]);
  expect(ports('{\n\thttp_port 8080\n\thttps_port "8443"\n}')).toEqual([8080, 8443]);
  expect(ports('# {\n(s) {\n\thttp_port 1\n}')).toEqual([80, 443]);
  expect(ports('{\n\tservers {\n\t\thttp_port 1\n\t}\n\temail http_port 2\n}')).toEqual([80, 443]);
  expect(ports('{\n\tdebug\n}\n(s) {\n\thttps_port 1\n}')).toEqual([80, 443]);
  expect(ports('{\n\thttp_port {$PORT}\n}')).toEqual([80, 443]);
});
