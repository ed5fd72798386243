/** What the API answers, as far as the dashboard reads it. */

export type User = { id: string; name: string; email: string; createdAt: string };
export type SessionAnswer = { user: User; session: { id: string; expiresAt: string } } | null;

export type Vhost = {
  id: number;
  domain: string;
  config: string;
  enabled: boolean;
  upstream: string;
  createdAt: string;
  updatedAt: string;
};

export type Status = {
  version: string;
  uptimeSeconds: number;
  agent: { reachable: boolean; latencyMs: number | null };
  proxy: { running: boolean; version: string | null };
  inStep: boolean;
  foreign: boolean;
  drift: boolean;
  restartNeeded: boolean;
  lastPublish: { at: string; milliseconds: number; changes: number } | null;
  warnings: string[];
  broken: { id: number; domain: string; detail: string }[];
  /** Those that expire within 14 days. */
  certificates: {
    id: number;
    domain: string;
    name: string;
    notAfter: string;
    daysLeft: number;
    /** Nothing renews it by itself, or the proxy should have done so by now. */
    overdue: boolean;
  }[];
};

/** `standing`: no later request was answered without an error. */
export type LastError = {
  name: string;
  at: string;
  message: string;
  standing: boolean;
  retryAt?: string;
} | null;

export type SiteState = {
  id: number;
  enabled: boolean;
  addresses: {
    name: string;
    port: number;
    served: boolean;
    tls: boolean;
    certificate: { issuer: string; notAfter: string; daysLeft: number } | null;
    reason: string | null;
    automated: boolean;
  }[];
  upstreams: {
    address: string;
    up: boolean | null;
    error: { at: string; message: string } | null;
  }[];
  errors: { acme: LastError; upstream: LastError };
};

export type Preview = {
  valid: boolean;
  detail: string | null;
  line: number | null;
  proxyfile: string;
  diff: string;
};
