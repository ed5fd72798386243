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
};

export type Preview = {
  valid: boolean;
  detail: string | null;
  line: number | null;
  proxyfile: string;
  diff: string;
};
