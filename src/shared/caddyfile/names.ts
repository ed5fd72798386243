/** Names of Caddy’s that hub and dashboard know. */

/** Caddy's own matchers (caddyserver.com/docs/caddyfile/matchers), those of newer versions included. */
export const MATCHERS: readonly string[] = `
  client_ip expression file header header_regexp host method not path path_regexp protocol query
  remote_ip url_pattern vars vars_regexp
`
  .trim()
  .split(/\s+/);

/** The global options that people use (caddyserver.com/docs/caddyfile/options). */
export const GLOBAL_OPTIONS: readonly string[] = `
  acme_ca acme_ca_root acme_dns acme_eab auto_https cert_issuer debug default_bind default_sni dns
  ech email events fallback_sni filesystem grace_period http_port https_port key_type local_certs
  log metrics ocsp_stapling on_demand_tls order persist_config pki preferred_chains renew_interval
  renewal_window_ratio servers shutdown_delay skip_install_trust tls_automate_names tls_resolvers
`
  .trim()
  .split(/\s+/);
