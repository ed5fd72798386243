/** Which paths of an adapted configuration are refused. */
import { describe, expect, test } from 'bun:test';
import { findForbiddenPath } from '../../../../agent/caddy/config/paths.ts';
import type { JsonObject } from '../../../../src/shared/json.ts';
import { words } from '../../../harness/words.ts';

const LINKS: Record<string, string> = { '/srv/link': '/data/box', '/srv/a}': '/data/box' };
/** A `resolve` that knows two links. */
const resolve = (path: string) =>
  Object.entries(LINKS).reduce((real, [link, to]) => real.replace(link, to), path);
const dirs = ['/data/box', '/proc', '/home/box/.env'];
const env = { BACKEND: 'app.lan:80', NETWORK: 'unix' };
const judge = (config: object, strict = true) =>
  findForbiddenPath({ apps: config } as JsonObject, { dirs, barred: [], resolve, strict, env });
const dial = (address: string, ...handlers: object[]) => ({
  routes: [{ handler: 'reverse_proxy', upstreams: [{ dial: address }] }, ...handlers],
});
const expression = (expr: string) => ({ match: [{ expression: { expr, name: 'm' } }] });
const mapTo = (...outputs: string[]) => ({
  handler: 'map',
  source: '{http.request.host}',
  destinations: ['{backend}'],
  mappings: outputs.map((output) => ({ input: 'a.example', outputs: [output] })),
});

const REFUSED: [directive: string, config: object][] = [
  ['root', { handler: 'vars', root: '/data/box' }],
  ['root', { handler: 'vars', root: '/data/box/logs' }],
  ['root', { handler: 'vars', root: '/srv/link/logs' }],
  ['root', { handler: 'file_server', root: '/proc/self' }],
  ['log', { writer: { output: 'file', filename: '/data/box/.env' } }],
  ['log', { writer: { output: 'file', filename: '/home/box/.env' } }],
  ['templates', { handler: 'templates', file_root: '/data/box' }],
  ['file_server', { browse: { template_file: '/data/box/agent-token' } }],
  ['tls', { load_files: [{ certificate: '/srv/a.crt', key: '/data/box/key' }] }],
  ['tls', { load_files: [{ certificate: '/data/box/a.crt', key: '/srv/key' }] }],
  ['tls', { certificates: { load_folders: ['/srv', '/data/box/caddy'] } }],
  ['pki', { root: { certificate: '/srv/a', private_key: '/data/box/a' } }],
  ['tls_client_auth', { tls: { client_certificate_file: '/data/box/a' } }],
  ['tls_trusted_ca_certs', { tls: { root_ca_pem_files: ['/data/box/a'] } }],
  ['A unix socket', { servers: { a: { listen: ['unix//data/box/signalbox.db|0222'] } } }],
  ['A unix socket', { upstreams: [{ dial: 'unix//data/box/hub.sock' }] }],
  ['A unix socket', { upstreams: [{ dial: 'unix+h2c//srv/link/hub.sock' }] }],
  ['A unix socket', { writer: { output: 'net', address: 'unix//data/box/hub.sock' } }],
  ['The placeholder', { handler: 'static_response', body: 'a {file./data/box/agent-token}' }],
  ['The placeholder', { headers: { '{file./srv/link/agent-token}': ['x'] } }],
  ['The placeholder', { vars: { '{}}file./data/box/agent-token}': ['x'] } }],
  ['The placeholder', { vars: { '{file./srv/a}/agent-token}': ['x'] } }],
  ['The placeholder', { body: '{file./srv/b\\}/agent-token}' }],
  ['The placeholder', { body: 'x {file./srv/a\\b}' }],
  ['The placeholder', expression('{http.request.uri.path} == "{file./data/box/agent-token}"')],
  ['The placeholder', expression("header({'X': '{fi\\x6ce./data/box/agent-token}'})")],
  ['The placeholder', expression("header({'X': '\\u007bfile./data/box/agent-token}'})")],
  ['The placeholder', expression("header({'X': r'''{file./data/box/agent-token}'''})")],
  ['The placeholder', expression("path('\\{file.box}', '{file./data/box/agent-token}')")],
  ['A unix socket', { upstreams: [{ dial: ' unix//data/box/hub.sock' }] }],
  ['A unix socket', { upstreams: [{ dial: 'UN\u0130X\x85//data/box/hub.sock' }] }],
  ['`insecure_secrets_log`', { tls_connection_policies: [{ insecure_secrets_log: '/srv/a' }] }],
  ['bind', { servers: { a: { listen: ['fd/7'] } } }],
  ['An `expression`', { match: [{ not: [{ expression: "ph(req, 'file.x') == ''" }] }] }],
];
/** Whatever they are given, they could make Caddy read files. */
const CALLS = [
  "ph(req, 'file.' + {http.request.uri.query.f}) == ''",
  "caddyPlaceholder(request, 'env.X') == ''",
  ". ph // (\n (req, 'env.X') == ''",
  "file({'root': '/srv', 'try_files': ['a']})",
  'file()',
  "path_request_list(req, ['/a'])",
  "'''a''' == r'\\' && ph(req, 'x') == ''",
  "`a//`'` == ph(req, 'x')",
  '"',
  '\ue000(req, "file.x") == ""',
];
const MATCHER_ARGUMENTS = [
  'path({http.request.uri.query.p})',
  "path('{fi' + 'le./data/box/agent-token}')",
  "vars({'{fi' + 'le./data/box/agent-token}': 'x'})",
  "header({'X': [{http.request.uri.query.p}]})",
  "header({'X': string(req)})",
];
/** Refused only if Caddy shares the user: what the path will be is decided later, or elsewhere. */
const UNCLEAR: [directive: string, config: object][] = [
  ['root', { handler: 'vars', root: 'box' }],
  ['root', { handler: 'vars', root: '/srv/{http.request.host}' }],
  ['root', { handler: 'vars', root: '/' }],
  ['root', { handler: 'vars', root: '/data' }],
  ['vars', { handler: 'vars', '{http.request.uri.query.n}': '/srv' }],
  ['log', { writer: { output: 'file', filename: 'a.log' } }],
  ['bind', { servers: { a: { listen: ['{env.PLACE}:80'] } } }],
  ['A unix socket', { upstreams: [{ dial: 'unix/{http.request.uri.query.u}' }] }],
  ['An upstream', dial('{http.request.host}')],
  ['An upstream', dial('{http.request.header.X}')],
  ['An upstream', dial('{http.vars.backend}')],
  ['An upstream', dial('{http.request.host}/a.sock')],
  ['An upstream', dial('UN{http.request.host}')],
  // A NUL of theirs would end the path before the port.
  ['An upstream', dial('{http.request.uri.query.u}:80')],
  ['An upstream', dial('{http.request.host}{http.request.uri.path}:80')],
  ['An upstream', dial('{http.regexp.a.1}:80')],
  [
    'An upstream',
    dial('{backend}:80', {
      ...mapTo(),
      source: '{http.request.uri.path}',
      mappings: [{ input_regexp: '(.*)', outputs: ['$1'] }],
    }),
  ],
  [
    'An upstream',
    dial('{backend}', { ...mapTo(), mappings: [{ input_regexp: '(.*)', outputs: ['$1'] }] }),
  ],
  ['An upstream', dial('{backend}', mapTo('{http.request.uri.query.u}'))],
  ['An upstream', dial('{http.vars.a}', { handler: 'vars', a: '{http.vars.a}' })],
  ['A unix socket', dial('{http.vars.a}{backend}', { handler: 'vars', a: 'un' }, mapTo('ix/a'))],
  ['A unix socket', dial('{env.NETWORK}/{http.request.host}')],
  ['A unix socket', dial('{unset}unix/data/a.sock')],
  ['A unix socket', dial('{env.NONE}unix/data/a.sock')],
  ['The placeholder', { handler: 'static_response', body: '{file.a}' }],
  ['templates', { handler: 'templates', file_root: '..' }],
];
const ALLOWED: object[] = [
  { handler: 'vars', root: '/srv/www' },
  { handler: 'vars', root: '/data/boxes', other: 'a/b {http.request.host}' },
  { handler: 'templates' },
  { handler: 'file_server', root: '{http.vars.root}', hide: ['.git', '/data/box'] },
  { match: [{ path: ['/data/box/*', '/proc/*'] }], handler: 'rewrite', uri: '/data/box/a' },
  { handler: 'static_response', body: 'see /data/box, and unix' },
  { writer: { output: 'file', filename: '/var/log/caddy/a.log' } },
  { load_pem: [{ certificate: '-----BEGIN CERTIFICATE-----', key: '-----BEGIN KEY-----' }] },
  { upstreams: [{ dial: 'unix//run/php/php-fpm.sock' }] },
  dial('{http.request.host}:80'),
  dial('{http.request.host.labels.2}.lan:8080'),
  dial('app.{http.request.host}'),
  dial('{http.request.header.X}:80'),
  dial('{backend}:80', {
    ...mapTo(),
    source: '{http.request.host}',
    mappings: [{ input_regexp: '(.*)', outputs: ['$1'] }],
  }),
  dial('unicorn{http.request.host}'),
  dial('{upsteam}'),
  dial('{env.BACKEND}'),
  dial('{http.vars.backend}', { handler: 'vars', backend: '10.0.0.1:80' }),
  dial('{http.vars.backend}', { handler: 'vars', backend: 'unix//run/php/php-fpm.sock' }),
  dial('{backend}', mapTo('10.0.0.1:80', '{http.request.host}:80', '{env.BACKEND}')),
  expression(
    "{http.request.uri.path}.startsWith('/a') && {http.request.method} in ['GET', \"HEAD\"]",
  ),
  expression("path('/a/*', '/b') || header({'X': ['a', \"b\"]}) && !remote_ip('10.0.0.0/8')"),
  expression("path_regexp('r', r'^/(file)\\.\\d{2,3}$') // ph(req, 'x')"),
  expression("{http.request.header.A} == 'ph(x)' || size({http.request.host}) > 3 && (1 < 2)"),
  expression(
    'int({http.request.header.X-N}) % 2 == 0 && cel.bind(a, "x", a == "x") && has({"a": 1}.a)',
  ),
  { match: [{ expression: '{http.error.status_code} in [404, 500]' }] },
  { servers: { a: { listen: [':443', '127.0.0.1:80', 'unix//run/site.sock'] } } },
  { key: '{http.request.remote.host}', files: [] },
];

describe('a path', () => {
  test.each(REFUSED)(
    'of %s to our files is refused, whoever Caddy runs as: %j',
    (directive, config) => {
      for (const strict of [true, false]) {
        expect(judge([{ nested: config }], strict)).toStartWith(`${directive} `);
      }
      expect(judge(config)).not.toContain('/data');
    },
  );

  test.each([
    ...CALLS.map((source) => [source, 'An `expression` ']),
    ...MATCHER_ARGUMENTS.map((source) => [source, 'In an `expression`, ']),
  ])('in an expression is refused, whoever Caddy runs as: %s', (source, sentence) => {
    for (const strict of [true, false]) {
      expect(judge([expression(source)], strict)).toStartWith(sentence);
    }
  });

  test.each(UNCLEAR)(
    'of %s that cannot be judged is refused if the user is shared: %j',
    (directive, config) => {
      expect(judge([{ nested: config }])).toStartWith(`${directive} `);
      expect(judge(config, false)).toBeNull();
    },
  );

  test.each(ALLOWED)('elsewhere is allowed: %j', (config) => {
    for (const strict of [true, false]) expect(judge([{ nested: config }], strict)).toBeNull();
  });
});

describe('a folder that is barred by its name', () => {
  const never = (path: string): string => {
    throw new Error(`${path} was looked at`);
  };
  const judged = (config: object, look: (path: string) => string) =>
    findForbiddenPath({ apps: config } as JsonObject, {
      dirs: [],
      barred: ['/mnt/nas/backups'],
      resolve: look,
      strict: false,
      env,
    });

  test.each(
    words(`
    /mnt/nas/backups /mnt/nas/backups/ /mnt/nas/backups/a.db /mnt/nas/www/../backups /mnt/nas
    /mnt /
  `),
  )('is no root, nor below %s, whoever Caddy’s user is, and its disk is not looked at', (root) => {
    expect(judged({ handler: 'vars', root }, never)).toStartWith('root must not lead to files');
  });

  test('is none by a link either, and hinders no other', () => {
    const link = (path: string) => path.replace('/srv/link', '/mnt/nas/backups');
    expect(judged({ handler: 'vars', root: '/srv/link' }, link)).not.toBeNull();
    for (const root of ['/mnt/nas/backups2', '/mnt/nas/www', '/srv/www']) {
      expect(judged({ handler: 'vars', root }, (path) => path)).toBeNull();
    }
  });
});
