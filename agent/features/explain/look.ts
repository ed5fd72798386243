/** Walks the way of a request, in its order, within limits; says what is there, and judges nothing. */
import { existsSync } from 'node:fs';
import {
  EXPLAIN_MS,
  type ExplainRequest,
  type Findings,
  type UpstreamFound,
} from '../../../src/features/explain/wire.ts';
import type { JsonObject } from '../../../src/shared/json.ts';
import { isLoopback } from '../../../src/shared/loopback.ts';
import { countReachable } from '../../caddy/ports/sockets.ts';
import type { ProxyControl } from '../../caddy/proxy.ts';
import type { Logs } from '../../logs/logs.ts';
import { createLookup } from '../../sites/upstreams/resolver.ts';
import { hostOfUpstream, type Visit, visit } from './asked.ts';
import { lookAtListener } from './listener.ts';
import { lookAtName } from './name.ts';
import { ownPort, type Site, type SiteUpstream, siteIn } from './site.ts';
import { type createAsking, NOT_ASKED, type Speech, speak } from './speak.ts';
import { requestFor, type Stage, type StageDeps, startStage } from './stage.ts';

export type LookDeps = StageDeps & {
  /** Adapts a text as if it were to be loaded. @throws Failure PROXY_REJECTED, PROXY_UNREACHABLE */
  adapt: (text: string) => Promise<JsonObject>;
  status: ProxyControl['status'];
  isManaged: boolean;
  logs: Pick<Logs, 'newest'>;
  now: () => Date;
  /** What an upstream may be asked, by its address. */
  asking: () => ReturnType<typeof createAsking>;
};

const DAY_MS = 24 * 60 * 60 * 1_000;
/** What container engines put into a container. */
const CONTAINER_MARKS = ['/.dockerenv', '/run/.containerenv'];

/**
 * @param folder for the Caddy of the trial; it goes away
 * @throws Failure as `adapt`; the reason of the signal
 */
export async function look(
  request: ExplainRequest,
  folder: string,
  deps: LookDeps,
  given: AbortSignal,
): Promise<Findings> {
  const signal = AbortSignal.any([given, AbortSignal.timeout(EXPLAIN_MS)]);
  const { proxyfile, name, port, path, live } = request;
  const adapted = await deps.adapt(proxyfile);
  const site = siteIn(adapted, name, port);
  const counts = new Map(site.upstreams.map(({ address }) => [address, deps.asking()]));
  const target = { name, port };
  const config = { adapted, text: proxyfile };
  const stage = startStage(folder, config, target, deps, signal).catch((error: unknown) => ({
    error,
  }));
  const [nameFound, listener, visited, upstreams] = await Promise.all([
    lookAtName(name),
    live && site.listener
      ? deps
          .status()
          .then(({ closed = [] }) =>
            lookAtListener(site.listener ?? NOWHERE, closed, deps.isManaged),
          )
      : NOT_LIVE,
    lastVisit(name, deps),
    Promise.all(
      site.upstreams.map((one) => lookAtUpstream(one, site, { path, adapted, deps, counts })),
    ),
  ]);
  const started = await stage;
  if (started && 'error' in started) throw started.error;
  const found = started
    ? await onStage(started, path, { site, upstreams, counts, deps })
    : { visit: null, error: null };
  const { portal = null } = found.visit ?? {};
  const asked = found.visit && { ...found.visit.asked, error: found.error };
  return {
    served: site.place !== null,
    tls: site.place?.tls ?? false,
    container: isInContainer(),
    alone: isInContainer() && (process.pid === 1 || process.ppid === 1),
    visited,
    byAddress: site.byAddress,
    name: nameFound,
    listener,
    upstreams,
    asked: asked && {
      ...asked,
      portal: portal && (await lookAtPortal(portal, folder, config, deps, signal)),
    },
    direct: found.visit?.direct ?? null,
    websocket: found.visit?.websocket ?? null,
  };
}

const isInContainer = (): boolean => CONTAINER_MARKS.some((file) => existsSync(file));

const NOWHERE = { host: '', port: 0 };
const NOT_LIVE = { state: 'unknown', reason: null } as const;

/** The status of the newest request of a visitor within a day. */
async function lastVisit(name: string, { logs, now }: LookDeps): Promise<number | null> {
  if (name === '') return null;
  const newest = await logs.newest(name).catch(() => null);
  if (newest === null || newest.status <= 0) return null;
  return now().getTime() - Date.parse(newest.timestamp) < DAY_MS ? newest.status : null;
}

type Counts = ReadonlyMap<string, ReturnType<typeof createAsking>>;

async function lookAtUpstream(
  upstream: SiteUpstream,
  site: Site,
  {
    path,
    adapted,
    deps,
    counts,
  }: { path: string; adapted: JsonObject; deps: LookDeps; counts: Counts },
): Promise<UpstreamFound> {
  const { address, dial, signIn, wanted, spared, unknown } = upstream;
  const own = ownPort(upstream, site, adapted);
  const host = dial && 'host' in dial ? dial.host : null;
  const ask = counts.get(address)?.ask;
  // What a listener of this Caddy is asked would be in the log of visitors.
  const speech = own || !ask ? NOT_ASKED : await spoken(upstream, path, deps, ask);
  return {
    address,
    signIn,
    wanted,
    spared,
    unknown,
    own,
    loopback: host !== null && isLoopback(host),
    instead: speech.connects === 'refused' ? elsewhere(dial) : null,
    ...speech,
  };
}

async function spoken(
  upstream: SiteUpstream,
  path: string,
  deps: LookDeps,
  ask: ReturnType<typeof createAsking>['ask'],
): Promise<Speech> {
  const { dial } = upstream;
  if (dial === null) return NOT_ASKED;
  if ('path' in dial && deps.user !== null) return NOT_ASKED;
  let to = dial;
  if ('host' in dial) {
    const [first] = await resolveUpstream(dial.host);
    if (first === undefined) return { ...NOT_ASKED, connects: 'name' };
    to = { host: first, port: dial.port };
  }
  const request = requestFor(path, hostOfUpstream(upstream), deps.userAgent());
  return speak({ ...upstream, dial: to }, request, ask);
}

const lookup = createLookup();

/** The addresses of an upstream's name as Caddy finds them, those of IPv4 first; none if there are none. */
async function resolveUpstream(host: string): Promise<string[]> {
  if (/^[\d.]+$|:/.test(host)) return [host];
  const found = await lookup(host).catch(() => []);
  return found.toSorted((a, b) => Number(a.includes(':')) - Number(b.includes(':')));
}

/** Where a port of this machine is open that is refused at one address: programs often listen on IPv6 alone. */
function elsewhere(dial: SiteUpstream['dial']): string | null {
  if (dial === null || 'path' in dial || !isLoopback(dial.host)) return null;
  const other = dial.host === '::1' ? '127.0.0.1' : '::1';
  try {
    if (countReachable(other, dial.port) === 0) return null;
  } catch {
    return null;
  }
  return other === '::1' ? `[::1]:${dial.port}` : `127.0.0.1:${dial.port}`;
}

type Scene = { site: Site; upstreams: readonly UpstreamFound[]; counts: Counts; deps: LookDeps };

/** Asks the site, unless the request would come back to it, or nothing answers anyway. Ends the trial. */
async function onStage(stage: Stage, path: string, { site, upstreams, counts, deps }: Scene) {
  // A hang has been asked twice, and what leads back would be asked for ever.
  const isVain = upstreams.some(({ own, speaks }) => own === 'loop' || speaks === 'hangs');
  try {
    if (isVain) return { visit: null, error: null };
    const how = {
      site,
      asking: (address: string) => counts.get(address),
      userAgent: deps.userAgent(),
    };
    const found = await visit(stage, path, how);
    return { visit: found, error: await stage.end() };
  } finally {
    await stage.end();
  }
}

/** Whether the page to which a sign-in service sends visitors lets them in. */
async function lookAtPortal(
  { name, port, path }: NonNullable<Visit['portal']>,
  folder: string,
  config: { adapted: JsonObject; text: string },
  deps: LookDeps,
  signal: AbortSignal,
): Promise<'loop' | 'down' | null> {
  const stage = await startStage(folder, config, { name, port }, deps, signal);
  if (stage === null) return null;
  try {
    const { heard, by } = await stage.ask(path);
    if (heard.kind !== 'http' || heard.status >= 500) return 'down';
    return by?.signIn && heard.status >= 300 && heard.status < 400 ? 'loop' : null;
  } finally {
    await stage.end();
  }
}
