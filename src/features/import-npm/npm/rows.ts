/** What Nginx Proxy Manager stores, in plain types; without what it has deleted. */

/** What the three kinds of hosts have in common. */
export type Host = {
  id: number;
  /** As typed: case, Unicode and wildcards of nginx's `server_name`. */
  domains: readonly string[];
  isEnabled: boolean;
  /** Why nginx did not take it when it was last saved: then nothing serves it. Null if it did. */
  fault: string | null;
  /** 0: none. There may be no such certificate. */
  certificateId: number;
  isForcedToHttps: boolean;
  hsts: 'none' | 'host' | 'subdomains';
  /** The nginx text of its owner. */
  advanced: string;
  /** Settings of a variant of NPM, such as `npmplus_auth_request`, that it or a location of it has. */
  unknown: readonly string[];
};

export type ProxyHost = Host & {
  kind: 'proxy';
  /** Where it leads, as typed: `host` may have spaces, a path, a scheme or an IPv6 address in it. */
  to: Target;
  /** 0: none. There may be no such list, or none any more. */
  accessListId: number;
  locations: readonly Location[];
  caches: boolean;
  blocksExploits: boolean;
  /** Whether it believes the visitor's X-Forwarded-Proto. */
  trustsForwardedProto: boolean;
};

export type RedirectionHost = Host & {
  kind: 'redirection';
  /** `auto`: that of the request. */
  scheme: 'auto' | 'http' | 'https';
  /** Host, and perhaps port, path and query. */
  target: string;
  code: number;
  keepsPath: boolean;
  blocksExploits: boolean;
};

type DeadHost = Host & { kind: 'dead' };

export type AnyHost = ProxyHost | RedirectionHost | DeadHost;

type Target = { scheme: string; host: string; port: number };

/** A custom location. */
export type Location = Target & {
  /** With the modifier of nginx, such as `= /exact` or `~* \.png$`. */
  path: string;
  /** The path that replaces it; '' if there is none. It may also stand in `host`. */
  forwardPath: string;
  advanced: string;
};

export type AccessList = {
  id: number;
  name: string;
  satisfies: 'all' | 'any';
  passesAuthorization: boolean;
  /** In order; passwords in clear. */
  users: readonly { name: string; password: string }[];
  /** In order; the address may be `all`. */
  clients: readonly { directive: 'allow' | 'deny'; address: string }[];
};

export type StoredCertificate = {
  id: number;
  provider: 'letsencrypt' | 'other';
  name: string;
  /** Of one that was uploaded: only the common name of its subject. */
  domains: readonly string[];
  isByDns: boolean;
  /** PEM of one that was uploaded; null if it never was, or is not of that kind. */
  pair: { chain: string; key: string } | null;
};

type Stream = {
  port: number;
  to: string;
  protocols: readonly ('TCP' | 'UDP')[];
};

export type Rows = {
  proxies: readonly ProxyHost[];
  redirections: readonly RedirectionHost[];
  dead: readonly DeadHost[];
  streams: readonly Stream[];
  accessLists: readonly AccessList[];
  certificates: readonly StoredCertificate[];
  /** How many accounts there are. */
  users: number;
  /** What unknown names get, such as `404`; and with what: an address, or a page. */
  defaultSite: { value: string; redirect: string; html: string };
};
