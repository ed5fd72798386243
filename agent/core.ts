/** What a feature may rely on in the agent, and what it can bring there. */
import type { AnyElysia } from 'elysia';
import type { Log } from '../src/shared/log.ts';
import type { Collector } from '../src/shared/observe/metrics.ts';
import type { RequestSeen } from '../src/shared/observe/requests.ts';
import type { Paced } from '../src/shared/paced.ts';
import type { TrialCaddies } from './caddy/process/trial-caddy.ts';
import type { CaddyUser } from './caddy/process/user.ts';
import type { ProxyControl } from './caddy/proxy.ts';
import type { Logs } from './logs/logs.ts';
import type { Live } from './sites/live.ts';
import type { Prober } from './sites/upstreams/prober.ts';

/** The parts of the agent that are there before those of features. */
export type AgentCore = Readonly<{
  version: string;
  proxy: ProxyControl;
  /** Caddy's user; null: that of the agent. */
  user: CaddyUser | null;
  /** Starts Caddys that visitors do not reach. */
  trials: Pick<TrialCaddies, 'run'>;
  /** Caddy's access log. */
  accessLog: string;
  /** Reads it. */
  logs: Logs;
  /** Null: upstreams are not probed. */
  prober: Pick<Prober, 'results'> | null;
  /** The sites of the live configuration. @throws AdminUnreachable */
  live: Live['now'];
  /** Has the proxy's sites looked at again. */
  look: () => void;
  /** What tells the agent's own requests from visitors'. */
  userAgent: () => string;
  /** Each is called when a configuration is about to be live. */
  beforeReload: Set<() => void>;
  /** How many bytes a JSON body may have. */
  bodyLimit: number;
  /** Its intervals, at the pace of this agent. */
  paced: Paced;
  /** Shows a sentence in the status, by a key; null: no more. */
  warn: (key: string, sentence: string | null) => void;
  now: () => Date;
  log: Log;
}>;

export type AgentHalf = (core: AgentCore) => AgentPart;

export type AgentPart = Readonly<{
  /** They answer only with the agent's token. */
  routes?: AnyElysia;
  /** They answer anyone: they look by themselves at who asks. */
  openRoutes?: (given: OpenRoutesGiven) => AnyElysia;
  /** Values for each scrape of the metrics. */
  collect?: Collector;
  /** The cause of a request's error, in Caddy's words; null if it is not certain. */
  causeOf?: (error: string) => string | null;
  /** Hears of what the hub and others asked for. */
  observe?: AgentObserver;
  /** Before Caddy starts, so that it sees the very first entry of the access log. */
  begin?: () => void | Promise<void>;
  /** First of all, so that nobody who waits for an answer keeps the agent from stopping. */
  end?: () => void | Promise<void>;
}>;

type OpenRoutesGiven = Readonly<{
  /** Whether a request was made on this machine, or carries the agent's token. */
  isTrusted: (request: Request) => boolean;
  /** Those of all parts. */
  collectors: readonly Collector[];
}>;

export type AgentObserver = Readonly<{
  /** A request was answered. */
  request: (seen: RequestSeen) => void;
  /** The proxy was reloaded, or not, for what was thrown. */
  reload: (seen: { milliseconds: number; error?: unknown }) => void;
}>;
