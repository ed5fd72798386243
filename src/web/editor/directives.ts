/** What the editor knows of Caddyfile: directives, what stands inside some of them, placeholders. Pure. */
import { GLOBAL_OPTIONS, MATCHERS } from '../../shared/caddyfile/names.ts';

/**
 * Caddy's own directives (caddyserver.com/docs/caddyfile/directives), with what each does. Those that
 * one of the supported versions lacks are included: the live check says so.
 */
export const DIRECTIVES: Readonly<Record<string, string>> = {
  abort: 'Ends the request without a response',
  acme_server: 'Serves an ACME certificate authority',
  basic_auth: 'Asks for a user name and password (Caddy 2.8 and newer)',
  basicauth: 'Asks for a user name and password (older name)',
  bind: 'Listens only on these addresses',
  copy_response: 'Sends the upstream’s answer, in handle_response',
  copy_response_headers: 'Sends headers of the upstream’s answer, in handle_response',
  encode: 'Compresses answers',
  error: 'Answers with an error, for handle_errors',
  file_server: 'Serves files',
  forward_auth: 'Asks a sign-in service first',
  fs: 'Sets the file system that files come from',
  handle: 'Directives of which only the first matching block runs',
  handle_errors: 'How to respond when an error occurs',
  handle_path: 'Like handle, with the path’s prefix removed',
  header: 'Changes headers of the response',
  import: 'Includes a snippet of the Caddy options',
  intercept: 'Replaces responses of the upstream',
  invoke: 'Runs a named route',
  log: 'Writes an access log',
  log_append: 'Adds a field to the access log',
  log_name: 'Sends the request’s entries to another log (Caddy 2.8 and newer)',
  log_skip: 'Leaves requests out of the access log',
  map: 'Sets placeholders by the value of another',
  method: 'Changes the request’s method',
  metrics: 'Serves Caddy’s metrics',
  php_fastcgi: 'Forwards to PHP',
  push: 'Sends files ahead with HTTP/2',
  redir: 'Redirects the browser',
  request_body: 'Limits how much can be uploaded',
  request_header: 'Changes headers of the request',
  respond: 'Answers with a fixed text or status',
  reverse_proxy: 'Forwards requests to an upstream',
  rewrite: 'Changes the request’s address, unseen by the browser',
  root: 'Sets the folder that files come from',
  route: 'Directives that run in the order written',
  skip_log: 'Leaves requests out of the access log (older name)',
  templates: 'Runs responses as templates',
  timeouts: 'Limits how long uploads and responses may stall (Caddy 2.11.6 and newer)',
  tls: 'Sets how the certificate is obtained',
  tracing: 'Traces requests with OpenTelemetry',
  try_files: 'Changes the address to the first file there is',
  uri: 'Strips or replaces parts of the address',
  vars: 'Sets variables',
};

/** A list of names that is written as one text. */
const names = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Directives whose block holds directives. */
export const HOLDS_DIRECTIVES: ReadonlySet<string> = new Set(
  names('handle handle_errors handle_path route'),
);

/**
 * What can stand in the block of a directive; `@` for the block of a matcher, `options` for the global
 * options, whose `timeouts` are others than those of the directive.
 */
export const INSIDE: Readonly<Record<string, readonly string[]>> = {
  '@': MATCHERS,
  encode: names('gzip match minimum_length zstd'),
  file_server: names('browse hide index pass_thru precompressed root status'),
  forward_auth: ['copy_headers', 'header_up', 'uri'],
  header: ['defer'],
  intercept: ['handle_response', 'replace_status'],
  log: names('format hostnames level no_hostname output sampling'),
  options: GLOBAL_OPTIONS,
  php_fastcgi: names('env index resolve_root_symlink root split try_files'),
  request_body: ['max_size', 'set'],
  respond: ['body', 'close'],
  reverse_proxy: names(`
    dynamic fail_duration flush_interval handle_response header_down header_up health_fails
    health_headers health_interval health_passes health_status health_timeout health_uri
    lb_policy lb_retries lb_try_duration max_fails method replace_status request_buffers
    response_buffers rewrite stream_buffer_size stream_close_delay stream_timeout to
    transport trusted_proxies unhealthy_latency unhealthy_status
  `),
  servers: names(`
    client_ip_headers enable_full_duplex expected_dot_headers expected_underscore_headers
    keepalive_interval listener_wrappers log_credentials max_header_size metrics name
    protocols strict_sni_host timeouts trace trusted_proxies trusted_proxies_strict
    trusted_proxies_unix
  `),
  'servers timeouts': names(
    'idle read_body read_body_idle read_header write write_idle write_max_chunk',
  ),
  timeouts: ['max_write_chunk', 'read_timeout', 'write_timeout'],
  tls: names(
    'alpn ca ciphers client_auth curves dns issuer key_type on_demand protocols resolvers',
  ),
  transport: names(`
    compression dial_timeout keepalive local_address network_proxy proxy_protocol
    read_timeout response_header_timeout tls tls_client_auth tls_insecure_skip_verify
    tls_server_name tls_trust_pool tls_trusted_ca_certs versions write_timeout
  `),
  url_pattern: ['base_url', 'ignore_case'],
};

/** Placeholders that are of use in a site, with what each stands for. */
export const PLACEHOLDERS: Readonly<Record<string, string>> = {
  '{upstream}': 'The address in “Forward to”',
  '{client_ip}': 'The visitor’s address, also through trusted proxies (Caddy 2.7 and newer)',
  '{dir}': 'The folder of the path',
  '{err.message}': 'Why the request failed',
  '{err.status_code}': 'The status of the error',
  '{file}': 'The file of the path',
  '{header.*}': 'A header of the request',
  '{host}': 'The requested host name',
  '{hostport}': 'Host name and port',
  '{http.auth.user.id}': 'Who signed in',
  '{http.request.proto_name}': 'HTTP/1.1, HTTP/2 or HTTP/3 (Caddy 2.11.6 and newer)',
  '{http.reverse_proxy.upstream.hostport}': 'The upstream that answers',
  '{http.url_pattern.*}': 'A part of what url_pattern found (Caddy 2.11.6 and newer)',
  '{labels.*}': 'A label of the host name, from the right',
  '{method}': 'The request’s method',
  '{path}': 'The requested path',
  '{query}': 'The text after the question mark',
  '{query.*}': 'A value of the query',
  '{re.*}': 'A part of what a regular expression found',
  '{remote_host}': 'The visitor’s address',
  '{remote_port}': 'The visitor’s port',
  '{scheme}': 'http or https',
  '{tls_version}': 'The TLS version in use',
  '{uri}': 'Path and query',
  '{uuid}': 'A new random id',
  '{vars.*}': 'A variable set by vars',
};
