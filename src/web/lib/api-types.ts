/** What the API answers, generated from the OpenAPI document. Do not edit; run `bun run types`. */

/** ISO 8601 UTC with milliseconds */
export type Timestamp = string;
/** who signs the certificates that the proxy renews: its own authority, public ones, or another; null if unknown, or without TLS */
export type Authority = 'internal' | 'public' | 'other';
/** `bad`: it affects visitors or changes now; `notice`: it can wait, and is counted nowhere */
export type Level = 'bad' | 'warn' | 'notice';
export type EventName =
  | 'certificate.ending'
  | 'certificate.failed'
  | 'proxy.down'
  | 'agent.unreachable'
  | 'agent.behind'
  | 'program.returned'
  | 'drift'
  | 'vhost.broken'
  | 'upstream.down'
  | 'check.failing'
  | 'sign-in.locked'
  | 'disk.full'
  | 'backup.failed'
  | 'sign-in.new-address'
  | 'account.changed';

export interface Health {
  status: 'ok';
}
export interface Success {
  success: true;
}
export interface SignedIn {
  session: Session;
  user: User;
}
export interface Session {
  id: string;
  token: string;
  userId: string;
  expiresAt: Timestamp;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  ipAddress: string;
  userAgent: string;
}
export interface User {
  id: string;
  name: string;
  email: string;
  emailVerified: false;
  image: null;
  /** `viewer` by default: looks; `editor` changes sites and policies; `owner` changes everything */
  role: 'viewer' | 'editor' | 'owner';
  /** signing in by password needs a code, too */
  twoFactorEnabled: boolean;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}
export interface SignedUp {
  token: string;
  user: User;
}
export interface SignedInAgain {
  redirect: false;
  token: string;
  user: User;
}
export interface HalfSignedIn {
  twoFactorRedirect: true;
  twoFactorMethods: 'totp'[];
}
export interface SignedInSession {
  id: string;
  /** the session that made this request */
  current: boolean;
  ipAddress: string;
  userAgent: string;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  expiresAt: Timestamp;
}
export interface PasswordChanged {
  token: string | null;
  user: User;
}
export interface Proved {
  freshUntil: Timestamp;
}
export interface LinkedAccount {
  id: string;
  /** `oidc`, or `credential` for the password */
  providerId: string;
  issuer: string;
  /** what the service calls the account (`sub`) */
  accountId: string;
  userId: string;
  scopes: string[];
  createdAt: Timestamp;
  updatedAt: Timestamp;
}
export interface RoleChanged {
  user: User;
}
export interface Invitation {
  id: string;
  /** `viewer` by default: looks; `editor` changes sites and policies; `owner` changes everything */
  role: 'viewer' | 'editor' | 'owner';
  expiresAt: Timestamp;
  /** the only address that may use it */
  email: string | null;
  /** name of the owner who made it */
  invitedBy: string;
  createdAt: Timestamp;
}
export interface NewInvitation {
  id: string;
  /** `viewer` by default: looks; `editor` changes sites and policies; `owner` changes everything */
  role: 'viewer' | 'editor' | 'owner';
  expiresAt: Timestamp;
  /** shown only once, in this response */
  url: string;
}
export interface ApiToken {
  id: string;
  name: string;
  scope: 'read' | 'write';
  expiresAt: Timestamp | null;
  lastUsedAt: Timestamp | null;
  createdAt: Timestamp;
}
export interface NewApiToken extends ApiToken {
  /** shown only once, in this response */
  token: string;
}
export interface SecurityEntry {
  id: number;
  at: Timestamp;
  kind:
    | 'sign-in'
    | 'sign-out'
    | 'refusal'
    | 'session'
    | 'password'
    | 'factor'
    | 'account'
    | 'role'
    | 'invitation'
    | 'token'
    | 'agent'
    | 'channel'
    | 'certificate'
    | 'restore';
  /** the id of an account, or `local` for the command line; null: nobody known */
  actor: string | null;
  /** or the email address that was given */
  actorName: string;
  /** the name of the API token */
  via: string | null;
  /** what it was done to, such as an email address or a name */
  target: string;
  ip: string;
  userAgent: string;
  /** `half`: the password was right, and a second factor is missing; `locked`: too many had failed, at most one entry per address and minute */
  outcome: 'ok' | 'half' | 'refused' | 'locked';
  /** one or two words more */
  detail: string;
}
export interface SignInEntry {
  at: Timestamp;
  /** as it was given */
  email: string;
  /** null: there is no such account */
  userId: string | null;
  method: 'password' | 'totp' | 'recovery' | 'passkey' | 'oidc';
  ip: string;
  userAgent: string;
  /** `half`: the password was right, and a second factor is missing; `locked`: too many had failed, at most one entry per address and minute */
  outcome: 'ok' | 'half' | 'refused' | 'locked';
}
export interface VhostState {
  id: number;
  domain: string;
  enabled: boolean;
  /** why the proxy does not serve it, or serves only some of its addresses */
  problem: string | null;
  /** where the vhost is reached, in the order of its block */
  addresses: Address[];
  upstreams: Upstream[];
  /** since when it does not answer as its check requires, and what came instead: wrong twice in a row, until it is right twice in a row; null if it does, is not asked between changes, or was not asked often enough since the hub started */
  check: {
    failingSince: Timestamp;
    reason: string;
  } | null;
  /** problems that a visitor would notice now */
  warnings: Warning[];
  errors: LastErrors;
  /** only if the hub has several agents: the report of each agent that the vhost is placed on; the other fields are the worst of them */
  agents?: OneState[];
  /** whether an agent that it is placed on has not looked at its upstreams or certificates yet, as after a start or a change */
  checking?: true;
  /** the agents whose proxies do not serve it, or not on all of its addresses, and those in `missing`; only if there are any */
  downOn?: string[];
  /** those among the agents it is placed on that are unreachable, so that its proxy may well serve it, or whose proxy is; if any */
  missing?: string[];
}
export interface Address {
  /** host name; empty for any */
  name: string;
  port: number;
  /** in the proxy’s live configuration */
  served: boolean;
  tls: boolean;
  certificate: {
    /** common name and organisation */
    issuer: string;
    /** host names it is valid for, at most 100 */
    names: string[];
    /** ISO 8601 UTC with milliseconds */
    notBefore: string;
    /** ISO 8601 UTC with milliseconds */
    notAfter: string;
    /** SHA-256 in hexadecimal, with colons */
    fingerprint: string;
    /** whole days; negative if it has expired */
    daysLeft: number;
    /** expires within 14 days, and is not renewed automatically or should have been by now */
    overdue: boolean;
  } | null;
  /** why there is no certificate */
  reason: string | null;
  /** when the agent last asked the proxy for the certificate; null if it has not */
  checkedAt: string | null;
  /** the proxy obtains and renews the certificate automatically */
  automated: boolean;
  authority: Authority | null;
  advice: Advice | null;
}
/** why there can be no public certificate; null if there is no known reason */
export interface Advice {
  code: 'INTERNAL_NAME' | 'PORT' | 'WILDCARD' | 'PRIVATE_ADDRESS' | 'ACME' | 'OFFLINE' | 'MIRRORED';
  /** for a person */
  message: string;
  /** what would work, best first: Caddy’s own authority, the DNS challenge, plain HTTP */
  ways: ('internal' | 'dns' | 'http')[];
}
export interface Upstream {
  /** as in the configuration */
  address: string;
  /** null if unknown */
  up: boolean | null;
  /** currently open */
  requests: number | null;
  /** failures that the proxy remembers; it counts them only with passive health checks */
  fails: number | null;
  /** why it is down, according to the agent or the proxy */
  error: {
    /** ISO 8601 UTC with milliseconds */
    at: string;
    message: string;
    /** a request failed although the agent can connect; this counts for a minute */
    transient?: true;
  } | null;
  /** ISO 8601 UTC with milliseconds */
  since: string | null;
  /** ISO 8601 UTC with milliseconds */
  lastChecked: string | null;
  /** how long the agent’s last connection to it took, with the TLS handshake if there is one */
  latencyMs: number | null;
  /** why its state is unknown */
  unknown: string | null;
}
export interface Warning {
  code: string;
  /** one sentence, for people */
  message: string;
}
/** the last error of each kind */
export interface LastErrors {
  acme: LastError | null;
  upstream: LastError | null;
}
export interface LastError {
  /** the host name it occurred at */
  name: string;
  /** ISO 8601 UTC with milliseconds */
  at: string;
  /** the proxy’s own words, without host paths */
  message: string;
  /** false after a later request succeeded */
  standing: boolean;
  /** when the proxy tries again, if it says so */
  retryAt?: string;
}
export interface OneState {
  name: string;
  /** why the proxy does not serve it, or serves only some of its addresses */
  problem: string | null;
  /** where the vhost is reached, in the order of its block */
  addresses: Address[];
  upstreams: Upstream[];
  /** since when it does not answer as its check requires, and what came instead: wrong twice in a row, until it is right twice in a row; null if it does, is not asked between changes, or was not asked often enough since the hub started */
  check: {
    failingSince: Timestamp;
    reason: string;
  } | null;
  /** problems that a visitor would notice now */
  warnings: Warning[];
  errors: LastErrors;
}
export interface VhostActivity {
  from: string | null;
  to: string | null;
  buckets: number;
  /** not all of the log was read */
  partial?: true;
  /** the unreachable agents, if any */
  missing?: string[];
  /** the vhosts that had requests; matched by host name, on any port */
  vhosts: Activity[];
}
export interface Activity {
  id: number;
  /** the host names that were requested, at most 20 */
  hosts: string[];
  /** one number per bucket */
  requests: number[];
  /** one number per bucket */
  status4xx: number[];
  /** one number per bucket */
  status5xx: number[];
  /** milliseconds, accurate to 6.25 % */
  p95: number | null;
}
export interface Certificate {
  /** of the vhost */
  id: number;
  /** of the vhost */
  domain: string;
  /** the host name that the certificate is for */
  name: string;
  port: number;
  /** like the next three, null if there is no certificate */
  issuer: string | null;
  notBefore: Timestamp | null;
  notAfter: Timestamp | null;
  /** whole days; negative if it has expired */
  daysLeft: number | null;
  /** the proxy, or the hub, renews it automatically */
  automated: boolean;
  /** the name of the kept certificate that it is */
  kept?: string;
  authority: Authority | null;
  checkedAt: Timestamp | null;
  /** the problem that needs attention, for people */
  problem: string | null;
  advice: Advice | null;
  /** whose proxy it is; only if the hub has several agents */
  agent?: string;
  /** why the last attempt to get a certificate failed */
  error: {
    /** ISO 8601 UTC with milliseconds */
    at: string;
    /** the proxy’s own words, without host paths */
    message: string;
    /** false after a later request succeeded */
    standing: boolean;
    /** when the proxy tries again, if it says so */
    retryAt?: string;
  } | null;
}
export interface DraftAdvice {
  /** the names that would be served over TLS */
  names: {
    name: string;
    port: number;
    authority: Authority | null;
    advice: Advice | null;
  }[];
  dns: {
    /** the DNS providers that the proxy was built with */
    providers: string[];
    /** the command that gets a Caddy with a provider; null if this one has one */
    command: string | null;
  };
}
export interface Vhost {
  id: number;
  domain: string;
  /** all that it answers to, as written, the domain first; several only if `config` is a whole block */
  addresses: string[];
  /** not for viewers */
  config?: string;
  enabled: boolean;
  upstream: string;
  /** by name, in order */
  policies: string[];
  /** the policies that apply to every vhost, but not to this one, by name */
  except: string[];
  tags: string[];
  /** the agents whose proxies serve it, by name; if empty: all */
  agents: string[];
  check?: Check | null;
  /** what keeps it as it is, such as a file: its next apply undoes other changes; null: people do */
  source: string | null;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}
/** how the site must answer, before a change is live and again once it is; otherwise the change is refused. It is asked between changes as well */
export interface Check {
  /** with its query, percent-encoded */
  path: string;
  /** default: any from 200 to 299 */
  status?: number;
  /** a text that the first 64 KiB of the body must contain */
  contains?: string;
  /** the time limit in seconds; default: 5 */
  within?: number;
  /** how often the site is asked between changes, in seconds; 0: never; default: 60 */
  every?: 0 | number;
}
export interface ChangedVhost {
  id: number;
  domain: string;
  /** all that it answers to, as written, the domain first; several only if `config` is a whole block */
  addresses: string[];
  config: string;
  enabled: boolean;
  upstream: string;
  /** by name, in order */
  policies: string[];
  /** the policies that apply to every vhost, but not to this one, by name */
  except: string[];
  tags: string[];
  /** the agents whose proxies serve it, by name; if empty: all */
  agents: string[];
  check: Check | null;
  /** what keeps it as it is, such as a file: its next apply undoes other changes; null: people do */
  source: string | null;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  /** the unreachable agents: their proxies serve their previous sites until the agents return */
  behind?: string[];
  /** as in `/status`; only if `warnings` says that visitors do not reach a vhost (`NOT_SERVED`) */
  serving?: Serving | null;
  /** problems that a visitor would notice, as far as known after 1.5 s; `NOT_TRIED`: its check ran only once the change was live */
  warnings: Warning[];
}
/** the proxy’s ports and why they are not 80 and 443; null if the agent or the proxy does not respond, or this hub does not manage the proxy’s sites */
export interface Serving {
  http: Listening;
  https: Listening;
  /** the next command to run, on the proxy’s machine; null if none is needed */
  cure: string | null;
}
export interface Listening {
  /** where the proxy listens, or would for a site that needs it */
  port: number;
  wanted: number;
  /** why the port is not 80, or not open; null if all is well */
  reason: string | null;
  /** whether something is in the way, or the port is not open */
  blocked: boolean;
}
export interface Done {
  success: true;
  /** the unreachable agents: their proxies serve their previous sites until the agents return */
  behind?: string[];
  /** the sites whose checks ran only once the change was live (`NOT_TRIED`), websockets that stay open (`STILL_OPEN`), and of an import what can hardly be meant */
  warnings?: Warning[];
}
export interface ChangedPolicy {
  id: number;
  name: string;
  /** the id of its recipe */
  recipe: string;
  /** without passwords and their hashes */
  values: Values;
  /** whether it applies to every vhost that does not name it in `except` */
  everywhere: boolean;
  /** the ids of the vhosts to which it applies */
  vhosts: number[];
  /** as of a vhost */
  source: string | null;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  /** the unreachable agents: their proxies serve their previous sites until the agents return */
  behind?: string[];
  /** the sites whose checks ran only once the change was live (`NOT_TRIED`), websockets that stay open (`STILL_OPEN`), and of an import what can hardly be meant */
  warnings?: Warning[];
}
/** without passwords and their hashes; not for viewers */
export interface Values {
  [k: string]: unknown;
}
export interface Policy {
  id: number;
  name: string;
  /** the id of its recipe */
  recipe: string;
  values?: Values;
  /** whether it applies to every vhost that does not name it in `except` */
  everywhere: boolean;
  /** the ids of the vhosts to which it applies */
  vhosts: number[];
  /** as of a vhost */
  source: string | null;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}
export interface Recipe {
  id: string;
  /** `policy`: comes before the configs of any number of vhosts; `site`: becomes the config of one */
  kind: 'policy' | 'site';
  title: string;
  description: string;
  /** JSON Schema of the values, with a title and a description of each field. `writeOnly` fields are secrets, which are never shown. */
  fields: Values;
  /** the oldest version of Caddy, and the modules it must be built with */
  needs: {
    caddy?: string;
    modules?: string[];
  };
  /** whether this proxy has the required version and modules, as far as known */
  available: boolean;
  /** the missing requirement; one sentence, for people */
  reason?: string;
  /** values by the names of the recipe’s fields */
  example: Values;
}
export interface RenderedRecipe {
  config: string;
}
export interface Agent {
  name: string;
  /** where the hub reaches it; not for viewers */
  url?: string;
  /** SHA-256 of its certificate; null if the hub trusts it otherwise; not for viewers */
  fingerprint?: string | null;
  /** whether publishing to it is paused */
  paused: boolean;
  state: 'in-step' | 'behind' | 'unreachable' | 'refused';
  since: Timestamp;
  /** more about the state, for people; not for viewers */
  detail?: string;
  proxy: Proxy;
  /** whether its proxy serves sites that this hub did not publish */
  foreign: boolean;
  /** how long its last response took; null if it does not answer */
  latencyMs: number | null;
  /** the minimum number of milliseconds by which its clock is ahead of the hub’s; null if unknown */
  skewMs: number | null;
  /** how many enabled vhosts are placed on it */
  sites: number;
}
export interface Proxy {
  /** false also while the agent does not answer, so that nobody knows */
  running: boolean;
  version: string | null;
}
export interface LogPage {
  logs: LogEntry[];
  total: number;
  page: number;
  pageSize: number;
  /** not all of the log was read: there may be more, older entries */
  partial?: true;
  /** the unreachable agents, if any */
  missing?: string[];
}
export interface LogEntry {
  /** ISO 8601 UTC with milliseconds */
  timestamp: string;
  domain: string;
  method: string;
  path: string;
  status: number;
  /** milliseconds with at most 3 decimals */
  latency: string;
  ip: string;
  /** with several agents: the one whose log has it */
  agent?: string;
  /** only with `details`: everything that the proxy wrote about the request, without cookies and credentials */
  details?: Values;
  /** with the details: the error, in the proxy’s words */
  error?: string;
}
export interface LogStats {
  /** ISO 8601; null if there are no entries */
  from: string | null;
  to: string | null;
  requests: number;
  buckets: Bucket[];
  /** the ten with the most requests; only the first 16,384 domains are counted */
  domains: {
    domain: string;
    requests: number;
  }[];
  statuses: {
    status: number;
    requests: number;
  }[];
  /** of the newest requests in the range; partial if there are more. If lines had to be read to count the requests, of all these lines */
  latest: {
    requests: number;
    paths: {
      path: string;
      requests: number;
    }[];
    ips: {
      ip: string;
      requests: number;
    }[];
    /** an empty one stands for requests without */
    userAgents: {
      userAgent: string;
      requests: number;
    }[];
    partial?: true;
  };
  /** all numbers are estimates, multiplied already: to read all lines would have taken too long. With several agents, `of` is that of the least exact */
  sampled?: {
    /** one of so many lines was read */
    of: number;
    /** with several agents: the same for each that read only a part */
    agents?: {
      [k: string]: number;
    };
  };
  /** not all of the log was read */
  partial?: true;
  /** the unreachable agents, if any */
  missing?: string[];
}
export interface Bucket {
  from: string;
  to: string;
  requests: {
    '1xx': number;
    '2xx': number;
    '3xx': number;
    '4xx': number;
    '5xx': number;
    other: number;
  };
  /** milliseconds, accurate to 6.25 % */
  p50: number | null;
  /** milliseconds, accurate to 6.25 % */
  p95: number | null;
  /** sampled, and no line of this time was read: the number is unknown, not 0 */
  unread?: true;
}
export interface Status {
  version: string;
  commit: string | null;
  uptimeSeconds: number;
  agent: {
    reachable: boolean;
    latencyMs: number | null;
  };
  serving: Serving | null;
  proxy: Proxy;
  /** all current problems, one entry per cause, worst first; unknown facts are left out */
  problems: Problem[];
  /** how many enabled vhosts the agents have not looked at yet since the hub was started, or since the last change, for a minute at most; until it is 0, a problem may still be missing */
  checking: number;
  /** security advisories that affect the proxy's version; null if the version is unknown */
  advisories:
    | {
        id: string;
        summary: string;
        fixedIn: string;
      }[]
    | null;
  /** the day of the table that `advisories` is from; a problem says if that is long ago */
  advisoriesAsOf: string;
  /** how to get a version without them; null if there are no advisories */
  upgrade: string | null;
  /** what a newer version refuses although the running one accepts it, in the preamble and in enabled vhosts, at most 100; empty if the version is unknown */
  beforeUpgrade: {
    /** absent: it is in the preamble */
    vhost?: VhostName;
    /** whose preamble, if they have one of their own */
    agents?: string[];
    /** of the config, or of the preamble */
    line: number;
    /** the first release that is known to refuse it */
    since: string;
    detail: string;
    /** what to write instead */
    instead: string;
  }[];
  /** the first one first; with several agents, the other fields report the worst of them */
  agents: Agent[];
  /** the proxy and the file on disk match the stored state, apart from vhosts in `broken`; or the checks of a change are running */
  inStep: boolean;
  /** the proxy serves sites that this hub did not publish */
  foreign: boolean;
  /** another program changed the file on disk */
  drift: boolean;
  /** a failed start may have left listeners open */
  restartNeeded: boolean;
  lastPublish: {
    at: Timestamp;
    milliseconds: number;
    changes: number;
  } | null;
  /** what keeps sites and policies as they are besides people */
  sources: {
    name: string;
    sites: number;
    policies: number;
    /** how many of them were changed since: its next apply undoes that */
    differing: number;
  }[];
  /** warnings for the operator */
  warnings: string[];
  /** stored vhosts that are not served: the proxy refuses them, or could not open their port */
  broken: {
    id: number;
    domain: string;
    /** whose proxies do not serve it; only if the hub has several agents */
    agents?: string[];
    detail: string;
  }[];
  /** certificates that expire within 14 days, overdue ones first, at most 100; those of the proxy’s own authority, and others that are renewed every few days, only if they are overdue; empty if the agent or the proxy does not respond */
  certificates: {
    /** of the vhost */
    id: number;
    /** of the vhost */
    domain: string;
    /** whose proxy has it; only if the hub has several agents */
    agent?: string;
    /** the host name that the certificate is for */
    name: string;
    issuer: string;
    notAfter: Timestamp;
    /** whole days; negative if it has expired */
    daysLeft: number;
    /** not renewed automatically, or the proxy should have renewed it by now */
    overdue: boolean;
  }[];
}
export interface Problem {
  /** the same for the same problem as long as it is there, whatever its words */
  key: string;
  code:
    | 'PROXY_DOWN'
    | 'AGENT_UNREACHABLE'
    | 'PORT_HELD'
    | 'DISK_FULL'
    | 'NOT_IN_STEP'
    | 'PROGRAM_RETURNED'
    | 'FOREIGN'
    | 'SECRET_KEY_UNUSABLE'
    | 'VHOST_BROKEN'
    | 'UPSTREAM_DOWN'
    | 'CHECK_FAILING'
    | 'CERTIFICATE_EXPIRED'
    | 'CERTIFICATE_MISSING'
    | 'CERTIFICATE_ENDING'
    | 'RENEWAL_FAILED'
    | 'LABELS_REFUSED'
    | 'DRIFT'
    | 'BACKUP_FAILED'
    | 'RESTART_NEEDED'
    | 'SIGN_IN_LOCKED'
    | 'CHANNEL_FAILING'
    | 'WARNING'
    | 'ADVISORY';
  level: Level;
  vhost?: VhostName;
  /** if it affects several, such as an upstream that they share */
  vhosts?: VhostName[];
  since: Timestamp;
  /** whose proxies it is about; only if the hub has several agents */
  agents?: string[];
  /** for people: the cause, and the fix if there is one */
  message: string;
  /** only if someone said that they know of it: it is announced to no channel, and counted nowhere */
  known?: {
    until: Timestamp | null;
    /** who said so */
    by: string;
  };
}
/** if it affects only one */
export interface VhostName {
  id: number;
  domain: string;
}
export interface Summary {
  /** enabled vhosts */
  sites: number;
  /** those with a problem of the level `bad`, and those of a proxy that is down; unknown facts are left out */
  sitesDown: number;
  /** as in `/status`, without notices and those that are known */
  problems: number;
  /** host names whose certificate expires within 14 days, as in `/status` */
  certificatesDue: number;
  proxies: number;
  /** those that do not answer, or whose agent does not */
  proxiesDown: number;
}
export interface Moved {
  serving: Serving | null;
}
export interface Incident {
  id: number;
  event: EventName;
  /** if it is about one */
  vhost?: VhostName;
  /** if it is about one, and the hub had several when it began */
  agent?: string;
  /** `bad`: it affects visitors or changes */
  level: 'bad' | 'warn';
  /** for people: the cause, and the fix if there is one */
  message: string;
  beganAt: Timestamp;
  overAt: Timestamp | null;
  /** it was not resolved: its site was deleted or disabled, or its agent removed, so that nobody watches it any more */
  dropped?: true;
  /** it began so often that it counts as resolved only after ten minutes without it */
  flapping: boolean;
  /** only if someone said that they know of it: it is announced to no channel, and counted nowhere */
  known?: {
    until: Timestamp | null;
    /** who said so */
    by: string;
  };
}
export interface Event {
  event: EventName;
  meaning: string;
}
export interface ChangelogEntry {
  id: number;
  userId: string;
  userName: string;
  action: 'create' | 'update' | 'delete' | 'toggle';
  domain: string;
  /** null for viewers */
  diff: string | null;
  /** the new state after a toggle; null for other actions */
  enabled: boolean | null;
  createdAt: Timestamp;
  /** the API token that made the change */
  via: string | null;
  /** the agents that were unreachable */
  behind?: string[];
  /** the same for all changes of one request */
  group: number;
}
export interface ChangelogGroup {
  group: number;
  userId: string;
  userName: string;
  /** the API token that made the change */
  via: string | null;
  createdAt: Timestamp;
  /** what the request did, in one line for people */
  summary: string;
  /** all its changes, also those that a filter leaves out */
  count: number;
  /** the first five of its changes that pass the filter */
  entries: ChangelogEntry[];
}
export interface Preamble {
  config: string;
  updatedAt: Timestamp;
  /** of an agent: whether it has a separate one, or the common one */
  own?: boolean;
}
export interface ChangedPreamble extends Preamble {
  /** the unreachable agents: their proxies serve their previous sites until the agents return */
  behind?: string[];
  /** the sites whose checks ran only once the change was live (`NOT_TRIED`), websockets that stay open (`STILL_OPEN`), and of an import what can hardly be meant */
  warnings?: Warning[];
}
export interface Snapshot {
  version: 1;
  preamble: string;
  policies?: {
    name: string;
    recipe: string;
    /** with bcrypt hashes in place of passwords */
    values: Values;
    /** whether it applies to every vhost, also to new ones, unless a vhost names it in `except`; it comes before the policies of the vhost */
    everywhere?: boolean;
    source?: string | null;
  }[];
  vhosts: SnapshotSite[];
}
export interface SnapshotSite {
  domain: string;
  config: string;
  upstream: string;
  enabled: boolean;
  /** the names of policies, in the order in which they come before the config */
  policies?: string[];
  /** the names of policies that apply to every site (`everywhere`), but not to this one; what `policies` names applies all the same */
  except?: string[];
  /** any words to find the vhost by; the proxy does not see them: at most 20 of 40 characters */
  tags?: string[];
  /** the names of the agents whose proxies serve it; if empty: all */
  agents?: string[];
  check?: Check | null;
  source?: string | null;
}
export interface Restored extends Snapshot {
  /** the unreachable agents: their proxies serve their previous sites until the agents return */
  behind?: string[];
  /** the sites whose checks ran only once the change was live (`NOT_TRIED`), websockets that stay open (`STILL_OPEN`), and of an import what can hardly be meant */
  warnings?: Warning[];
}
export interface Verified {
  token: string;
  user: User;
}
export interface AuthenticationOptions {
  challenge: string;
  rpId?: string;
  userVerification: 'required';
  [k: string]: unknown;
}
export interface SignedInByPasskey {
  session: Session;
  user: User;
}
export interface Visit {
  url: string;
  /** what `disableRedirect` is not */
  redirect: boolean;
}
export interface AccountUnlinked {
  status: true;
}
export interface TwoFactorBegun {
  method: 'totp';
  totpURI: string;
  backupCodes: string[];
}
export interface TwoFactorDisabled {
  status: true;
}
export interface RecoveryCodes {
  status: true;
  backupCodes: string[];
}
export interface TotpUri {
  totpURI: string;
}
export interface Passkey {
  id: string;
  name: string;
  userId: string;
  /** COSE, in Base64 */
  publicKey: string;
  credentialID: string;
  counter: number;
  deviceType: string;
  /** synchronised by its provider */
  backedUp: boolean;
  /** separated by commas */
  transports: string;
  /** the model of the authenticator */
  aaguid: string;
  createdAt: Timestamp;
  lastUsedAt: Timestamp | null;
}
export interface RegistrationOptions {
  challenge: string;
  rp: {
    id?: string;
    name: string;
  };
  user: {
    id: string;
    name: string;
    displayName: string;
  };
  pubKeyCredParams: {
    type: string;
    alg: number;
  }[];
  [k: string]: unknown;
}
export interface PasskeyRenamed {
  passkey: Passkey;
}
export interface PasskeyDeleted {
  status: true;
}
export interface KeptCertificate {
  id: number;
  name: string;
  /** the host names it is valid for */
  names: string[];
  issuer: string;
  /** hexadecimal */
  serial: string;
  notBefore: Timestamp;
  notAfter: Timestamp;
  source: 'upload' | 'dns';
  /** of DNS, if the hub obtains it itself */
  provider?: string;
  /** when the hub renews it, or tries again */
  renewsAt?: Timestamp;
  /** why the last renewal failed, for people; not for viewers */
  lastError?: string;
  /** when it did */
  failedAt?: Timestamp;
  /** why some devices may refuse it, for people */
  warning?: string;
  /** the ids of the vhosts that are served with it, unless they have a `tls` of their own */
  sites: number[];
  createdAt: Timestamp;
  updatedAt: Timestamp;
}
export interface ChangedKeptCertificate extends KeptCertificate {
  /** the unreachable agents: their proxies serve their previous sites until the agents return */
  behind?: string[];
  /** the sites whose checks ran only once the change was live (`NOT_TRIED`), websockets that stay open (`STILL_OPEN`), and of an import what can hardly be meant */
  warnings?: Warning[];
}
export interface DnsProviders {
  /** Whether the hub has a lego. */
  available: boolean;
  /** Why not, and what helps. */
  reason?: string;
  /** The most common ones first. */
  providers: {
    id: string;
    title: string;
    fields: {
      /** The variable of lego, a key of `credentials`. */
      name: string;
      /** In lego’s words. */
      description: string;
      /** Hardly anybody needs it. */
      advanced?: boolean;
    }[];
  }[];
}
export interface Backups {
  /** whether BACKUP_DIR is set */
  enabled: boolean;
  keep: number | null;
  /** whether BACKUP_PASSPHRASE is set */
  sealed: boolean;
  succeededAt: Timestamp | null;
  failure: {
    since: Timestamp;
    reason: string;
  } | null;
  /** why the last restore came to nothing after its 202; null: it did not */
  notRestored: string | null;
  /** why the backups cannot be listed; null: they can */
  unreadable: string | null;
  /** the newest first, also those of other hubs */
  backups: Backup[];
}
export interface Backup {
  /** of its file */
  name: string;
  madeAt: Timestamp;
  bytes: number;
  /** the key of the hub in it: `sealed` by a passphrase, in `clear`, or `none` if the hub had none */
  key: 'none' | 'clear' | 'sealed';
  /** of the database’s schema */
  version: number;
  /** whether this hub made it */
  own: boolean;
}
export interface RestoredBackup {
  restarting: true;
  sites: number;
  accounts: number;
}
export interface ReplayState {
  state: 'running' | 'done' | 'failed';
  /** distinct requests that were compared */
  done: number;
  /** distinct requests that will be; 0 while they are being chosen */
  of: number;
  same: number;
  differ: number;
  /** what differs, the most serious first */
  groups: ReplayGroup[];
  /** what was not compared, and why */
  leftOut: {
    reason: string;
    /** how often such requests came */
    count: number;
  }[];
  /** why it failed */
  detail?: string;
}
export interface ReplayGroup {
  /** the name of the site, maybe with `*`; `*`: one that answers to any; empty: none */
  domain: string;
  /** distinct ones */
  requests: number;
  /** how often they came */
  count: number;
  /** distinct addresses */
  visitors: number;
  before: Reply;
  after: Reply;
  /** it is so only for visitors who are signed in */
  signedIn?: true;
  /** @maxItems 5 */
  examples: {
    method: string;
    /** without its query */
    path: string;
    ip: string;
    /** of the newest */
    timestamp: string;
  }[];
  /** if there are several */
  agent?: string;
}
/** the response, of the first example where those of a group differ; what is optional is left out unless it changes */
export interface Reply {
  /** null: there would be no response */
  status: number | null;
  /** the upstream that would answer; null: Caddy itself; several with a space between */
  to: string | null;
  location: string | null;
  /** no site has the host: the response is empty */
  noSite?: true;
  /** that the upstream would be asked for */
  path?: string;
  /** the headers that a sign-in service adds, as the upstream gets them */
  user?: string;
  /** `WWW-Authenticate` */
  authenticate?: string;
  /** `Retry-After` */
  retryAfter?: string;
  /** bytes of a file */
  length?: number;
  /** `Content-Type` of a file */
  type?: string;
}
export interface Programs {
  agent: string;
  /** null if Caddy’s program cannot be asked */
  current: {
    sha256: string;
    /** null for a build from source */
    version: string | null;
    modules: string[];
    /** when it began to run; null if that is not known, or it never ran */
    since: string | null;
    /** those of its modules that are not in stock Caddy */
    plugins: string[];
  } | null;
  /** those that are kept to go back to, the last first */
  previous: {
    sha256: string;
    /** null for a build from source */
    version: string | null;
    modules: string[];
    /** when it began to run; null if that is not known, or it never ran */
    since: string | null;
    /** those of its modules that are not in stock Caddy */
    plugins: string[];
  }[];
  /** if it ends before then, the previous one runs again */
  probation: {
    until: string;
  } | null;
  /** whether the agent runs Caddy, and can exchange it */
  managed: boolean;
  /** if not, the command for the machine that Caddy runs on */
  command: string | null;
  /** those that affect its version; null if that is not known */
  advisories:
    | {
        id: string;
        summary: string;
        fixedIn: string;
      }[]
    | null;
  /** a version that no known advisory affects */
  safe: string;
  /** the modules that are not in stock Caddy and that live sites use; null: not known */
  uses:
    | {
        module: string;
        /** by their domains */
        sites: string[];
        /** whether the preamble, for example, uses it */
        elsewhere: boolean;
      }[]
    | null;
  /** after an exchange: what is otherwise, but not worse */
  differences?: {
    /** the name of the site; empty: of none */
    domain: string;
    reason: string;
  }[];
  /** after an exchange: logged requests that could not be asked again */
  leftOut?: {
    reason: string;
    count: number;
  }[];
}
export interface ApplyAnswer {
  /** empty if everything is as the document says */
  changes: {
    op: 'create' | 'update' | 'delete' | 'adopt';
    kind: 'site' | 'policy';
    name: string;
    /** that change; of `update` and `adopt` */
    fields: string[];
  }[];
  /** of the Caddyfile, in the format of `diff -u` */
  diff: string;
  /** whether the proxies got a new configuration, or with `dryRun` would get it */
  published: boolean;
  /** of the plan, for `expects` */
  digest: string;
  /** of the entries in the changelog, if there are any */
  group?: number;
  /** the unreachable agents: their proxies serve their previous sites until the agents return */
  behind?: string[];
  /** the sites whose checks ran only once the change was live (`NOT_TRIED`), websockets that stay open (`STILL_OPEN`), and of an import what can hardly be meant */
  warnings?: Warning[];
  /** the id of the replay that `replay=true` started */
  replay?: string;
}
export interface Container {
  /** beside whose proxy it is */
  agent: string;
  name: string;
  image: string;
  /** as the engine has it, such as `running` or `exited` */
  state: string;
  /** its IP addresses */
  addresses: string[];
  ports: {
    /** inside the container; TCP only */
    port: number;
    /** by which the proxy reaches it, such as `127.0.0.1:8080`; null: it does not */
    address: string | null;
    /** whether a port of the host leads to it */
    published: boolean;
  }[];
  /** by which the proxy reaches any of its ports, also those it does not list, as in a URL; null: it does not */
  host: string | null;
  /** why the proxy reaches none of its ports, and what to do; null if it reaches one, or any */
  unreached: string | null;
  labels: {
    [k: string]: string;
  };
  /** the vhost that its labels ask for, the first of several; null: there is none */
  site: {
    id: number;
  } | null;
  /** why there is none, or why it is not as the labels say; null: it is */
  reason: string | null;
}
export interface Channel {
  id: number;
  name: string;
  kind: 'ntfy' | 'gotify' | 'smtp' | 'webhook';
  enabled: boolean;
  /** the events it gets; if empty: all that can be resolved */
  events: EventName[];
  quiet: QuietHours | null;
  target: ChannelTarget;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  /** messages not delivered yet */
  waiting: number;
  /** if messages could not be delivered */
  failing: {
    since: Timestamp;
    /** why the last attempt failed */
    detail: string;
  } | null;
}
/** hours in which messages are held */
export interface QuietHours {
  from: string;
  /** may be on the next day */
  to: string;
  /** of the IANA database */
  timeZone: string;
}
/** the stored fields, masked; none if the hub’s key is lost */
export interface ChannelTarget {
  /** scheme and host, then *** */
  url?: string;
  /** *** */
  topic?: string;
  /** *** */
  token?: string;
  host?: string;
  security?: 'starttls' | 'tls' | 'none';
  port?: number;
  /** a***@example.org, or *** */
  user?: string;
  /** *** */
  password?: string;
  /** a***@example.org */
  from?: string;
  /** a***@example.org */
  to?: string;
  /** *** */
  secret?: string;
}
export interface NewChannelAnswer extends Channel {
  /** if the hub generated it; shown only once, in this response */
  secret?: string;
}
export interface Delivery {
  id: number;
  channel: {
    id: number;
    name: string;
  };
  state: 'began' | 'over' | 'flapping' | 'test';
  /** null for a test */
  event: EventName | null;
  /** a domain or an agent; empty for the hub */
  about: string;
  level: 'bad' | 'warn';
  message: string;
  at: Timestamp;
  /** failed: there is no further attempt */
  outcome: 'waiting' | 'sent' | 'failed';
  attempts: number;
  /** not sent before this time, for example because of quiet hours */
  dueAt: Timestamp;
  sentAt: Timestamp | null;
  /** why the last attempt failed */
  error: string | null;
  /** the same for messages sent as a digest */
  digest: string | null;
}
export interface ImportAnswer {
  preamble: string;
  vhosts: {
    id: number | null;
    domain: string;
    config: string;
    upstream: string;
  }[];
  skipped: {
    line: number;
    reason: string;
  }[];
  proxyfile: string;
  merge: {
    /** the sites of the file; `keep`: the same vhost already exists */
    sites: {
      domain: string;
      action: 'create' | 'keep' | 'skip' | 'replace';
      /** the vhosts that have its addresses */
      vhosts: {
        id: number;
        domain: string;
        enabled: boolean;
      }[];
      /** from their blocks to the block of the file */
      diff: string;
    }[];
    preamble: {
      /** of an option, a `(snippet)` or a `&(named route)` */
      name: string;
      state: 'same' | 'differs' | 'new' | 'kept';
      side: 'keep' | 'file';
      /** from the text of the hub to that of the file */
      diff: string;
    }[];
  };
  /** the unreachable agents: their proxies serve their previous sites until the agents return */
  behind?: string[];
  /** the sites whose checks ran only once the change was live (`NOT_TRIED`), websockets that stay open (`STILL_OPEN`), and of an import what can hardly be meant */
  warnings?: Warning[];
  /** the id of the replay that `replay=true` started */
  replay?: string;
}
export interface NpmImportAnswer extends ImportAnswer {
  /** what behaves otherwise, or is left to do: nothing goes unsaid */
  notes: {
    /** of the site that it is about; null: of none, such as a stream */
    domain: string | null;
    level: 'info' | 'warning' | 'error';
    text: string;
  }[];
}
export interface UptimeBars {
  id: number;
  day: {
    /** of right answers, from 0 to 1; null: it was not asked */
    share: number | null;
    /**
     * each of the last 24 hours, oldest first
     *
     * Items: of right answers, from 0 to 1; null: it was not asked
     */
    bars: (number | null)[];
  };
  month: {
    /** of right answers, from 0 to 1; null: it was not asked */
    share: number | null;
    /**
     * each of the last 30 times 24 hours, oldest first
     *
     * Items: of right answers, from 0 to 1; null: it was not asked
     */
    bars: (number | null)[];
  };
}
export interface VhostUptime {
  /** the hours in which it was asked, oldest first; the last one is not over */
  buckets: {
    from: Timestamp;
    asked: number;
    failed: number;
    /** milliseconds of the right answers; null if there were none */
    p50: number | null;
    /** milliseconds of the right answers; null if there were none */
    p95: number | null;
  }[];
  /** of right answers, from 0 to 1; null: it was not asked */
  share: number | null;
}
export interface Verdict {
  valid: boolean;
  detail: string | null;
  /** one sentence on how to fix it */
  hint: string | null;
  line: number | null;
  /** the policy whose text is at fault, and the field at fault */
  policy?: {
    name: string;
    field?: string;
  };
  proxyfile: string;
  diff: string;
  /** the vhosts affected by a change of a policy; none for other changes */
  vhosts: VhostName[];
  /** what the proxy accepts in the vhosts, and can hardly be meant; if anything */
  warnings?: Warning[];
  /** with `try=true`: how the enabled vhosts of the change would answer, at most 50 of them; none if the change would be refused */
  tried?: {
    vhost: {
      /** null: it would be created */
      id: number | null;
      domain: string;
    };
    /** if there are several */
    agent?: string;
    /** whether its check would pass; without a check, whether it would answer */
    passed: boolean;
    /** null: there was no response */
    status: number | null;
    /** the response in words, for people */
    detail: string;
  }[];
}
