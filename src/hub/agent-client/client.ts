/** The hub's one door to the agent. */
import { getSchemaValidator, type Static, type TSchema } from 'elysia';
import { createEndableStreams } from '../../shared/async.ts';
import { Failure } from '../../shared/failure.ts';
import { joinedIds, REQUEST_ID } from '../../shared/observe/context.ts';
import {
  type ActivityQuery,
  AdaptAnswer,
  AgentErrorBody,
  Health,
  LogActivity,
  LogPage,
  type LogQuery,
  LogStats,
  ProxyStatus,
  ReloadAnswer,
  type StatsQuery,
  type TailQuery,
  ValidateAnswer,
} from '../../shared/wire.ts';
import { CertificatesAnswer, SitesAnswer } from '../../shared/wire-state.ts';
import { type AgentTrust, createAgentTls } from './trust.ts';

export type AgentClient = ReturnType<typeof createAgentClient>;
export type AgentClientDeps = {
  /** Where the agent listens, `http://127.0.0.1:3002`. */
  url: string;
  token: string;
  /** Whose certificate is believed; null: those of the public authorities. */
  trust?: AgentTrust | null;
  /** Milliseconds to wait for a publish; longer than the agent's own 30 s towards Caddy. */
  deadline?: number;
};

const DEADLINE_MS = 45_000;
const STATUS_DEADLINE_MS = 10_000;

/** The agent's refusals that a caller shall hear as they are. */
const PASSED_ON = [
  'PROXY_REJECTED',
  'PROXY_UNREACHABLE',
  'STALE',
  'STORAGE_UNAVAILABLE',
  'INVALID_REQUEST',
] as const;

export function createAgentClient({
  url,
  token,
  trust = null,
  deadline = DEADLINE_MS,
}: AgentClientDeps) {
  const tlsOf = createAgentTls(url, trust);
  const authorization = { Authorization: `Bearer ${token}` };
  const tails = createEndableStreams();

  async function call<T extends TSchema>(
    schema: T,
    path: string,
    init: { body?: unknown; deadline?: number } = {},
  ): Promise<Static<T>> {
    let answer: unknown;
    let ok: boolean;
    try {
      const tls = await tlsOf();
      const response = await fetch(`${url}${path}`, {
        method: init.body === undefined ? 'GET' : 'POST',
        headers: { ...authorization, ...onBehalf(), 'Content-Type': 'application/json' },
        ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
        redirect: 'error',
        ...(tls === null ? {} : { tls }),
        signal: AbortSignal.timeout(init.deadline ?? deadline),
      });
      ok = response.ok;
      answer = await response.json();
    } catch (cause) {
      throw unreachable('The agent does not answer.', cause);
    }
    if (ok && getSchemaValidator(schema).Check(answer)) return answer as Static<T>;
    throw refusalOf(answer);
  }

  return {
    /** Makes `proxyfile` live; only `probe` is validated where there is one. @throws Failure PROXY_REJECTED, PROXY_UNREACHABLE, AGENT_UNREACHABLE */
    reload: (proxyfile: string, probe?: string) =>
      call(ReloadAnswer, '/proxy/reload', { body: { proxyfile, probe } }),

    /** Asks whether the proxy would take `proxyfile`, and its `ports` could be had. @throws as reload */
    validate: (proxyfile: string, ports = true) =>
      call(ValidateAnswer, '/proxy/validate', { body: { proxyfile, ports } }),

    /** What `proxyfile` means to the proxy, as JSON. @throws as reload */
    adapt: (proxyfile: string) => call(AdaptAnswer, '/proxy/adapt', { body: { proxyfile } }),

    /** @throws Failure AGENT_UNREACHABLE */
    status: (deadline = STATUS_DEADLINE_MS) => call(ProxyStatus, '/proxy/status', { deadline }),

    /** Whether it answers within `deadline` milliseconds. */
    answers: (deadline: number): Promise<boolean> =>
      call(Health, '/health', { deadline }).then(
        () => true,
        () => false,
      ),

    /** What the proxy knows of its sites, or of those names. @throws Failure AGENT_UNREACHABLE, PROXY_UNREACHABLE */
    sites: (names?: readonly string[]) =>
      call(SitesAnswer, '/proxy/sites', { body: { names }, deadline: STATUS_DEADLINE_MS }),

    /** The certificates alone. @throws as sites */
    certificates: () =>
      call(CertificatesAnswer, '/proxy/certificates', { deadline: STATUS_DEADLINE_MS }),

    /** A page of the access log. @throws Failure AGENT_UNREACHABLE, INVALID_REQUEST */
    logs: (query: LogQuery) =>
      call(LogPage, `/logs?${new URLSearchParams(query as Record<string, string>)}`),

    /**
     * What is written to the access log from now on, or after an event, as server-sent events.
     * @throws as logs, before the stream begins
     */
    async tail(query: TailQuery, lastEventId: string | null): Promise<ReadableStream<Uint8Array>> {
      const stopping = new AbortController();
      const { signal } = stopping;
      const late = setTimeout(() => stopping.abort(), STATUS_DEADLINE_MS);
      const path = `/logs/tail?${new URLSearchParams(query as Record<string, string>)}`;
      const headers = {
        ...authorization,
        ...onBehalf(),
        ...(lastEventId && { 'Last-Event-ID': lastEventId }),
      };
      let refusal: unknown;
      try {
        const tls = await tlsOf();
        const response = await fetch(`${url}${path}`, {
          headers,
          redirect: 'error',
          signal,
          ...(tls === null ? {} : { tls }),
        });
        const type = response.headers.get('content-type') ?? '';
        if (response.ok && response.body && type.startsWith('text/event-stream')) {
          const reader = response.body.getReader();
          return tails.open({
            // An agent that goes away looks like the end: the reader comes back to where it was.
            next: () =>
              reader.read().then(
                ({ value }) => value,
                () => undefined,
              ),
            stop: () => stopping.abort(),
          });
        }
        refusal = await response.json();
      } catch (cause) {
        throw unreachable('The agent does not answer.', cause);
      } finally {
        clearTimeout(late);
      }
      throw refusalOf(refusal);
    },

    /** Ends the tails, which a server that stops would wait for. */
    endTails: tails.end,

    /** Requests over time of each domain. @throws as logs */
    activity: (query: ActivityQuery) =>
      call(LogActivity, `/logs/activity?${new URLSearchParams(query as Record<string, string>)}`),

    /** Numbers over time. @throws as logs */
    stats: (query: StatsQuery) =>
      call(LogStats, `/logs/stats?${new URLSearchParams(query as Record<string, string>)}`),
  };
}

/** Tells the agent which requests a call is made for. */
function onBehalf(): Record<string, string> {
  const ids = joinedIds();
  return ids === undefined ? {} : { [REQUEST_ID]: ids };
}

function refusalOf(answer: unknown): Failure {
  if (isErrorBody(answer)) {
    const code = PASSED_ON.find((known) => known === answer.code);
    const { message, words, line } = answer;
    if (code) return new Failure(code, message, { detail: words, at: { line } });
    if (answer.code === 'UNAUTHENTICATED') {
      return unreachable('The agent does not take our token.', answer.code);
    }
  }
  return unreachable('The agent gave an answer that cannot be understood.', answer);
}

const isErrorBody = (answer: unknown): answer is AgentErrorBody =>
  getSchemaValidator(AgentErrorBody).Check(answer);

const unreachable = (message: string, cause: unknown) =>
  new Failure('AGENT_UNREACHABLE', message, { cause });
