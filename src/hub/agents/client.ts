/** The hub's only connection to the agent. */
import { getSchemaValidator, type Static, type TSchema } from 'elysia';
import { createEndableStreams, type EndableStreams, within } from '../../shared/async.ts';
import { FAILURES, Failure } from '../../shared/failure.ts';
import { exportFacts, type LogExport } from '../../shared/http.ts';
import { joinedIds, REQUEST_ID } from '../../shared/observe/context.ts';
import {
  type ActivityQuery,
  AdaptAnswer,
  AgentErrorBody,
  type ExportQuery,
  Health,
  LogActivity,
  LogPage,
  type LogQuery,
  LogStats,
  PROTOCOL,
  PROTOCOL_HEADER,
  ProxyStatus,
  ReloadAnswer,
  type StatsQuery,
  type TailQuery,
  ValidateAnswer,
} from '../../shared/wire.ts';
import { ChecksAnswer, type ChecksRequest, type TrialRequest } from '../../shared/wire-check.ts';
import { Stored } from '../../shared/wire-enrol.ts';
import { LogSums, MergeAnswer, type MergeRequest } from '../../shared/wire-merge.ts';
import { PortsAnswer } from '../../shared/wire-ports.ts';
import {
  AuthoritiesAnswer,
  CertificatesAnswer,
  ModulesAnswer,
  RootAnswer,
  SitesAnswer,
} from '../../shared/wire-state.ts';
import { checksDeadline } from './checks.ts';
import { startPulse } from './pulse.ts';
import { type AgentTrust, createAgentTls } from './trust.ts';

export type AgentClientDeps = {
  /** Where the agent listens, `http://127.0.0.1:3002`. */
  url: string;
  /** A function is asked at each request, so that a rotation needs no new client. */
  token: string | (() => string);
  /** Which certificate to trust; null: any that a public authority signed. */
  trust?: AgentTrust | null;
  /** The id of the hub's database, by which the agent knows whom it obeys. */
  hub?: string;
  /** How often that database was promoted, plus one; of two copies, the agent obeys the higher. */
  term?: () => number;
  /** Whether to give up on the agent as soon as it stops answering, and not only after `deadline`. */
  isWatched?: () => boolean;
  /** Milliseconds to wait for a publish; longer than the agent's own 30 s towards Caddy. */
  deadline?: number;
};

/** Who reads a stream. */
export type StreamReader = {
  /** Whether they still may; if not, the stream ends. */
  mayRead(): boolean;
  /** Called when the stream has ended, or could not begin; maybe more than once. */
  ended(): void;
};

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
}>;

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
  /** Whether the agent answers within `deadline` milliseconds. Never rejects. */
  answers(deadline: number): Promise<boolean>;
  /**
   * What the proxy knows of its sites, or of those with the given names.
   * @param wait after a change: see `SitesRequest`
   * @param brief see `SitesRequest`
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

export const DEADLINE_MS = 45_000;
const STATUS_DEADLINE_MS = 10_000;
/** Long enough for `/health` of an agent that is busy. */
const ASK_FIRST_MS = 2_000;
/** How often to ask whether a stream's reader still may read; shorter than its heartbeat of 15 s. */
const READER_CHECK_MS = 5_000;

/** As opposed to an agent that answers, but not as it should. */
export const NO_ANSWER = 'The agent does not answer.';

/** Codes of the agent that the hub passes on unchanged. */
const PASSED_ON = [
  'PROXY_REJECTED',
  'PROXY_UNREACHABLE',
  'STALE',
  'OTHER_HUB',
  'STORAGE_UNAVAILABLE',
  'INVALID_REQUEST',
] as const;

export function createAgentClient(deps: AgentClientDeps): AgentClient {
  const { url, trust = null, hub, term, deadline = DEADLINE_MS } = deps;
  const tlsOf = createAgentTls(url, trust);
  const tokenNow = () => (typeof deps.token === 'string' ? deps.token : deps.token());
  const asker = () => ({ hub, term: term?.() });
  const streams = createEndableStreams();
  /** The last call was not answered: the next one asks first, instead of waiting in vain for long. */
  let isSilent = false;

  /** @throws whatever `fetch` throws, and if the agent presents a different certificate */
  async function request(
    path: string,
    init: RequestInit & { headers?: object },
  ): Promise<Response> {
    const tls = await tlsOf(init.signal);
    const token = tokenNow();
    const response = await fetch(`${url}${path}`, {
      ...init,
      headers: {
        Authorization: `Bearer ${token}`,
        [PROTOCOL_HEADER]: String(PROTOCOL),
        ...onBehalf(),
        ...init.headers,
      },
      redirect: 'error',
      ...(tls === null ? {} : { tls }),
    });
    // A rotation has overtaken it. The agent looks at the token before anything else, so that nothing
    // has been done yet.
    if (response.status === 401 && tokenNow() !== token) return request(path, init);
    return response;
  }

  async function answerTo(
    path: string,
    init: { body?: unknown; deadline?: number },
  ): Promise<{ ok: boolean; text: string }> {
    if (isSilent) await ask('/health', { deadline: ASK_FIRST_MS });
    return ask(path, init);
  }

  async function ask(
    path: string,
    init: { body?: unknown; deadline?: number },
  ): Promise<{ ok: boolean; text: string }> {
    const stopping = new AbortController();
    const isLong = (init.deadline ?? deadline) > STATUS_DEADLINE_MS / 2;
    const endPulse = isLong ? watch(stopping) : () => {};
    try {
      const response = await request(path, {
        method: init.body === undefined ? 'GET' : 'POST',
        headers: { 'Content-Type': 'application/json' },
        ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
        signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(init.deadline ?? deadline)]),
      });
      const text = await response.text();
      isSilent = false;
      return { ok: response.ok, text };
    } catch (cause) {
      isSilent = true;
      throw unreachable(NO_ANSWER, cause);
    } finally {
      endPulse();
    }
  }

  /** Gives up on a call that is under way, if the agent is watched. @returns a function that ends it */
  const watch = (call: AbortController): (() => void) =>
    deps.isWatched?.() ? startPulse(answers, () => call.abort()) : () => {};

  const answers = (deadline: number): Promise<boolean> =>
    ask('/health', { deadline })
      .then(({ ok, text }) => checked(Health, ok, text))
      .then(
        () => true,
        () => false,
      );

  async function call<T extends TSchema>(
    schema: T,
    path: string,
    init: { body?: unknown; deadline?: number } = {},
  ): Promise<Static<T>> {
    const { ok, text } = await answerTo(path, init);
    return checked(schema, ok, text);
  }

  /** Passes a page on as it is: to read and write it again takes longer than the agent needs for it. */
  async function pageAt(path: string): Promise<string> {
    const { ok, text } = await answerTo(path, {});
    return ok && isPage(text) ? text : JSON.stringify(checked(LogPage, ok, text));
  }

  /**
   * The stream fails when the agent goes away or its reader may no longer read, unless it is
   * `endless`: then it just ends, and its client comes back.
   * @param expected also the media type, and how many milliseconds the answer may take to begin
   * @throws Failure, before the stream begins
   */
  async function stream(
    path: string,
    expected: { type: string; deadline: number; endless?: boolean; headers?: object | undefined },
    { mayRead, ended }: StreamReader,
  ): Promise<{ headers: Headers; body: ReadableStream<Uint8Array> }> {
    const stopping = new AbortController();
    const { signal } = stopping;
    const late = setTimeout(() => stopping.abort(), expected.deadline);
    const endPulse = watch(stopping);
    let refusal: unknown;
    try {
      const response = await request(path, { headers: { ...expected.headers }, signal });
      const { headers } = response;
      if (response.ok && response.body && headers.get('content-type')?.startsWith(expected.type)) {
        const reader = response.body.getReader();
        const read = createRead(() => reader.read(), mayRead);
        const next = expected.endless ? () => read().catch(() => undefined) : read;
        const stop = () => {
          stopping.abort();
          ended();
        };
        return { headers, body: streams.open({ next, stop }) };
      }
      refusal = await response.json();
    } catch (cause) {
      ended();
      throw unreachable(NO_ANSWER, cause);
    } finally {
      clearTimeout(late);
      endPulse();
    }
    ended();
    throw refusalOf(refusal);
  }

  return {
    reload: (proxyfile, probe, how = {}) =>
      call(ReloadAnswer, '/proxy/reload', {
        body: { proxyfile, probe, ...asker(), deadline, ...how },
      }),
    validate: (proxyfile, how = {}) =>
      call(ValidateAnswer, '/proxy/validate', { body: { proxyfile, ports: true, ...how } }),
    adapt: (proxyfile) => call(AdaptAnswer, '/proxy/adapt', { body: { proxyfile } }),
    status: (deadline = STATUS_DEADLINE_MS) =>
      call(ProxyStatus, withQuery('/proxy/status', asker()), { deadline }),
    isSilent: () => isSilent,
    async rotate(token) {
      await call(Stored, '/token', { body: { token } });
    },
    answers,
    sites: (names, wait, brief) =>
      call(SitesAnswer, '/proxy/sites', {
        body: { names, wait, brief },
        deadline: STATUS_DEADLINE_MS,
      }),
    checks: (request) =>
      call(ChecksAnswer, '/proxy/checks', {
        body: request,
        deadline: checksDeadline(request),
      }),
    trial: (request) => call(ChecksAnswer, '/proxy/trial', { body: request }),
    certificates: () =>
      call(CertificatesAnswer, '/proxy/certificates', { deadline: STATUS_DEADLINE_MS }),
    root: () => call(RootAnswer, '/proxy/root', { deadline: STATUS_DEADLINE_MS }),
    authorities: (proxyfile) =>
      call(AuthoritiesAnswer, '/proxy/authorities', {
        body: { proxyfile },
        deadline: STATUS_DEADLINE_MS,
      }),
    ports: () => call(PortsAnswer, '/proxy/ports', { deadline: STATUS_DEADLINE_MS }),
    modules: (deadline) => call(ModulesAnswer, '/proxy/modules', { deadline }),
    logs: (query) => pageAt(withQuery('/logs', query)),
    activity: (query, most = deadline) =>
      call(LogActivity, withQuery('/logs/activity', query), { deadline: most }),
    stats: (query) => call(LogStats, withQuery('/logs/stats', query)),
    sums: (query) =>
      call(LogSums, withQuery('/logs/sums', query), { deadline: STATUS_DEADLINE_MS }),
    merge: (request) =>
      call(MergeAnswer, '/logs/merge', { body: request, deadline: STATUS_DEADLINE_MS }),

    tail: async (query, lastEventId, reader) => {
      const headers = lastEventId ? { 'Last-Event-ID': lastEventId } : undefined;
      const deadline = STATUS_DEADLINE_MS;
      const path = withQuery('/logs/tail', query);
      const expected = { type: 'text/event-stream', deadline, endless: true, headers };
      return (await stream(path, expected, reader)).body;
    },
    async export(query, reader) {
      const type = query.format === 'csv' ? 'text/csv' : 'application/x-ndjson';
      const answer = await stream(withQuery('/logs/export', query), { type, deadline }, reader);
      return { ...exportFacts(answer.headers), body: answer.body };
    },
    openStream: streams.open,
    endStreams: streams.end,
  };
}

/** @throws Failure if the answer is a refusal, or does not have the schema */
function checked<T extends TSchema>(schema: T, ok: boolean, text: string): Static<T> {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch (cause) {
    throw unreachable(NO_ANSWER, cause);
  }
  if (ok && getSchemaValidator(schema).Check(answer)) return answer as Static<T>;
  throw refusalOf(answer);
}

const PAGE_END = /\],"total":\d+,"page":\d+,"pageSize":\d+(,"partial":true)?\}$/;

/** Whether a text begins and ends as a page does that an agent has written completely. */
const isPage = (text: string): boolean =>
  text.startsWith('{"logs":[') && PAGE_END.test(text.slice(-150));

/** Reads piece by piece. @throws what `read` throws, and if the reader may no longer read */
function createRead(
  read: () => Promise<{ value?: Uint8Array | undefined }>,
  mayRead: () => boolean,
) {
  let pending: ReturnType<typeof read> | undefined;
  return async (): Promise<Uint8Array | undefined> => {
    for (;;) {
      pending ??= read();
      const piece = await within(pending, READER_CHECK_MS, () => undefined);
      if (!mayRead()) throw new Error('the session or token is no longer valid');
      if (piece === undefined) continue;
      pending = undefined;
      return piece.value;
    }
  };
}

const withQuery = (path: string, query: object): string => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return `${path}?${new URLSearchParams(given)}`;
};

/** Names the requests that a call is made for, for the agent's log. */
function onBehalf(): Record<string, string> {
  const ids = joinedIds();
  return ids === undefined ? {} : { [REQUEST_ID]: ids };
}

function refusalOf(answer: unknown): Failure {
  if (isErrorBody(answer)) {
    const code = PASSED_ON.find((known) => known === answer.code);
    const { message, words, hint, line } = answer;
    if (code) return new Failure(code, message, { detail: words, hint, at: { line } });
    // Only a proxyfile is that large.
    if (answer.code === 'BODY_TOO_LARGE') {
      return new Failure(
        'PROXY_REJECTED',
        'The Caddyfile would be too large; nothing was changed.',
        {
          detail: `All sites and their policies make one Caddyfile. ${message}`,
          hint: 'Shorten the policies that many sites use, because each site repeats their text.',
          cause: answer.code,
        },
      );
    }
    if (answer.code === 'OTHER_PROTOCOL') {
      return unreachable(FAILURES.OTHER_PROTOCOL.meaning, answer.code);
    }
    if (answer.code === 'UNAUTHENTICATED') {
      return unreachable('The agent rejects the hub’s token.', answer.code);
    }
  }
  return unreachable('The agent sent an invalid response.', answer);
}

const isErrorBody = (answer: unknown): answer is AgentErrorBody =>
  getSchemaValidator(AgentErrorBody).Check(answer);

const unreachable = (message: string, cause: unknown) =>
  new Failure('AGENT_UNREACHABLE', message, { cause });
