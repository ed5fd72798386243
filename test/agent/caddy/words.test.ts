import { describe, expect, test } from 'bun:test';
import {
  cleanSentence,
  cleanWords,
  lastErrorOf,
  NO_REASON,
  rejected,
} from '../../../agent/caddy/words.ts';

describe("the proxy's error messages", () => {
  test.each([
    [
      "adapting config using caddyfile: parsing caddyfile tokens for 'reverse_proxy': Caddyfile:3 - Error during parsing: Wrong argument count or unexpected line ending after 'lb_policy'",
      "Wrong argument count or unexpected line ending after 'lb_policy'",
      3,
    ],
    [
      'adapting config using caddyfile adapter: Caddyfile:6: unrecognized directive: revers_proxy',
      'unrecognized directive: revers_proxy',
      6,
    ],
    [
      'loading config: loading new config: http app module: start: listening on :80: listen tcp :80: bind: address already in use',
      'http app module: start: listening on :80: listen tcp :80: bind: address already in use',
      undefined,
    ],
    [
      "adapting config using caddyfile: parsing caddyfile tokens for 'route': Caddyfile:13 - Error during parsing: parsing caddyfile tokens for 'reverse_proxy': Caddyfile:10 - Error during parsing: unrecognized subdirective lb_polcy",
      'unrecognized subdirective lb_polcy',
      10,
    ],
    ['adapting config using caddyfile: EOF', 'EOF', undefined],
    [
      "loading http app module: provision http: server srv0: setting up route handlers: route 0: loading handler modules: position 0: loading module 'subroute': provision http.handlers.subroute: setting up subroutes: route 0: loading matcher modules: module name 'path_regexp': provision http.matchers.path_regexp: compiling matcher regexp [a: error parsing regexp: missing closing ]: `[a`",
      'compiling matcher regexp [a: error parsing regexp: missing closing ]: `[a`',
      undefined,
    ],
    [
      'loading http app module: provision http: getting tls app: loading tls app module: provision tls: loading certificates: open /srv/a.pem: no such file or directory',
      'loading certificates: open a.pem: no such file or directory',
      undefined,
    ],
    [
      "loading pki app module: provision pki: provisioning CA 'local': loading root cert",
      "provisioning CA 'local': loading root cert",
      undefined,
    ],
    [
      "adapting config using caddyfile: parsing caddyfile tokens for 'reverse_proxy': unrecognized subdirective lb_polcy, at -:10",
      'unrecognized subdirective lb_polcy',
      10,
    ],
    [
      "adapting config using caddyfile adapter: parsing caddyfile tokens for 'root': too few arguments; must have at least a root path, at Caddyfile:6 import chain ['Caddyfile:10 (import s)','Caddyfile:4 (import t)']",
      'too few arguments; must have at least a root path',
      6,
    ],
    [
      "adapting config using caddyfile: syntax error: unexpected token 'x', expecting '}', at -:4 import chain: ['']",
      "syntax error: unexpected token 'x', expecting '}'",
      4,
    ],
    ['unknown subdirective: a, at -:12, at -:11', 'unknown subdirective: a', 12],
    [
      "adapting config using caddyfile: heredoc marker on line #3 must contain only alphanumeric characters, dashes and underscores; got 'E!'",
      "heredoc marker must contain only alphanumeric characters, dashes and underscores; got 'E!'",
      3,
    ],
    [
      'adapting config using caddyfile: incomplete heredoc <<E on line #32, expected ending marker E',
      'incomplete heredoc <<E, expected ending marker E',
      undefined,
    ],
    [
      'ambiguous site definition: http://a.example:20080',
      'ambiguous site definition: http://a.example:20080',
      undefined,
    ],
  ])('%s', (sentence, detail, line) => {
    expect(cleanWords(sentence)).toEqual({ detail, line });
  });

  test('lose host paths and the contents of files', () => {
    expect(cleanWords('open /home/ada/private/key.pem: no such file or directory').detail).toBe(
      'open key.pem: no such file or directory',
    );
    const shadow = cleanWords('/etc/shadow:1: unrecognized directive: root:*:19000');
    expect(shadow).toEqual({ detail: 'an imported file is not valid', line: undefined });
    expect(
      cleanWords("wrong word 'root:*:19000', at /etc/shadow:1 import chain ['-:3 (import)']"),
    ).toEqual(shadow);
    const heredoc =
      'mismatched leading whitespace in heredoc <<E on line #2 [hush], expected whitespace [ ] to match the closing marker';
    expect(cleanWords(`Could not read tokens while importing /srv/x: ${heredoc}, at -:3`)).toEqual({
      detail: 'an imported file is not valid',
      line: 3,
    });
    expect(cleanWords('x'.repeat(9_999)).detail.length).toBeLessThan(600);
  });

  const REASON = 'adapting config using caddyfile: -:2: unrecognized directive: bogus';
  const logged = (more: object) => JSON.stringify({ level: 'error', ts: 1, msg: 'no', ...more });
  const CONSOLE = '2026/11/22 11:49:47.124';

  test.each([
    ['nothing', ''],
    ['a log without errors', '{"level":"info","msg":"using config from stdin"}\n'],
    ['what a module logs as an error', `${logged({ logger: 'http.log.error' })}\n`],
    [
      'the same on a console',
      `${CONSOLE}\t\u001b[31mERROR\u001b[0m\thttp.log.error\tno\t{"a": 1}\n`,
    ],
    [
      'what is no log',
      '{"level":"error"\n[1]\n{}\nnull\n{"level":1,"msg":"x"}\n{"level":"error"}\n',
    ],
    ['a line that quotes one', `{"level":"warn","msg":"x\\terror\\ty"}\nan error\tError: x\n`],
  ])('are not found in %s', (_, stderr) => {
    expect(lastErrorOf(stderr)).toBe(NO_REASON);
  });

  test.each([
    ['a line of text', `Error: ${REASON}\n`],
    ['its last line of several', `${logged({})}\nError: one\n{"level":"warn"}\nError: ${REASON}\n`],
    ['text beside errors in a log', `${logged({})}\nError: ${REASON}`],
    ['JSON', `${logged({})}\n${logged({ msg: REASON })}\n`],
    ['JSON before other lines', `${logged({ msg: REASON })}\n${logged({ logger: 'tls' })}\n{}\n`],
    ['JSON with another spelling', `${logged({ level: 'ERROR', msg: REASON })}\n`],
    ['a console', `${CONSOLE}\tERROR\t${REASON}\n`],
    ['a coloured console', `${CONSOLE}\t\u001b[31mERROR\u001b[0m\t${REASON}\r\n`],
    ['a console without times', `INFO\tx\nerror\t${REASON}\n`],
    ['a console before other lines', `${CONSOLE}\tERROR\t${REASON}\n${CONSOLE}\tWARN\ttls\tno\n`],
  ])('are found in %s', (_, stderr) => {
    expect(lastErrorOf(stderr)).toBe(REASON);
  });

  test.each([
    ['text', 'Error: a "b\nc", at -:3\n'],
    ['JSON', `${logged({ msg: 'a "b\nc", at -:3' })}\n`],
    ['a console', `${CONSOLE}\tERROR\ta "b\nc", at -:3\n${CONSOLE}\tINFO\tx\n`],
  ])('of several lines in %s become one', (_, stderr) => {
    expect(lastErrorOf(stderr)).toBe('a "b c", at -:3');
  });
});

describe('what Caddy names without a line is found in the text', () => {
  const CERTIFICATE = 'loading certificates: open /srv/b/full.pem: no such file or directory';
  const text = [
    'a.example {',
    '\t@ws path /a',
    '\treverse_proxy @ws 10.0.0.1:80',
    '}',
    'b.example {',
    '\timport common',
    '\treverse_proxy @ws 10.0.0.1:80',
    '}',
    'c.example {',
    '\ttls /srv/b/full.pem /srv/b/key.pem',
    '\trespond "@ws" 200',
    '\trespond @ws',
    '}',
  ].join('\n');

  test.each([
    ['unrecognized matcher name: @ws', 12, 'unrecognized matcher name: @ws'],
    [CERTIFICATE, 10, CERTIFICATE],
    ['unrecognized matcher name: @other', undefined, 'unrecognized matcher name: @other'],
    ['open /srv/other.pem: no', undefined, 'open other.pem: no'],
    [
      'setting up custom log \'log0\': opening log writer using &logging.FileWriter{Filename:"/srv/b/full.pem", Mode:0x0, Roll:(*bool)(nil)}: mkdir /srv/b: permission denied',
      10,
      'Caddy’s user cannot write the log /srv/b/full.pem: permission denied',
    ],
  ])('%s', (sentence, line, detail) => {
    expect(cleanWords(sentence, text)).toEqual({ detail, line });
  });

  test('but a path that is not in it is cut', () => {
    const log =
      'opening log writer using &logging.FileWriter{Filename:"/root/x/a.log"}: open /root/x/a.log: no';
    expect(cleanWords(log, text).detail).toBe('Caddy’s user cannot write the log a.log: no');
    expect(cleanWords(CERTIFICATE).detail).not.toContain('/srv');
  });
});

describe('a disk that is full or read-only', () => {
  test.each([
    "loading pki app module: provision pki: provisioning CA 'local': saving root certificate: write /d/x: no space left on device",
    'loading config: mkdir /data/caddy/locks: read-only file system',
    'saving config: disk quota exceeded',
    'write /x: file too large',
  ])('is no mistake of the text: %s', (sentence) => {
    const failure = rejected(sentence);
    expect([failure.status, failure.code]).toEqual([507, 'STORAGE_UNAVAILABLE']);
    expect(failure.detail).toBeString();
  });

  test.each([
    "setting up custom log 'log0': opening log writer using &logging.FileWriter{}: open /mnt/a.log: read-only file system",
    'unrecognized directive: no_space_left',
    "module 'x': permission denied",
  ])('is something else than %s', (sentence) => {
    expect(rejected(sentence).code).toBe('PROXY_REJECTED');
  });
});

test('what a stranger’s server answers cannot reorder or break a sentence', () => {
  const words = 'Invalid response: "\u202eelif\u2028\u001b[31m\u200bx"';
  expect(cleanSentence(words)).toBe('Invalid response: " elif [31m x"');
});
