/** Walks the way of a request, in its order, within limits; says what is there, and judges nothing. */
import {
  EXPLAIN_MS,
  type ExplainRequest,
  type Findings,
  type FirstLookRequest,
  type ListenerFinding,
} from '../../../src/features/explain/wire.ts';
import { within } from '../../../src/shared/async.ts';
import { type JsonObject, object, parseJson } from '../../../src/shared/json.ts';
import { isInContainer } from '../../../src/shared/system/container.ts';
import type { StartTrial, TrialCaddies } from '../../caddy/process/trial-caddy.ts';
import type { ProxyControl } from '../../caddy/proxy.ts';
import type { AgentCore } from '../../core.ts';
import type { Logs } from '../../logs/logs.ts';
import { placesIn } from '../../sites/checks/checks.ts';
import { isAnswered, isDoubtful } from './first-look.ts';
import { lookAtFutureListener, lookAtListener, UNKNOWN } from './listener.ts';
import { lookAtName } from './name.ts';
import { ownPort, type Site, siteIn } from './site.ts';
import { createAsking } from './speak.ts';
import { type Scene, type Stage, startStage } from './stage.ts';
import { lookAtUpstream } from './upstream.ts';
import { isRefused, type Visit, visit } from './visit.ts';
import { type Visitor, visitorsFrom } from './visitors.ts';

export type LookDeps = {
  trials: Pick<TrialCaddies, 'run'>;
  /** Adapts a text as if it were to be loaded. @throws Failure PROXY_REJECTED, PROXY_UNREACHABLE */
  adapt: (text: string) => Promise<JsonObject>;
  /** The sites of the live configuration. @throws AdminUnreachable */
  live: AgentCore['live'];
  /** The live configuration as JSON text. @throws AdminUnreachable */
  config: () => Promise<string>;
  status: ProxyControl['status'];
  userAgent: () => string;
  /** Whether only Caddy's user may open its sockets. */
  isApart: boolean;
  /** Whether upstreams may be asked although nobody wants to know. */
  isProbing: boolean;
  /** Its pid; null if another program runs it, or it does not run. */
  caddy: () => number | null;
  logs: Pick<Logs, 'stats'>;
  now: () => Date;
};

/** Connections to an upstream, for one explanation. */
const MOST_QUESTIONS = 6;
/** After so many milliseconds, nothing more is asked of the site. */
const VISIT_MS = 15_000;
const DAY_MS = 24 * 60 * 60 * 1_000;
const LOG_MS = 1_000;

/** A site of a configuration, and how often its upstreams were asked. */
type Subject = {
  request: Pick<ExplainRequest, 'name' | 'port' | 'path' | 'live'>;
  adapted: JsonObject;
  /** What it was made of. */
  text: string;
  site: Site;
  counts: Counts;
};

/** @throws Failure as `adapt` */
export async function subjectOf(request: ExplainRequest, deps: LookDeps): Promise<Subject> {
  return subjectIn(await deps.adapt(request.proxyfile), request.proxyfile, request);
}

/** The same of what is live; null if its upstreams answer at first sight. @throws Failure PROXY_UNREACHABLE */
export async function doubtfulSubject(
  request: FirstLookRequest,
  deps: LookDeps,
): Promise<Subject | null> {
  const { userAgent, isApart, isProbing } = deps;
  if (!isProbing) return null;
  const how = { path: request.path, userAgent: userAgent(), isApart };
  const sites = await deps.live();
  const place = placesIn(sites)({ ...request, check: null });
  if (typeof place === 'string' || (await isAnswered(sites, place, how))) return null;
  const text = await deps.config();
  const subject = subjectIn(object(parseJson(text)), text, { ...request, live: true });
  const { site, adapted, counts } = subject;
  // It was asked once.
  for (const asking of counts.values()) asking.spend();
  const askOf = (address: string) => counts.get(address)?.ask ?? (() => null);
  return (await isDoubtful(site, adapted, askOf, how)) ? subject : null;
}

function subjectIn(adapted: JsonObject, text: string, request: Subject['request']): Subject {
  const site = siteIn(adapted, request.name, request.port);
  const counts = new Map(
    site.upstreams.map(({ address }) => [address, createAsking(MOST_QUESTIONS)]),
  );
  return { request, adapted, text, site, counts };
}

/** @throws Failure PROXY_REJECTED, STOPPING; the reason of the signal */
export function look(
  { request, adapted, text, site, counts }: Subject,
  deps: LookDeps,
  given: AbortSignal,
): Promise<Findings> {
  const inner = new Map(
    site.upstreams.flatMap((one) => {
      const own = ownPort(one, site, adapted);
      return typeof own === 'object' && own ? [[one.address, own] as const] : [];
    }),
  );
  const visitors = visitorsFrom(site.networks);
  const scene = { adapted, text, inner, visitors, userAgent: deps.userAgent() };
  return deps.trials.run(
    async (start, signal) => {
      const starting = startStage(start, scene, request, signal);
      starting.catch(() => undefined);
      const findings = await lookAround(request, site, { adapted, counts, deps });
      // A hang has been asked twice, and what leads back would be asked for ever.
      const isVain = findings.upstreams.some(
        ({ own, speaks }) => own === 'loop' || speaks === 'hangs',
      );
      const stage = await starting;
      const visited =
        stage && !isVain
          ? await visitOn(stage, request.path, visitors, { site, counts, deps })
          : null;
      const { asked = null, direct = null, websocket = null, portal = null } = visited ?? {};
      const isCaddys = asked !== null && asked.by === null && (asked.landed ?? 500) >= 500;
      const error = stage && (await stage.end(isCaddys));
      const isOpen = portal && (await lookAtPortal(portal, start, scene, signal));
      return {
        ...findings,
        asked: asked && { ...asked, error, portal: isOpen },
        direct,
        websocket,
      };
    },
    AbortSignal.any([given, AbortSignal.timeout(EXPLAIN_MS)]),
  );
}

type Counts = ReadonlyMap<string, ReturnType<typeof createAsking>>;

/** Everything but the site's own request. */
async function lookAround(
  { name, path, live }: Subject['request'],
  site: Site,
  { adapted, counts, deps }: { adapted: JsonObject; counts: Counts; deps: LookDeps },
): Promise<Omit<Findings, 'asked' | 'direct' | 'websocket'>> {
  const how = { site, adapted, path, userAgent: deps.userAgent(), isApart: deps.isApart };
  const [nameFinding, listener, visited, upstreams] = await Promise.all([
    lookAtName(name),
    listenerOf(site, live, deps),
    wereVisitors(name, deps),
    Promise.all(
      site.upstreams.map((one) => {
        const { ask = () => null } = counts.get(one.address) ?? {};
        return lookAtUpstream(one, { ...how, ask });
      }),
    ),
  ]);
  const container = isInContainer();
  return {
    served: site.place !== null,
    tls: site.place?.tls ?? false,
    container,
    alone: container && (process.pid === 1 || process.ppid === 1),
    visited,
    byAddress: site.networks.length > 0,
    name: nameFinding,
    listener,
    upstreams,
  };
}

async function listenerOf(
  { place }: Site,
  isLive: boolean,
  deps: LookDeps,
): Promise<ListenerFinding> {
  if (place === null) return UNKNOWN;
  const { closed = [] } = await deps.status();
  return isLive
    ? lookAtListener(place, closed, deps.caddy() !== null)
    : lookAtFutureListener(place, closed, deps.caddy());
}

/** Whether visitors were served within the last day; false if the log does not say so in time. */
async function wereVisitors(name: string, { logs, now }: LookDeps): Promise<boolean> {
  const nobody = { statuses: [] };
  const from = now().getTime() - DAY_MS;
  const stats = logs.stats({ domain: name, from, buckets: 1 }).catch(() => nobody);
  const { statuses } = await within(stats, LOG_MS, () => nobody);
  return statuses.some(({ status }) => status >= 200 && status < 300);
}

/** If Caddy refuses this machine, the visit of the first of some others whom it does not refuse. */
async function visitOn(
  stage: Stage,
  path: string,
  visitors: readonly Visitor[],
  { site, counts, deps }: { site: Site; counts: Counts; deps: LookDeps },
): Promise<Visit> {
  const how = {
    site,
    asking: (address: string) => counts.get(address),
    userAgent: deps.userAgent(),
    until: performance.now() + VISIT_MS,
  };
  const own = await visit(stage, path, how);
  if (!isRefused(own)) return own;
  for (const { network, from } of visitors) {
    const ask: Stage['ask'] = (to, headers) => stage.ask(to, headers, from);
    const other = await visit({ ...stage, ask }, path, how);
    if (!isRefused(other)) return { ...other, asked: { ...other.asked, from: network } };
  }
  return own;
}

/** Whether the page to which a sign-in service sends visitors lets them in. */
async function lookAtPortal(
  { name, port, path }: NonNullable<Visit['portal']>,
  start: StartTrial,
  scene: Scene,
  signal: AbortSignal,
): Promise<'loop' | 'down' | null> {
  const stage = await startStage(start, scene, { name, port }, signal);
  if (stage === null) return null;
  const { reply, by } = await stage.ask(path);
  if (reply.kind !== 'http' || reply.status >= 500) return 'down';
  return by?.signIn && reply.status >= 300 && reply.status < 400 ? 'loop' : null;
}
