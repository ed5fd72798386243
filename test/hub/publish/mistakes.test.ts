/** The usual mistakes in a config: whatever the version, a refusal names the config's own line. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { hasHeredocs } from '../../../src/shared/caddyfile/dialect.ts';
import { versionOf } from '../../harness/caddys.ts';
import { type Owner, startOwner } from '../../harness/owner.ts';

const bin = 'caddy';

const PREAMBLE = '(faulty) {\n\tlog\n\trespnd x\n}';

/** The line of each mistake, or null if no Caddy names one: it adapts the text, and fails later. */
const MISTAKES: readonly [string, string, number | null][] = [
  ['an unknown directive', 'log\nrevers_proxy localhost:1', 2],
  ['an unknown directive in a block', 'handle /a {\n\trespnd x\n}', 2],
  ['an unknown subdirective', 'reverse_proxy localhost:1 {\n\tlb_polcy first\n}', 2],
  ['an unknown policy', 'reverse_proxy localhost:1 {\n\tlb_policy frist\n}', 2],
  ['a missing argument', 'log\nroot', 2],
  ['a missing argument in a block', 'reverse_proxy localhost:1 {\n\tlb_policy\n}', 2],
  ['too many arguments', 'log\nrewrite /a /b /c', 2],
  ['an upstream with a path', 'log\nreverse_proxy http://localhost:1/path', 2],
  ['an unknown encoding', 'log\nencode gzp', 2],
  ['an unknown log output', 'encode gzip\nlog {\n\toutput fle /x\n}', 3],
  ['an unknown log format', 'encode gzip\nlog {\n\tformat jsn\n}', 3],
  ['an invalid duration', 'reverse_proxy localhost:1 {\n\tfail_duration tomorrow\n}', 2],
  ['an invalid number', 'reverse_proxy localhost:1 {\n\tmax_fails few\n}', 2],
  ['an invalid size', 'log\nrequest_body {\n\tmax_size huge\n}', 3],
  ['an unknown TLS option', 'log\ntls {\n\tprotocls tls1.3\n}', 3],
  ['an unknown TLS protocol', 'log\ntls {\n\tprotocols tls9\n}', 3],
  ['an unknown issuer', 'log\ntls {\n\tissuer acmee\n}', 3],
  ['an unknown DNS provider', 'log\ntls {\n\tdns nowhere\n}', 3],
  ['a certificate without a key', 'log\ntls cert.pem', 2],
  ['an unknown transport', 'reverse_proxy localhost:1 {\n\ttransport htp\n}', 2],
  [
    'an unknown transport option',
    'reverse_proxy localhost:1 {\n\ttransport http {\n\t\ttls_insecure\n\t}\n}',
    3,
  ],
  ['an unknown option of file_server', 'file_server {\n\tbrows\n}', 2],
  ['an invalid redirect', 'log\nredir /a /b nope', 2],
  ['an unknown hash', 'log\nbasicauth md5 {\n\tada x\n}', 2],
  ['an unknown option of php_fastcgi', 'php_fastcgi localhost:9 {\n\tsplitt .php\n}', 2],
  ['a word after a brace', 'log\nhandle /a { respond x\n}', 2],
  ['a brace without a directive', '{\n\trespond x\n}', 1],
  ['an unknown directive in a long block', 'handle {\n\trespnd x\n\tlog_append a b\n\tabort\n}', 2],
  ['a mistake for errors only', 'handle_errors {\n\trespnd x\n}', 2],
  ['a mistake after one heredoc or quoted text', 'respond `a\nb`\nrevers_proxy x', 3],
  ['a mistake after an escaped line end', 'header X \\\n\ta\nrevers_proxy x', 3],
  ['an open block', 'log\nhandle {\n\trespond x', 2],
  ['an open quote', 'log\nrespond "x', 2],
  ['an unmatched brace', 'log\n}\nrespond x', 2],
  ['an import of a file', 'log\nimport /etc/hostname', 2],
  ['an unknown matcher', 'log\n@a pth /x\nrespond @a x', null],
  ['a matcher that is not defined', 'log\nrespond @nowhere x', null],
  ['a matcher defined twice', '@a path /x\n@a path /y\nrespond @a x', null],
  ['a password that is no hash', 'log\nbasicauth {\n\tada secret\n}', null],
  ['an invalid regular expression', '@a path_regexp x [\nrespond @a x', null],
  ['an invalid network', 'log\n@a remote_ip 10.0.0.0/99\nrespond @a x', null],
];

/** Mistakes that are on another line for Caddy 2.6.2, most because it has no heredocs. */
const NEWER: readonly [string, string, number][] = [
  ['after a heredoc', 'respond <<E\n\ta\n\tb\n\tE\nrevers_proxy x', 5],
  ['after a heredoc with braces and imports', 'respond <<E\n{\nimport x\n}\nE\nrevers_proxy x', 6],
  ['in the indentation of a heredoc', 'log\nrespond <<E\n\t\ta\n\tb\n\t\tE', 4],
  ['in the marker of a heredoc', 'log\nrespond <<E!\n\ta\n\tE!', 2],
  ['in a heredoc without a marker', 'log\nrespond <<\n\ta', 2],
  ['in the line before a brace', 'handle /a\n{\n\trespond x\n}', 2],
  ['in a heredoc that is never closed', 'log\nrespond <<E\n\ta', 2],
];

describe('with Caddy', () => {
  let owner: Owner;
  beforeAll(async () => {
    owner = await startOwner({ PROXY_BIN: bin });
    await owner.call('PUT', '/preamble', { config: `${'# a comment\n'.repeat(4)}(s) {\n}` });
    await owner.create('before', 'log\nrespond before');
  });
  afterAll(() => owner.stack.stop());

  const preview = async (config: string) => {
    const domain = 'http://mine.example';
    const { body } = await owner.call('POST', '/preview', { op: 'create', domain, config });
    expect(body.valid).toBe(false);
    return body;
  };

  test.each(MISTAKES)('%s is on its line', async (_, config, line) => {
    const { detail, line: named } = await preview(config);
    expect({ detail, named }).toEqual({ detail, named: line });
    // The proxy's own place would be one in another text.
    expect(detail).not.toMatch(/ at \S*:\d|line #|Caddyfile:|-:\d/);
  });

  test.each(NEWER)('a mistake %s is on its line', async (_, config, line) => {
    const isNewer = hasHeredocs(versionOf(bin));
    const { detail, line: named } = await preview(config);
    expect(detail).not.toMatch(/ at \S*:\d|line #|Caddyfile:|-:\d/);
    if (isNewer) expect({ detail, named }).toEqual({ detail, named: line });
  });

  test('a mistake in the preamble is on its line', async () => {
    for (const [config, line] of [
      ['{\n\temial x\n}', 2],
      ['{\n\tservers {\n\t\ttimeouts {\n\t\t\tread now\n\t\t}\n\t}\n}', 4],
    ] as const) {
      const { body } = await owner.call('POST', '/preview', { op: 'preamble', config });
      expect([body.valid, body.line]).toEqual([false, line]);
      expect(body.detail).not.toMatch(/ at \S*:\d|line #|Caddyfile:|-:\d/);
    }
  });

  test('a mistake in a snippet is one of the preamble', async () => {
    expect((await owner.call('PUT', '/preamble', { config: PREAMBLE })).status).toBe(200);
    const { detail } = await preview('log\nimport faulty');
    expect(detail).toBe('preamble, line 3: unrecognized directive: respnd');
  });
});
