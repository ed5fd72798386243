/** Whatever kept strangers out of a container, by place, header, order or middleware, its site is not open without it. */
import { describe, expect, test } from 'bun:test';
import { readApplyFile } from '../../../../src/features/apply/cli/apply-file.ts';
import { applySchema } from '../../../../src/features/apply/schemas.ts';
import { containersFile } from '../../../../src/features/containers/cli/containers-file.ts';
import type { SeenContainer } from '../../../../src/features/containers/sites.ts';

type Labels = Record<string, string>;
type Site = { config?: string; enabled?: false };

const container = (labels: Labels, name = 'app'): SeenContainer => ({
  agent: 'local',
  name,
  image: 'app',
  state: 'running',
  addresses: [],
  ports: [{ port: 8080, address: '127.0.0.1:18080', published: true }],
  host: null,
  unreached: null,
  labels,
  site: null,
  reason: null,
});
const sitesOf = (...containers: SeenContainer[]) => {
  const text = containersFile(containers);
  const { sites } = readApplyFile(new TextEncoder().encode(text), applySchema());
  return sites as Record<string, Site>;
};

const HTTP = 'traefik.http.';
const base = (rule = 'Host(`app.example.org`)'): Labels => ({
  'traefik.enable': 'true',
  [`${HTTP}routers.app.rule`]: rule,
});
const middleware = (kind: string, value = 'x'): Labels => ({
  [`${HTTP}middlewares.guard.${kind}`]: value,
});
const uses = (names: string): Labels => ({ [`${HTTP}routers.app.middlewares`]: names });
const at = (names: string): Labels => ({ [`${HTTP}routers.app.entrypoints`]: names });

/** Each with what shows in a config that it still guards. */
const GUARDS: readonly [string, Labels, RegExp?][] = [
  ['an entry point of its own', at('tailscale')],
  ['two entry points of its own', at('lan,vpn')],
  ['an entry point with a usual ending', at('vpn-websecure')],
  ['an address in the rule', base('Host(`app.example.org`) && ClientIP(`10.0.0.0/8`)')],
  ['a header in the rule', base('Host(`app.example.org`) && Headers(`X-Key`, `s3cret`)')],
  ['a pattern for a header', base('Host(`app.example.org`) && HeadersRegexp(`Via`, `.+`)')],
  [
    'a password',
    { ...middleware('basicauth.users', 'a:$apr1$x'), ...uses('guard') },
    /basic_?auth/,
  ],
  ['a digest', { ...middleware('digestauth.users', 'a:b:c'), ...uses('guard') }],
  [
    'a sign-in service',
    { ...middleware('forwardauth.address', 'http://auth:1'), ...uses('guard') },
    /forward_auth/,
  ],
  [
    'a list of addresses',
    { ...middleware('ipallowlist.sourcerange', '10.0.0.0/8'), ...uses('guard') },
    /remote_ip|client_ip/,
  ],
  [
    'its former name',
    { ...middleware('ipwhitelist.sourcerange', '10.0.0.0/8'), ...uses('guard') },
    /remote_ip|client_ip/,
  ],
  [
    'a header that is taken away',
    { ...middleware('headers.customrequestheaders.Remote-User', ''), ...uses('guard') },
  ],
  [
    'a header that is set',
    { ...middleware('headers.customrequestheaders.X-Forwarded-User', 'no'), ...uses('guard') },
  ],
  ['a plugin', { ...middleware('plugin.bouncer.enabled', 'true'), ...uses('guard') }],
  ['a chain', { ...middleware('chain.middlewares', 'auth@file'), ...uses('guard') }],
  ['what another file defines', uses('auth@file')],
  ['a certificate of the visitor', { [`${HTTP}routers.app.tls.options`]: 'mtls@file' }],
];

/** What changes nothing about who may come. */
const AROUND: readonly [string, Labels][] = [
  ['nothing', {}],
  ['TLS', { [`${HTTP}routers.app.tls`]: 'true', [`${HTTP}routers.app.tls.certresolver`]: 'le' }],
  ['another service', { [`${HTTP}services.app.loadbalancer.server.port`]: '8080' }],
  ['a priority', { [`${HTTP}routers.app.priority`]: '50' }],
];

const isGuarded = ({ config = '', enabled }: Site, by?: RegExp): boolean =>
  enabled === false || (by?.test(config) ?? false);

describe.each(AROUND)('with %s, a Traefik router', (_, around) => {
  test.each(GUARDS.map(([what, labels, by]) => ({ what, labels, by })))(
    'is not open without $what',
    ({ labels, by }) => {
      const sites = Object.values(sitesOf(container({ ...base(), ...around, ...labels })));
      for (const site of sites) expect([site, isGuarded(site, by)]).toEqual([site, true]);
    },
  );

  test('is on if nothing guarded it', () => {
    for (const entry of [{}, at('web'), at('websecure'), at('http,https')]) {
      const sites = sitesOf(container({ ...base(), ...around, ...entry }));
      expect(sites['app.example.org']?.enabled).toBeUndefined();
      expect(Object.keys(sites)).toEqual(['app.example.org']);
    }
  });
});

test('a path that another router guards is not open through the one without a guard', () => {
  const admin = {
    [`${HTTP}routers.admin.rule`]: 'Host(`app.example.org`) && PathPrefix(`/admin`)',
    [`${HTTP}routers.admin.priority`]: '100',
    [`${HTTP}routers.admin.middlewares`]: 'guard',
    ...middleware('forwardauth.address', 'http://auth:1'),
  };
  const one = sitesOf(container({ ...base(), ...admin }));
  const several = sitesOf(
    container(base()),
    container({ 'traefik.enable': 'true', ...admin }, 'admin'),
  );
  for (const sites of [one, several]) {
    for (const site of Object.values(sites)) expect(isGuarded(site, /forward_auth/)).toBe(true);
  }
});

test('the lines of caddy-docker-proxy that guard are in the site, or it is off', () => {
  const rows: [Labels, RegExp][] = [
    [{ 'caddy.basicauth.a': '$2a$14$x' }, /basicauth/],
    [{ 'caddy.@out.not': 'remote_ip 10.0.0.0/8', 'caddy.abort': '@out' }, /abort @out/],
    [{ 'caddy.0_forward_auth': 'auth:1', 'caddy.0_forward_auth.uri': '/v' }, /forward_auth/],
    [{ 'caddy.import': 'private' }, /import private/],
    [{ 'caddy.tls.client_auth.mode': 'require_and_verify' }, /client_auth/],
    [{ 'caddy.bind': '10.0.0.1' }, /bind 10\.0\.0\.1/],
  ];
  for (const [labels, by] of rows) {
    const proxy = { caddy: 'app.example.org', 'caddy.reverse_proxy': '{{upstreams 8080}}' };
    for (const site of Object.values(sitesOf(container({ ...proxy, ...labels })))) {
      expect([site, isGuarded(site, by)]).toEqual([site, true]);
    }
  }
});
