/** What Caddy's versions and plugins bring, as far as people meet it in error messages. */

import { MATCHERS } from '../../shared/caddyfile/names.ts';

/** The first version with a directive, option or module, from the notes of Caddy's releases. */
export const SINCE: Readonly<Record<string, string>> = {
  basic_auth: '2.8.0',
  fs: '2.8.0',
  intercept: '2.8.0',
  invoke: '2.7.0',
  log_append: '2.8.0',
  log_name: '2.8.0',
  log_skip: '2.8.0',
  timeouts: '2.11.6',
  // Global options.
  dns: '2.10.0',
  ech: '2.10.0',
  fallback_sni: '2.7.0',
  filesystem: '2.8.0',
  metrics: '2.9.0',
  persist_config: '2.6.3',
  renewal_window_ratio: '2.11.0',
  tls_automate_names: '2.11.6',
  tls_resolvers: '2.11.0',
  // Of `servers`.
  client_ip_headers: '2.7.0',
  enable_full_duplex: '2.7.0',
  expected_dot_headers: '2.11.6',
  expected_underscore_headers: '2.11.6',
  keepalive_count: '2.11.0',
  keepalive_idle: '2.11.0',
  packet_conn_wrappers: '2.11.0',
  read_body_idle: '2.11.6',
  trace: '2.9.0',
  trusted_proxies: '2.6.3',
  trusted_proxies_strict: '2.8.0',
  trusted_proxies_unix: '2.11.0',
  write_idle: '2.11.6',
  write_max_chunk: '2.11.6',
  // Of `log`.
  hostnames: '2.7.0',
  no_hostname: '2.8.0',
  sampling: '2.9.0',
  // Of `reverse_proxy`.
  health_fails: '2.8.0',
  health_passes: '2.8.0',
  health_upstream: '2.9.0',
  local_address: '2.8.0',
  network_proxy: '2.10.0',
  proxy_protocol: '2.7.0',
  request_buffers: '2.6.4',
  response_buffers: '2.6.4',
  stream_buffer_size: '2.11.3',
  stream_close_delay: '2.7.0',
  stream_timeout: '2.7.0',
  tls_trust_pool: '2.8.0',
  verbose_logs: '2.7.5',
  // Modules.
  'caddy.logging.encoders.filter.set_cookie': '2.11.6',
  'http.matchers.client_ip': '2.7.0',
  'http.matchers.url_pattern': '2.11.6',
  'http.reverse_proxy.selection_policies.client_ip_hash': '2.7.0',
  'http.reverse_proxy.selection_policies.query': '2.7.0',
  'http.reverse_proxy.selection_policies.weighted_round_robin': '2.7.0',
};

/** What older versions call the same. */
export const FORMER_NAMES: Readonly<Record<string, string>> = {
  basic_auth: 'basicauth',
  'http.matchers.client_ip': 'remote_ip',
  log_skip: 'skip_log',
  request_buffers: 'buffer_requests',
  response_buffers: 'buffer_responses',
};

/** The packages of plugins, by their directive, global option, or module. */
const PACKAGES: ReadonlyMap<string, string> = new Map([
  ['authenticate', 'github.com/greenpau/caddy-security'],
  ['authorize', 'github.com/greenpau/caddy-security'],
  ['cache', 'github.com/caddyserver/cache-handler'],
  ['crowdsec', 'github.com/hslatman/caddy-crowdsec-bouncer/http'],
  ['dynamic_dns', 'github.com/mholt/caddy-dynamicdns'],
  ['layer4', 'github.com/mholt/caddy-l4'],
  ['rate_limit', 'github.com/mholt/caddy-ratelimit'],
  ['replace', 'github.com/caddyserver/replace-response'],
  ['webdav', 'github.com/mholt/caddy-webdav'],
  ['events.handlers.exec', 'github.com/mholt/caddy-events-exec'],
  ['http.encoders.br', 'github.com/ueffel/caddy-brotli'],
  ['http.matchers.maxmind_geolocation', 'github.com/porech/caddy-maxmind-geolocation'],
]);

/** The package of a plugin, if it is known. @param name a directive, a global option, or a module */
export function packageOf(name: string): string | undefined {
  const provider = /^dns\.providers\.([a-z0-9_-]+)$/.exec(name)?.[1];
  return provider === undefined ? PACKAGES.get(name) : `github.com/caddy-dns/${provider}`;
}

/** The modules of Caddy's standard build, by the namespaces in which people choose one by name. */
export const MODULES: Readonly<Record<string, readonly string[]>> = {
  'caddy.logging.encoders.filter': [
    'cookie',
    'delete',
    'hash',
    'ip_mask',
    'query',
    'regexp',
    'rename',
    'replace',
    'set_cookie',
  ],
  'http.encoders': ['gzip', 'zstd'],
  'http.matchers': MATCHERS,
  'http.reverse_proxy.selection_policies': [
    'client_ip_hash',
    'cookie',
    'first',
    'header',
    'ip_hash',
    'least_conn',
    'query',
    'random',
    'random_choose',
    'round_robin',
    'uri_hash',
    'weighted_round_robin',
  ],
  'http.reverse_proxy.transport': ['fastcgi', 'http'],
  'http.reverse_proxy.upstreams': ['a', 'multi', 'srv'],
};
