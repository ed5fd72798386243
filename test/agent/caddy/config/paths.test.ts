/** Which paths of an adapted configuration are refused. */
import { describe, expect, test } from 'bun:test';
import { findForbiddenPath } from '../../../../agent/caddy/config/paths.ts';
import type { JsonObject } from '../../../../src/shared/json.ts';

const LINKS: Record<string, string> = { '/srv/link': '/data/box' };
/** A `resolve` that knows one link. */
const resolve = (path: string) =>
  Object.entries(LINKS).reduce((real, [link, to]) => real.replace(link, to), path);
const dirs = ['/data/box', '/proc', '/home/box/.env'];
const judge = (config: object, strict = true) =>
  findForbiddenPath({ apps: config } as JsonObject, { dirs, resolve, strict });

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
  { upstreams: [{ dial: 'unix//run/php/php-fpm.sock' }, { dial: '{http.vars.backend}' }] },
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
