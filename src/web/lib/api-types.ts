/** What the API answers, generated from the OpenAPI document. Do not edit; run `bun run types`. */

/** The successful answer to each operation. */
export interface Answers {
  getHealth: Health;
  signOut: Success;
  getSession: SignedIn | null;
  signUpEmail: SignedUp;
  signInEmail: SignedInAgain;
  listSessions: SignedInSession[];
  endSession: Success;
  changePassword: PasswordChanged;
  listUsers: User[];
  createUser: User;
  deleteUser: Success;
  listTokens: ApiToken[];
  createToken: NewApiToken;
  deleteToken: Success;
  listVhostStates: VhostState[];
  getVhostState: VhostState;
  listVhostActivity: VhostActivity;
  listVhosts: Vhost[];
  createVhost: Vhost;
  getVhost: Vhost;
  deleteVhost: Success;
  updateVhost: Vhost;
  toggleVhost: Vhost;
  bulkVhosts: {
    results: (Vhost | Success)[];
  };
  listLogs: LogPage;
  getLogStats: LogStats;
  getStatus: Status;
  listChangelog: ChangelogEntry[];
  revertChangelogEntry: Success;
  getPreamble: Preamble;
  updatePreamble: Preamble;
  exportConfiguration: Snapshot;
  preview: Verdict;
  importProxyfile: ImportAnswer;
  restoreConfiguration: Snapshot;
  getOpenapi: {
    openapi: string;
    [k: string]: unknown;
  };
}
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
  /** ISO 8601 UTC with milliseconds */
  expiresAt: string;
  /** ISO 8601 UTC with milliseconds */
  createdAt: string;
  /** ISO 8601 UTC with milliseconds */
  updatedAt: string;
  ipAddress: string;
  userAgent: string;
}
export interface User {
  id: string;
  name: string;
  email: string;
  emailVerified: false;
  image: null;
  /** ISO 8601 UTC with milliseconds */
  createdAt: string;
  /** ISO 8601 UTC with milliseconds */
  updatedAt: string;
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
export interface SignedInSession {
  id: string;
  /** the session that made this request */
  current: boolean;
  ipAddress: string;
  userAgent: string;
  /** ISO 8601 UTC with milliseconds */
  createdAt: string;
  /** ISO 8601 UTC with milliseconds */
  updatedAt: string;
  /** ISO 8601 UTC with milliseconds */
  expiresAt: string;
}
export interface PasswordChanged {
  token: string | null;
  user: User;
}
export interface ApiToken {
  id: string;
  name: string;
  scope: 'read' | 'write';
  /** ISO 8601 UTC with milliseconds */
  expiresAt: string | null;
  /** ISO 8601 UTC with milliseconds */
  lastUsedAt: string | null;
  /** ISO 8601 UTC with milliseconds */
  createdAt: string;
}
export interface NewApiToken {
  id: string;
  name: string;
  scope: 'read' | 'write';
  /** ISO 8601 UTC with milliseconds */
  expiresAt: string | null;
  /** ISO 8601 UTC with milliseconds */
  lastUsedAt: string | null;
  /** ISO 8601 UTC with milliseconds */
  createdAt: string;
  /** shown only once, in this response */
  token: string;
}
export interface VhostState {
  id: number;
  domain: string;
  enabled: boolean;
  /** why the proxy does not serve it, or not at all of its addresses */
  problem: string | null;
  /** where the vhost is reached, in the order of its block */
  addresses: {
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
    } | null;
    /** why there is no certificate */
    reason: string | null;
    /** when the agent last asked the proxy for the certificate; null if it has not */
    checkedAt: string | null;
    /** the proxy obtains and renews the certificate automatically */
    automated: boolean;
  }[];
  upstreams: {
    /** as in the configuration */
    address: string;
    /** null if the proxy does not check its health and no request has failed */
    up: boolean | null;
    /** currently open */
    requests: number | null;
    /** failures that the proxy remembers; it counts them only with passive health checks */
    fails: number | null;
    /** why it is down, if the proxy said so */
    error: {
      /** ISO 8601 UTC with milliseconds */
      at: string;
      message: string;
    } | null;
  }[];
  /** the last error of each kind */
  errors: {
    acme: {
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
    } | null;
    upstream: {
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
    } | null;
  };
}
export interface VhostActivity {
  from: string | null;
  to: string | null;
  buckets: number;
  /** not all of the log was read */
  partial?: true;
  /** the vhosts that had requests; matched by host name, on any port */
  vhosts: {
    id: number;
    /** one number per bucket */
    requests: number[];
    /** one number per bucket */
    status4xx: number[];
    /** one number per bucket */
    status5xx: number[];
  }[];
}
export interface Vhost {
  id: number;
  domain: string;
  config: string;
  enabled: boolean;
  upstream: string;
  /** ISO 8601 UTC with milliseconds */
  createdAt: string;
  /** ISO 8601 UTC with milliseconds */
  updatedAt: string;
}
export interface LogPage {
  logs: LogEntry[];
  total: number;
  page: number;
  pageSize: number;
  /** not all of the log was read: there may be more, older entries */
  partial?: true;
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
  /** only if asked for: all that the proxy wrote about the request, without cookies and credentials */
  details?: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^(.*)$".
     */
    [k: string]: unknown;
  };
  /** with the details: what went wrong, in the proxy’s words */
  error?: string;
}
export interface LogStats {
  /** ISO 8601; null if there are no entries */
  from: string | null;
  to: string | null;
  requests: number;
  buckets: {
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
  }[];
  /** the ten with the most requests; only the first 16,384 domains are counted */
  domains: {
    domain: string;
    requests: number;
  }[];
  statuses: {
    status: number;
    requests: number;
  }[];
  /** of the newest requests in the range; partial if there are more */
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
    partial?: true;
  };
  /** not all of the log was read */
  partial?: true;
}
export interface Status {
  version: string;
  commit: string | null;
  uptimeSeconds: number;
  agent: {
    reachable: boolean;
    latencyMs: number | null;
  };
  proxy: {
    running: boolean;
    version: string | null;
  };
  /** security advisories that affect the proxy's version, from a table of 2026-11-21; null if the version is unknown */
  advisories:
    | {
        id: string;
        summary: string;
        fixedIn: string;
      }[]
    | null;
  /** how to get a version without them; null if there are none */
  upgrade: string | null;
  /** the proxy and the file on disk match what is stored, apart from what is in `broken` */
  inStep: boolean;
  /** the proxy serves sites that this hub did not publish */
  foreign: boolean;
  /** another program changed the file on disk */
  drift: boolean;
  /** a failed start may have left listeners open */
  restartNeeded: boolean;
  lastPublish: {
    /** ISO 8601 UTC with milliseconds */
    at: string;
    milliseconds: number;
    changes: number;
  } | null;
  /** what the operator should know */
  warnings: string[];
  /** stored vhosts that are not served: the proxy refuses them, or could not open their port */
  broken: {
    id: number;
    domain: string;
    detail: string;
  }[];
  /** certificates that expire within 14 days, overdue ones first, at most 100; empty if the agent or the proxy does not respond */
  certificates: {
    /** of the vhost */
    id: number;
    /** of the vhost */
    domain: string;
    /** the host name that the certificate is for */
    name: string;
    issuer: string;
    /** ISO 8601 UTC with milliseconds */
    notAfter: string;
    /** whole days; negative if it has expired */
    daysLeft: number;
    /** not renewed automatically, or the proxy should have renewed it by now */
    overdue: boolean;
  }[];
}
export interface ChangelogEntry {
  id: number;
  userId: string;
  userName: string;
  action: 'create' | 'update' | 'delete' | 'toggle';
  domain: string;
  diff: string | null;
  /** ISO 8601 UTC with milliseconds */
  createdAt: string;
  /** the API token that made the change */
  via: string | null;
}
export interface Preamble {
  config: string;
  /** ISO 8601 UTC with milliseconds */
  updatedAt: string;
}
export interface Snapshot {
  version: 1;
  preamble: string;
  vhosts: {
    domain: string;
    config: string;
    upstream: string;
    enabled: boolean;
  }[];
}
export interface Verdict {
  valid: boolean;
  detail: string | null;
  /** one sentence on how to fix it */
  hint: string | null;
  line: number | null;
  proxyfile: string;
  diff: string;
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
    /** the sites of the file; `keep`: the same vhost is there already */
    sites: {
      domain: string;
      action: 'create' | 'keep' | 'skip' | 'replace';
      /** those that have its addresses */
      vhosts: {
        id: number;
        domain: string;
        enabled: boolean;
      }[];
      /** from their blocks to that of the file */
      diff: string;
    }[];
    preamble: {
      /** of an option, a `(snippet)` or a `&(named route)` */
      name: string;
      state: 'same' | 'differs' | 'new' | 'kept';
      side: 'keep' | 'file';
      /** from the text here to that of the file */
      diff: string;
    }[];
  };
}
