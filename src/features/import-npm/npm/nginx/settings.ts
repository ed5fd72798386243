/** Sorts the directives of a server or a location by what they are about, and knows which are translated. Pure. */
import { readNetworks, unmapped } from '../networks.ts';
import type { AccessList } from '../rows.ts';
import type { Findings } from './findings.ts';
import type { Directive } from './parse.ts';

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
  /** `return` and `rewrite`, in order. */
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

/** Adds a directive to what is read so far; false if this one has no translation. */
type Reader = (directive: Directive, read: Settings, isServer: boolean) => boolean;

/** What Nginx Proxy Manager’s own file says, with which it forwards; other files are not at hand. */
const PROXY_CONF = /^(?:\/etc\/nginx\/)?conf\.d\/include\/proxy\.conf$/;
const OWN_HOST: Directive = { name: 'proxy_set_header', args: ['Host', '$host'], block: null };
const OWN_PASS: Directive = {
  name: 'proxy_pass',
  args: ['$forward_scheme://$server:$port$request_uri'],
  block: null,
};

/** Whether Caddy compares it as nginx does. */
const isNetwork = (address: string): boolean =>
  readNetworks(address)?.every((network) => unmapped(network) === null) ?? false;

const collected =
  (key: 'addHeaders' | 'setHeaders' | 'hideHeaders' | 'rules'): Reader =>
  (directive, read) => {
    read[key] = [...read[key], directive];
    return true;
  };

const access =
  (directive: 'allow' | 'deny'): Reader =>
  ({ args: [address = '', ...more] }, read, isServer) => {
    if (more.length > 0 || address === '' || !(isServer || isNetwork(address))) return false;
    read.access = [...read.access, { directive, address }];
    return true;
  };

/** One with exactly one argument, that a pattern matches. */
const valued =
  (pattern: RegExp, settingOf: (value: string) => Partial<Settings>): Reader =>
  ({ args: [value = '', ...more] }, read) => {
    if (more.length > 0 || !pattern.test(value)) return false;
    Object.assign(read, settingOf(value));
    return true;
  };

const location: Reader = (directive, read, isServer) => {
  if (!isServer) return false;
  read.locations = [...read.locations, directive];
  return true;
};

const pass: Reader = (directive, read, isServer) => {
  if (isServer || directive.args.length !== 1 || read.pass !== null) return false;
  read.pass = directive;
  return true;
};

const include: Reader = ({ args }, read, isServer) =>
  PROXY_CONF.test(args.join(' ')) &&
  pass(OWN_PASS, read, isServer) &&
  collected('setHeaders')(OWN_HOST, read, isServer);

/** Caddy needs no word for it: it does so anyway, or has no such limit. */
const needless: Reader = () => true;

/** All directives that are translated; docs/moving.md lists them. */
export const DIRECTIVES: ReadonlyMap<string, Reader> = new Map([
  ['add_header', collected('addHeaders')],
  ['allow', access('allow')],
  ['client_body_timeout', needless],
  ['client_max_body_size', valued(/^\d{1,9}[kmg]?$/i, (size) => ({ size }))],
  ['default_type', valued(/^[\w.+-]+\/[\w.+-]+$/, (type) => ({ type }))],
  ['deny', access('deny')],
  ['gzip', needless],
  ['include', include],
  ['location', location],
  ['proxy_buffer_size', needless],
  ['proxy_buffering', valued(/^(?:on|off)$/, (value) => ({ isBuffered: value === 'on' }))],
  ['proxy_buffers', needless],
  ['proxy_busy_buffers_size', needless],
  ['proxy_connect_timeout', needless],
  ['proxy_hide_header', collected('hideHeaders')],
  ['proxy_http_version', needless],
  ['proxy_pass', pass],
  ['proxy_read_timeout', needless],
  ['proxy_redirect', valued(/^(?:off|default)$/, () => ({}))],
  ['proxy_request_buffering', needless],
  ['proxy_send_timeout', needless],
  ['proxy_set_header', collected('setHeaders')],
  ['proxy_ssl_server_name', needless],
  ['proxy_ssl_verify', valued(/^off$/, () => ({}))],
  ['return', collected('rules')],
  ['rewrite', collected('rules')],
  ['send_timeout', needless],
]);

/** @param isServer whether they stand in a server block, which may have locations, but forwards nothing itself */
export function settingsOf(
  directives: readonly Directive[],
  inherited: Inherited,
  isServer: boolean,
  { cannot }: Findings,
): Settings {
  const own = { addHeaders: [], setHeaders: [], hideHeaders: [] };
  const none = { rules: [], access: [], locations: [], pass: null };
  const read: Settings = { ...inherited, ...own, ...none };
  for (const directive of directives) {
    const { name, block } = directive;
    const isWhole = (block !== null) === (name === 'location');
    if (!isWhole || !DIRECTIVES.get(name)?.(directive, read, isServer)) cannot(name);
  }
  const chosen = (key: 'addHeaders' | 'setHeaders' | 'hideHeaders') =>
    read[key].length > 0 ? read[key] : inherited[key];
  return {
    ...read,
    addHeaders: chosen('addHeaders'),
    setHeaders: chosen('setHeaders'),
    hideHeaders: chosen('hideHeaders'),
  };
}
