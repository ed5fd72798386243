/** Sorts the directives of a server or a location by what they are about. Pure. */
import { readNetworks, unmapped } from '../networks.ts';
import type { AccessList } from '../rows.ts';
import type { Findings } from './findings.ts';
import type { Directive } from './parse.ts';
import { RULES } from './rules.ts';

/** What a location takes over from its server, unless it has some of its own. */
export type Inherited = {
  addHeaders: readonly Directive[];
  setHeaders: readonly Directive[];
  hideHeaders: readonly Directive[];
  /** `client_max_body_size`; null if it is not set. */
  size: string | null;
  isBuffered: boolean;
  /** `default_type`; null if it is not set. */
  type: string | null;
};

export type Settings = Inherited & {
  rules: readonly Directive[];
  access: AccessList['clients'];
  locations: readonly Directive[];
  /** Null if there is none. */
  pass: Directive | null;
};

export const NOTHING: Inherited = {
  addHeaders: [],
  setHeaders: [],
  hideHeaders: [],
  size: null,
  isBuffered: true,
  type: null,
};

/** What Caddy needs no word for: it does so anyway, or has no such limit. */
const NEEDLESS =
  /^(?:client_(?:body|header)_(?:timeout|buffer_size)|send_timeout|gzip\w*|http[23]|keepalive_\w+|sendfile|tcp_no(?:delay|push)|server_tokens|large_client_header_buffers|client_body_temp_path|log_not_found|resolver\w*|chunked_transfer_encoding|ssl_(?:protocols|ciphers|prefer_server_ciphers|session_\w+|stapling\w*|ecdh_curve|early_data)|proxy_(?:\w+_timeout|http_version|buffers|buffer_size|busy_buffers_size|request_buffering|max_temp_file_size|temp_\w+|socket_keepalive|ssl_(?:server_name|name|protocols|ciphers|session_reuse)|headers_hash_\w+|ignore_client_abort|intercept_errors|cache_bypass|no_cache))$/;

/** The same, if they have this argument. */
const NEEDLESS_WITH: Record<string, RegExp> = {
  proxy_cache: /^off$/,
  proxy_redirect: /^(?:off|default)$/,
  proxy_ssl_verify: /^off$/,
  satisfy: /^all$/,
};

const LOGS =
  'The logs that the nginx text sets up are left out: the proxy’s access log has all requests.';

/** What Nginx Proxy Manager’s own file says, with which it forwards; other files are not at hand. */
const PROXY_CONF: readonly Directive[] = [
  { name: 'proxy_set_header', args: ['Host', '$host'], block: null },
  { name: 'proxy_pass', args: ['$forward_scheme://$server:$port$request_uri'], block: null },
];

const included = (directive: Directive): readonly Directive[] =>
  directive.name === 'include' &&
  /^(?:\/etc\/nginx\/)?conf\.d\/include\/proxy\.conf$/.test(directive.args.join(' '))
    ? PROXY_CONF
    : [directive];

/** Whether Caddy compares it as nginx does. */
const isNetwork = (address: string): boolean =>
  readNetworks(address)?.every((network) => unmapped(network) === null) ?? false;

/** @param isServer whether they stand in a server block, which may have locations, but forwards nothing itself */
export function settingsOf(
  directives: readonly Directive[],
  inherited: Inherited,
  isServer: boolean,
  { cannot, remark }: Findings,
): Settings {
  const own = {
    addHeaders: [] as Directive[],
    setHeaders: [] as Directive[],
    hideHeaders: [] as Directive[],
  };
  const rules: Directive[] = [];
  const access: { directive: 'allow' | 'deny'; address: string }[] = [];
  const locations: Directive[] = [];
  let { size, isBuffered, type } = inherited;
  let pass: Directive | null = null;
  for (const directive of directives.flatMap((one) => (isServer ? [one] : included(one)))) {
    const { name, args, block } = directive;
    const [first = ''] = args;
    const isPlain = block === null && args.length === 1;
    if (name === 'location' && block !== null && isServer) locations.push(directive);
    else if (RULES.has(name) && (block !== null) === (name === 'if')) rules.push(directive);
    else if (block !== null) cannot(name);
    else if (NEEDLESS.test(name) || NEEDLESS_WITH[name]?.test(args.join(' '))) continue;
    else if (name === 'access_log' || name === 'error_log') remark('info', LOGS);
    else if ((name === 'allow' || name === 'deny') && isPlain && (isServer || isNetwork(first)))
      access.push({ directive: name, address: first });
    else if (name === 'add_header') own.addHeaders.push(directive);
    else if (name === 'proxy_set_header') own.setHeaders.push(directive);
    else if (name === 'proxy_hide_header') own.hideHeaders.push(directive);
    else if (name === 'client_max_body_size' && isPlain && /^\d{1,9}[kmg]?$/i.test(first))
      size = first;
    else if (name === 'proxy_buffering' && isPlain && /^(?:on|off)$/.test(first))
      isBuffered = first === 'on';
    else if (name === 'default_type' && isPlain && /^[\w.+-]+\/[\w.+-]+$/.test(first)) type = first;
    else if (name === 'proxy_pass' && isPlain && !isServer && pass === null) pass = directive;
    else cannot(name);
  }
  const chosen = (name: keyof typeof own) => (own[name].length > 0 ? own[name] : inherited[name]);
  return {
    addHeaders: chosen('addHeaders'),
    setHeaders: chosen('setHeaders'),
    hideHeaders: chosen('hideHeaders'),
    ...{ size, isBuffered, type, rules, access, locations, pass },
  };
}
