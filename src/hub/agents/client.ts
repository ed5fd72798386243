/** The hub's only connection to the agent. */
import type { Static, TSchema } from 'elysia';
import type { EndableStreams } from '../../shared/async.ts';
import { exportFacts, type LogExport } from '../../shared/http.ts';
import type { BodyCall, Call } from '../../shared/wire/call.ts';
import {
  ChecksAnswer,
  type ChecksRequest,
  type RoundRequest,
  type TrialRequest,
} from '../../shared/wire/checks.ts';
import {
  type ActivityQuery,
  type ExportQuery,
  LogActivity,
  LogPage,
  type LogQuery,
  LogStats,
  type StatsQuery,
  type TailQuery,
} from '../../shared/wire/logs.ts';
import { LogSums, MergeAnswer, type MergeRequest } from '../../shared/wire/merge.ts';
import { Stored } from '../../shared/wire/protocol.ts';
import {
  AdaptAnswer,
  type KeptCertificate,
  PortsAnswer,
  ProxyStatus,
  ReloadAnswer,
  ValidateAnswer,
} from '../../shared/wire/proxy.ts';
import {
  AuthoritiesAnswer,
  CertificatesAnswer,
  ModulesAnswer,
  RootAnswer,
  SitesAnswer,
} from '../../shared/wire/sites.ts';
import { checked, inWords } from './answer.ts';
import {
  adaptedAnswer,
  authoritiesAnswer,
  checksAnswer,
  checksDeadline,
  DEADLINE_MS,
  LOG_ANSWER,
  roundDeadline,
  STATUS_DEADLINE_MS,
  sitesAnswer,
  trialDeadline,
} from './bounds.ts';
import { type AgentClientDeps, createCalls } from './calls.ts';
import { createStreams, type StreamReader } from './streams.ts';

/** What a publish may replace, and how. */
export type Replacing = Readonly<{
  /** The digest of what is live now; anything else is not replaced. */
  expects?: string | undefined;
  /** Whether it may replace what another hub published. */
  replace?: boolean;
  /** Whether the agent keeps a copy of the Caddyfile and, without `replace`, warns of withdrawn sites. */
  keep?: boolean;
  /** Whether to do without listeners that cannot be opened, until they can. */
  partial?: boolean | undefined;
  /** Those that the proxyfile names. */
  certificates?: KeptCertificate[];
}>;

/** What is undefined is left out. */
type Optionals<Query> = { [Name in keyof Query]: Query[Name] | undefined };

/** Every call rejects with Failure AGENT_UNREACHABLE if the agent does not answer, or not sensibly. */
export type AgentClient = {
  /**
   * Makes `proxyfile` live. If there is a `probe`, only that is validated.
   * @throws Failure PROXY_REJECTED, PROXY_UNREACHABLE, STALE, OTHER_HUB
   */
  reload(proxyfile: string, probe?: string, how?: Replacing): Promise<ReloadAnswer>;
  /**
   * Checks that the proxy would accept `proxyfile` and, unless `ports` is false, that its ports are
   * free. If there is a `probe`, only that is validated, and `reload` of the same two is faster then.
   * @throws Failure as `reload`
   */
  validate(
    proxyfile: string,
    how?: { ports?: boolean; probe?: string | undefined },
  ): Promise<Static<typeof ValidateAnswer>>;
  /** Converts `proxyfile` to the proxy's JSON. @throws Failure as `reload` */
  adapt(proxyfile: string): Promise<Static<typeof AdaptAnswer>>;
  /** @param deadline milliseconds */
  status(deadline?: number): Promise<ProxyStatus>;
  /** Whether the last call was not answered, and none has been since. */
  isSilent(): boolean;
  /**
   * Hands over the next token, which the agent has stored then. It accepts the one in use until the
   * next one is used for the first time.
   */
  rotate(token: string): Promise<void>;
  /** The last call: the agent accepts no token of this hub any more. @throws Failure OTHER_HUB */
  forget(): Promise<void>;
  /** Whether the agent answers within `deadline` milliseconds. Never rejects. */
  answers(deadline: number): Promise<boolean>;
  /**
   * What the proxy knows of its sites, or of those with the given names.
   * @param wait after a change: see `SitesRequest`
   * @param brief see `SitesRequest`; the answer is the same object as before, if it says the same
   * @throws Failure PROXY_UNREACHABLE
   */
  sites(
    names?: readonly string[],
    wait?: number,
    brief?: boolean,
  ): Promise<Static<typeof SitesAnswer>>;
  /**
   * Whether sites answer as they should, in the order of the request.
   * @throws Failure PROXY_UNREACHABLE
   */
  checks(request: ChecksRequest): Promise<ChecksAnswer>;
  /** The same between changes, each asked once. @throws as `checks` */
  round(request: RoundRequest): Promise<ChecksAnswer>;
  /**
   * How sites would answer that `proxyfile` has, tried in a proxy of its own.
   * @throws Failure as `reload`, and as `checks`
   */
  trial(request: TrialRequest): Promise<ChecksAnswer>;
  /** Only the certificates. @throws Failure as `sites` */
  certificates(): Promise<CertificatesAnswer>;
  /** The root of the proxy's own authority. @throws Failure as `sites` */
  root(): Promise<Static<typeof RootAnswer>>;
  /** Who would sign the certificates of `proxyfile`. @throws Failure as `reload` */
  authorities(proxyfile: string): Promise<AuthoritiesAnswer>;
  /** Who has ports 80 and 443. */
  ports(): Promise<PortsAnswer>;
  /** What the proxy was built with. */
  modules(deadline: number): Promise<Static<typeof ModulesAnswer>>;
  /** A call of a feature. @param signal ends it @throws Failure if the agent refuses it, or has no such route */
  ask<Query extends TSchema, Answer extends TSchema>(
    call: Call<Query, Answer>,
    query: Optionals<Static<Query>>,
    signal?: AbortSignal,
  ): Promise<Static<Answer>>;
  /** The same with a body. */
  send<Body extends TSchema, Answer extends TSchema>(
    call: BodyCall<Body, Answer>,
    body: Static<Body>,
  ): Promise<Static<Answer>>;
  /** A page of the access log as JSON text. @throws Failure INVALID_REQUEST */
  logs(query: LogQuery): Promise<string>;
  /**
   * Follows the access log as server-sent events, from now on or from after an event.
   * @throws Failure as `logs`, before the stream begins
   */
  tail(
    query: TailQuery,
    lastEventId: string | null,
    reader: StreamReader,
  ): Promise<ReadableStream<Uint8Array>>;
  /** All matches. @throws Failure as `logs`, before the stream begins */
  export(query: ExportQuery, reader: StreamReader): Promise<LogExport>;
  /** Opens a stream made of others, which `endStreams` ends too. */
  openStream: EndableStreams['open'];
  /** Ends all streams, which would keep a server from stopping; see `EndableStreams.end`. */
  endStreams(): number;
  /** Requests over time of each domain. @param deadline milliseconds @throws Failure as `logs` */
  activity(query: ActivityQuery, deadline?: number): Promise<LogActivity>;
  /** Statistics over time. @throws Failure as `logs` */
  stats(query: StatsQuery): Promise<LogStats>;
  /** Statistics to add to those of other agents. @throws Failure as `logs` */
  sums(query: StatsQuery): Promise<LogSums>;
  /** Entries to merge with those of other agents. @throws Failure as `logs` */
  merge(request: MergeRequest): Promise<MergeAnswer>;
};

export function createAgentClient(deps: AgentClientDeps): AgentClient {
  const { hub, term, deadline = DEADLINE_MS, countSites = () => 0 } = deps;
  const asker = () => ({ hub, term: term?.() });
  // A change may make others live while the agent is asked.
  const aboutSites = () => {
    const before = countSites();
    const limit = () => sitesAnswer(Math.max(before, countSites()));
    return { deadline: STATUS_DEADLINE_MS, limit };
  };
  const calls = createCalls(deps);
  const { call, answerTo, answers, isSilent } = calls;
  const streams = createStreams(calls);
  /** Of 10,000 sites, to read and keep the same again takes tens of megabytes. */
  let last: { hash: number | bigint; answer: Static<typeof SitesAnswer> } | null = null;

  /** Passes a page on as it is: to read and write it again takes longer than the agent needs for it. */
  async function pageOf(query: LogQuery): Promise<string> {
    const { ok, bytes } = await answerTo(withQuery('/logs', query), { limit: LOG_ANSWER });
    const text = new TextDecoder().decode(bytes);
    return ok && isPage(text) ? text : JSON.stringify(checked(LogPage, ok, bytes));
  }

  async function askFeature<Answer extends TSchema>(
    path: string,
    { answer, deadline, limit, missing }: Omit<Call<TSchema, Answer>, 'path' | 'query'>,
    sent: { body?: unknown; signal?: AbortSignal },
  ): Promise<Static<Answer>> {
    const bounds = {
      ...(deadline !== undefined && { deadline }),
      ...(limit !== undefined && { limit }),
    };
    const { ok, bytes } = await answerTo(path, { ...sent, ...bounds });
    return checked(answer, ok, bytes, missing);
  }

  /** How sites answer. */
  const answersTo = (path: string, body: { checks: readonly unknown[] }, most: number) =>
    call(ChecksAnswer, path, {
      body,
      deadline: most,
      limit: checksAnswer(body.checks.length),
    }).then(inWords);

  return {
    reload: (proxyfile, probe, how = {}) =>
      call(ReloadAnswer, '/proxy/reload', {
        body: { proxyfile, probe, ...asker(), deadline, ...how },
      }),
    validate: (proxyfile, how = {}) =>
      call(ValidateAnswer, '/proxy/validate', { body: { proxyfile, ports: true, ...how } }),
    adapt: (proxyfile) =>
      call(AdaptAnswer, '/proxy/adapt', { body: { proxyfile }, limit: adaptedAnswer(proxyfile) }),
    status: (deadline = STATUS_DEADLINE_MS) =>
      call(ProxyStatus, withQuery('/proxy/status', asker()), { deadline }),
    isSilent,
    async rotate(token) {
      await call(Stored, '/token', { body: { token } });
    },
    async forget() {
      await call(Stored, '/token/forget', { body: asker(), deadline: STATUS_DEADLINE_MS });
    },
    answers,
    async sites(names, wait, brief) {
      const body = { names, wait, brief };
      const { ok, bytes } = await answerTo('/proxy/sites', { body, ...aboutSites() });
      if (!ok || !brief) return checked(SitesAnswer, ok, bytes);
      const hash = Bun.hash(bytes);
      if (last?.hash !== hash) last = { hash, answer: checked(SitesAnswer, ok, bytes) };
      return last.answer;
    },
    checks: (request) => answersTo('/proxy/checks', request, checksDeadline(request)),
    round: (request) => answersTo('/proxy/round', request, roundDeadline(request)),
    trial: (request) =>
      answersTo('/proxy/trial', request, Math.min(deadline, trialDeadline(request))),
    certificates: () => call(CertificatesAnswer, '/proxy/certificates', aboutSites()),
    root: () => call(RootAnswer, '/proxy/root', { deadline: STATUS_DEADLINE_MS }),
    authorities: (proxyfile) =>
      call(AuthoritiesAnswer, '/proxy/authorities', {
        body: { proxyfile },
        deadline: STATUS_DEADLINE_MS,
        limit: authoritiesAnswer(proxyfile),
      }),
    ports: () => call(PortsAnswer, '/proxy/ports', { deadline: STATUS_DEADLINE_MS }),
    modules: (deadline) => call(ModulesAnswer, '/proxy/modules', { deadline }),
    ask: ({ path, ...call }, query, signal) =>
      askFeature(withQuery(path, query), call, signal ? { signal } : {}),
    send: ({ path, ...call }, body) => askFeature(path, call, { body }),
    logs: pageOf,
    activity: (query, most = deadline) =>
      call(LogActivity, withQuery('/logs/activity', query), { deadline: most, limit: LOG_ANSWER }),
    stats: (query) => call(LogStats, withQuery('/logs/stats', query), { limit: LOG_ANSWER }),
    sums: (query) => call(LogSums, withQuery('/logs/sums', query), oneOfSeveral),
    merge: (request) => call(MergeAnswer, '/logs/merge', { body: request, ...oneOfSeveral }),

    tail: async (query, lastEventId, reader) => {
      const headers: Record<string, string> = lastEventId ? { 'Last-Event-ID': lastEventId } : {};
      const deadline = STATUS_DEADLINE_MS;
      const path = withQuery('/logs/tail', query);
      const expected = { type: 'text/event-stream', deadline, endless: true, headers };
      return (await streams.begin(path, expected, reader)).body;
    },
    async export(query, reader) {
      const type = query.format === 'csv' ? 'text/csv' : 'application/x-ndjson';
      const answer = await streams.begin(
        withQuery('/logs/export', query),
        { type, deadline },
        reader,
      );
      return { ...exportFacts(answer.headers), body: answer.body };
    },
    openStream: streams.open,
    endStreams: streams.end,
  };
}

/** One that takes longer counts as away. */
const oneOfSeveral = { limit: LOG_ANSWER, deadline: STATUS_DEADLINE_MS };

const PAGE_END = /\],"total":\d+,"page":\d+,"pageSize":\d+(,"partial":true)?\}$/;

/** Whether a text begins and ends as a page does that an agent has written completely. */
const isPage = (text: string): boolean =>
  text.startsWith('{"logs":[') && PAGE_END.test(text.slice(-150));

const withQuery = (path: string, query: object): string => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return `${path}?${new URLSearchParams(given)}`;
};
