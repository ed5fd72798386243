/** What is loaded without a validation before is what Caddy accepts, whatever its sites have. FUZZ_SEED sets which ones. */
import { expect, test } from 'bun:test';
import { isPlain } from '../../../../../agent/caddy/config/plain.ts';
import type { Json } from '../../../../../src/shared/json.ts';
import { startAdaptCaddy } from '../../../../harness/adapt-caddy.ts';
import { folderForFile, forFile } from '../../../../harness/for-file.ts';
import { some } from '../../../../harness/full.ts';
import { seededRandom } from '../../../../harness/random.ts';

const SITES = some(400, 3_000);
const random = seededRandom(Number(process.env.FUZZ_SEED ?? 20_261_125));

const home = folderForFile();
const env = { PATH: process.env.PATH, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home };

const caddy = await forFile(startAdaptCaddy());
/** Caddy's words, or null if it accepts the text. */
function refusalOf(text: string): string | null {
  const args = ['caddy', 'validate', '--config', '-', '--adapter', 'caddyfile'];
  const { exitCode, stderr } = Bun.spawnSync(args, { env, stdin: Buffer.from(text) });
  return exitCode === 0 ? null : stderr.toString().slice(-1_000);
}

/** Those that are refused alone: what sites do to each other only a load finds, with a validation before or without. */
function refusedOf(texts: readonly string[]): string[] {
  const words = refusalOf(texts.join(''));
  if (words === null) return [];
  if (texts.length === 1) return [`${texts}${words}`];
  const middle = texts.length >> 1;
  return [...refusedOf(texts.slice(0, middle)), ...refusedOf(texts.slice(middle))];
}

const isPlainText = async (text: string): Promise<boolean> => {
  const adapted = await caddy.adapt(text);
  return adapted.ok && isPlain(adapted.json as Json);
};

const MATCHERS = ['path_regexp x ([', 'remote_ip 300.0.0.1', 'expression )'].map(
  (matcher) => `@m ${matcher}\n\trespond @m x`,
);

test.each([
  ...MATCHERS,
  'encode gzip gzip',
  'encode br',
  'header x "([" y',
  'tls /none.pem /none.pem',
  'tls {\n\t\tissuer acme {\n\t\t\temail {host}\n\t\t}\n\t}',
  'tls {\n\t\tissuer internal {\n\t\t\tca other\n\t\t}\n\t}',
  'templates {\n\t\tbetween a\n\t}',
  'reverse_proxy 127.0.0.1:1 {\n\t\tlb_policy header\n\t}',
  'reverse_proxy 127.0.0.1:1 {\n\t\ttransport http {\n\t\t\ttls_trusted_ca_certs /none.pem\n\t\t}\n\t}',
  'log {\n\t\toutput net 127.0.0.1:1\n\t}',
  'basicauth {\n\t\ta !\n\t}',
])('what Caddy may refuse is not plain: %s', async (config) => {
  expect(await isPlainText(`a.example.org {\n\t${config}\n}\n`)).toBe(false);
});

test.each(['münchen.example.org', 'xn--0.example.org', '{env.HOST}'])('nor is %s', async (host) => {
  expect(await isPlainText(`http://${host} {\n\trespond x\n}\n`)).toBe(false);
});

test.each<[string, string]>([
  ['email', '{\n\temail a@example.org\n}\n'],
  ['certificates of its own', '{\n\tlocal_certs\n\tskip_install_trust\n}\n'],
])('usual sites are, with %s', async (_, options) => {
  const sites = [
    'a.example.org, b.example.org {\n\tencode zstd gzip\n\treverse_proxy 127.0.0.1:1\n}',
    'http://c.example.org {\n\tredir https://a.example.org{uri}\n}',
    'd.example.org {\n\troot * /srv\n\tfile_server\n}',
  ];
  expect(await isPlainText(options + sites.join('\n'))).toBe(true);
});

const VALUES: [string, ...string[]] = [
  'x',
  '"a b"',
  '{host}',
  '{args[0]}',
  '-1',
  '99999',
  '"("',
  '{',
  '""',
  '*',
  '/é/%2',
];
const LINES: [string, ...string[]] = [
  'respond @',
  'respond @ @',
  'respond @',
  'redir @ @',
  'header @ @',
  'header -@',
  'header +@ @',
  'header ?@ @',
  'request_header @ @',
  'rewrite @ @',
  'uri strip_prefix @',
  'root * @',
  'file_server @',
  'file_server browse',
  'encode @',
  'encode gzip zstd',
  'encode zstd zstd',
  'reverse_proxy @',
  'reverse_proxy 127.0.0.1:@',
  'reverse_proxy https://h:1 https://h:@',
  'reverse_proxy h:1 {\n\t\theader_up @ @\n\t\theader_down -@\n\t}',
  'vars @ @',
  'error @ @',
  'reverse_proxy unix//@',
  'reverse_proxy {\n\t\tto srv+http://h:1\n\t}',
  'method @',
  'abort',
  'forward_auth h:1 {\n\t\turi @\n\t\tcopy_headers @\n\t}',
  'try_files @ @',
  'log',
  'bind @',
  'handle_path @ {\n\t\trespond x\n\t}',
  '@m not path @ @\n\trespond @m x',
  'tls internal',
  '@m header @ @\n\trespond @m x',
  '@m host @ @\n\trespond @m x',
  '@m method @\n\tabort @m',
  'tls a@b.example',
  'tls {\n\t\tissuer internal {\n\t\t\tca @\n\t\t}\n\t}',
  'tls {\n\t\tissuer acme {\n\t\t\tdir @\n\t\t}\n\t}',
  'tls {\n\t\tca @\n\t}',
  '@m query @=@\n\trespond @m x',
  'handle_errors {\n\t\trespond @\n\t}',
  'php_fastcgi h:@',
];
const ADDRESSES: [string, ...string[]] = [
  'http://#.example',
  '#.example',
  'a.#.example, b.#.example',
  'http://#.example:@',
];

test('nor are more values than a load may have', async () => {
  const header = { '*': ['x'] };
  const handle = [{ handler: 'static_response', headers: header }];
  const of = (length: number) => ({
    apps: {
      http: {
        servers: { a: { listen: [':80'], routes: Array.from({ length }, () => ({ handle })) } },
      },
    },
  });
  expect(isPlain(of(1_000))).toBe(true);
  expect(isPlain(of(200_000))).toBe(false);
});

test('generated sites that are plain are accepted', async () => {
  const [plain, others]: [string[], string[]] = [[], []];
  for (let at = 0; at < SITES; at++) {
    const lines = Array.from({ length: 1 + random.below(3) }, () => random.pick(LINES));
    const block = `${random.pick(ADDRESSES)} {\n\t${lines.join('\n\t')}\n}\n`;
    // The `@` of a matcher's name stays.
    const text = block.replaceAll('#', `s${at}`).replace(/@(?!m\b)/g, () => random.pick(VALUES));
    ((await isPlainText(text)) ? plain : others).push(text);
  }
  expect(plain.length).toBeGreaterThan(SITES / 10);
  expect(others.length).toBeGreaterThan(SITES / 10);
  expect(refusedOf(plain)).toEqual([]);
});
