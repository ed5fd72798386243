/** The modules that Caddy has without plugins, in any release from 2.6.2 to 2.11. */

/** By namespace, as `caddy list-modules` prints them. */
const STOCK: Readonly<Record<string, string>> = {
  'admin.api': 'load metrics pki reverse_proxy',
  'caddy.adapters': 'caddyfile',
  'caddy.config_loaders': 'http',
  caddy: 'filesystems',
  'caddy.listeners': 'http_redirect proxy_protocol tls',
  'caddy.logging.encoders': 'append console filter journald json',
  'caddy.logging.encoders.filter':
    'cookie delete hash ip_mask multi_regexp query regexp rename replace set_cookie',
  'caddy.logging.writers': 'discard file net stderr stdout',
  'caddy.network_proxy': 'none url',
  'caddy.storage': 'file_system',
  '': 'events http pki tls',
  'http.authentication.hashes': 'argon2id bcrypt scrypt',
  'http.authentication.providers': 'http_basic',
  'http.encoders': 'gzip zstd',
  'http.handlers':
    'acme_server authentication copy_response copy_response_headers encode error file_server headers intercept invoke log_append map metrics push request_body reverse_proxy rewrite static_response subroute templates timeouts tracing vars',
  'http.ip_sources': 'static',
  'http.matchers':
    'client_ip expression file header header_regexp host method not path path_regexp protocol query remote_ip tls url_pattern vars vars_regexp',
  'http.precompressed': 'br gzip zstd',
  'http.reverse_proxy.selection_policies':
    'client_ip_hash cookie first header ip_hash least_conn query random random_choose round_robin uri_hash weighted_round_robin',
  'http.reverse_proxy.transport': 'fastcgi http',
  'http.reverse_proxy.upstreams': 'a multi srv',
  'tls.ca_pool.source': 'combined file http inline pki_intermediate pki_root storage system',
  'tls.certificates': 'automate load_files load_folders load_pem load_storage',
  'tls.client_auth': 'leaf',
  'tls.client_auth.verifier': 'leaf',
  'tls.ech.publishers': 'dns',
  'tls.get_certificate': 'http tailscale',
  'tls.handshake_match': 'local_ip remote_ip sni sni_regexp',
  'tls.issuance': 'acme internal zerossl',
  'tls.leaf_cert_loader': 'file folder pem storage',
  'tls.permission': 'http',
  'tls.stek': 'distributed standard',
};

const NAMES: ReadonlySet<string> = new Set(
  Object.entries(STOCK).flatMap(([namespace, names]) =>
    names.split(' ').map((name) => (namespace === '' ? name : `${namespace}.${name}`)),
  ),
);

/** Whether Caddy has a module only with a plugin, or in a newer release. */
export const isPlugin = (module: string): boolean => !NAMES.has(module);
