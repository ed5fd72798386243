/** The site's own request, as a visitor makes it, at a Caddy that visitors do not reach; and where its redirects lead. */
import type { Asked, Direct, Websocket } from '../../../src/features/explain/wire.ts';
import { isInternalName, isPrivateAddress } from '../../../src/shared/internal-names.ts';
import { isLoopback } from '../../../src/shared/loopback.ts';
import { type LiveSite, nameOf } from '../../sites/live-sites.ts';
import { refusingApp } from './apps.ts';
import { type Reply, requestFor } from './exchange.ts';
import type { Site, SiteUpstream } from './site.ts';
import type { createAsking } from './speak.ts';
import type { Answerer, Stage } from './stage.ts';

/** Where a redirect leads, and what the site's own part of it is. */
type Lead = {
  leads: NonNullable<Asked['leads']>;
  path: string;
  to: URL;
  /** The port at which this Caddy serves what is there; null: it does not. */
  served: number | null;
};

export type Visit = {
  asked: Asked;
  direct: Direct | null;
  websocket: Websocket | null;
  /** The sign-in page of another site of this Caddy, to which visitors are sent. */
  portal: { name: string; port: number; path: string } | null;
};

type Deps = {
  site: Site;
  /** Counts what an upstream gets. */
  asking: (address: string) => ReturnType<typeof createAsking> | undefined;
  userAgent: string;
  /** When nothing more is asked, by `performance.now()`. */
  until: number;
};

/** Requests to the site, its redirects included. */
const MOST_ASKS = 4;
/** How a status says that a request is refused, whatever it asks for. */
const REFUSALS = [400, 403, 421];
const UPGRADE = /upgrade|websocket/i;
const SOCKET_PATH = /(?:^|\/)(?:ws|wss|websocket|socket\.io)(?:[/?]|$)/i;

/** @param path that the visitor asks for */
export async function visit(stage: Stage, path: string, deps: Deps): Promise<Visit> {
  const jar = new Map<string, string>();
  const seen = new Set<string>();
  let [next, lead]: [string, Lead | null] = [path, null];
  const first = await ask(stage, next, jar, deps);
  let last = first;
  for (let count = 1; ; count++) {
    seen.add(`${next} ${cookieOf(jar)}`);
    keepCookies(jar, last.reply);
    lead = leadOf(last.reply, next, stage, deps.site);
    if (lead?.leads !== 'follows' || count === MOST_ASKS) break;
    if (performance.now() > deps.until) break;
    if (seen.has(`${lead.path} ${cookieOf(jar)}`)) {
      lead = { ...lead, leads: 'loop' };
      break;
    }
    next = lead.path;
    last = await ask(stage, next, jar, deps);
  }
  const { reply, by } = last;
  const status = statusOf(reply);
  const direct = await askDirectly(status, by, stage, deps);
  const websocket = await tryWebsocket(reply, by, next, stage, deps);
  return {
    asked: {
      status: statusOf(first.reply),
      location: locationOf(first.reply),
      ms: first.reply.ms,
      by: by?.address ?? null,
      bySignIn: by?.signIn ?? false,
      landed: status,
      leads: lead?.leads ?? null,
      portal: null,
      from: null,
      fault: faultOf(reply),
      error: null,
      app: reply.kind === 'http' ? refusingApp(reply.status, reply.body) : null,
    },
    direct,
    websocket,
    portal: by?.signIn && lead?.leads === 'site' ? portalOf(lead) : null,
  };
}

/** Whether Caddy itself refuses the visitor, as a policy or the config may say by the address. */
export function isRefused({ asked: { by, fault, landed } }: Pick<Visit, 'asked'>): boolean {
  if (by !== null) return false;
  const status = landed ?? 0;
  return fault === 'closed' || status === 503 || (status >= 400 && status < 500 && status !== 401);
}

async function ask(
  stage: Stage,
  path: string,
  jar: ReadonlyMap<string, string>,
  { site, asking }: Deps,
) {
  // Whichever of them gets it.
  for (const { address } of site.upstreams) asking(address)?.spend();
  const cookie = cookieOf(jar);
  return stage.ask(path, cookie === '' ? [] : [`Cookie: ${cookie}`]);
}

const cookieOf = (jar: ReadonlyMap<string, string>): string =>
  [...jar].map(([name, value]) => `${name}=${value}`).join('; ');

function keepCookies(jar: Map<string, string>, reply: Reply): void {
  if (reply.kind !== 'http') return;
  for (const cookie of reply.cookies.slice(0, 20)) {
    const [name = '', ...value] = cookie.split('=');
    jar.set(name.trim(), value.join('=').slice(0, 4_096));
  }
}

const statusOf = (reply: Reply): number | null => (reply.kind === 'http' ? reply.status : null);

const locationOf = (reply: Reply): string | null =>
  reply.kind === 'http' ? (reply.headers.get('location')?.slice(0, 2_000) ?? null) : null;

function faultOf({ kind }: Reply): Asked['fault'] {
  if (kind === 'http') return null;
  return kind === 'silent' || kind === 'late' ? 'late' : 'closed';
}

/** Null if it is no redirect. */
function leadOf(reply: Reply, path: string, { origin }: Stage, site: Site): Lead | null {
  const location = locationOf(reply);
  if (location === null || reply.kind !== 'http' || reply.status < 300 || reply.status > 399) {
    return null;
  }
  const to = URL.parse(location, `${origin}${path}`);
  if (to === null) return null;
  const served = servedPort(to, site.sites);
  const leads = leadsTo(to, new URL(origin), site, served !== null);
  return { to, path: `${to.pathname}${to.search}`, served, leads };
}

function leadsTo(to: URL, own: URL, site: Site, isServed: boolean): Lead['leads'] {
  if (to.origin === own.origin) return 'follows';
  const isSameHost = to.hostname === own.hostname;
  // A router may lead the usual port to another one, and Caddy leads HTTP to HTTPS.
  if (isSameHost && to.port === '' && (to.protocol === own.protocol || own.protocol === 'https:')) {
    return 'follows';
  }
  if (isServed) return 'site';
  const host = bare(to.hostname);
  const isOwn = site.upstreams.some(({ dial }) => dial && 'host' in dial && dial.host === host);
  const isInside = isInsideName(host);
  if (isLoopback(host) || (isOwn && isInside)) return 'upstream';
  if (isSameHost) return isOwnPort(to, site) ? 'upstream' : 'unserved';
  if (isLinkLocal(host)) return 'upstream';
  return isInside && !isInsideName(bare(own.hostname)) ? 'inside' : 'away';
}

/** Whether only visitors within the network find it. */
const isInsideName = (host: string): boolean => isPrivateAddress(host) || isInternalName(host);

const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');
const isLinkLocal = (host: string): boolean => /^169\.254\.|^fe80:/i.test(host);
const portOf = ({ port, protocol }: URL): number =>
  Number(port || (protocol === 'https:' ? 443 : 80));

/** A router, or the mapping of a container's ports, may lead the usual port to another one. */
function servedPort(to: URL, sites: readonly LiveSite[]): number | null {
  const name = nameOf(to.hostname);
  const listeners = sites
    .filter((one) => one.name === name)
    .flatMap((one) => one.listeners)
    .filter(({ tls }) => tls === (to.protocol === 'https:'));
  const usual = to.port === '' ? listeners[0] : undefined;
  return (listeners.find(({ port }) => port === portOf(to)) ?? usual)?.port ?? null;
}

const isOwnPort = (to: URL, { upstreams }: Site): boolean =>
  upstreams.some(({ dial }) => dial && 'port' in dial && dial.port === portOf(to));

const portalOf = ({ to, path, served }: Lead): Visit['portal'] => ({
  name: bare(to.hostname),
  port: served ?? portOf(to),
  path,
});

/** The upstream that answered, if it can be asked without Caddy. */
function peerOf(by: Answerer, { site, asking }: Deps) {
  const upstream = site.upstreams.find((one) => one.address === by?.address && !one.signIn);
  const ask = upstream && asking(upstream.address)?.ask;
  if (!upstream?.dial || !ask || upstream.wanted === 'other' || upstream.wanted === 'h2c')
    return null;
  const peer = {
    place: upstream.dial,
    tls: upstream.wanted === 'https' ? upstream.serverName : null,
  };
  return { upstream, ask, peer };
}

/** A refused request once more without Caddy: by the upstream's own name, and by the site's. */
async function askDirectly(
  status: number | null,
  by: Answerer,
  stage: Stage,
  deps: Deps,
): Promise<Direct | null> {
  const service = peerOf(by, deps);
  if (status === null || !REFUSALS.includes(status) || by === null || service === null) return null;
  if (performance.now() > deps.until) return null;
  const { upstream, ask, peer } = service;
  const host = new URL(stage.origin).host;
  const get = (named: string) => ask(peer, requestFor(by.uri, named, deps.userAgent));
  const plain = await get(hostOfUpstream(upstream));
  const named = await get(host);
  return { plain: plain && statusOf(plain), named: named && statusOf(named) };
}

/** What an upstream is called by itself. */
export function hostOfUpstream({ dial }: Pick<SiteUpstream, 'dial'>): string {
  if (dial === null || 'path' in dial) return 'localhost';
  return `${dial.host.includes(':') ? `[${dial.host}]` : dial.host}:${dial.port}`;
}

/** Tries a websocket where one seems to be wanted. */
async function tryWebsocket(
  reply: Reply,
  by: Answerer,
  path: string,
  stage: Stage,
  deps: Deps,
): Promise<Websocket | null> {
  if (reply.kind !== 'http' || by === null || performance.now() > deps.until) return null;
  const isWanted =
    reply.status === 426 ||
    (reply.status === 400 && UPGRADE.test(reply.body)) ||
    (SOCKET_PATH.test(path) && reply.status < 500);
  const service = peerOf(by, deps);
  if (!isWanted || service === null) return null;
  if (!deps.asking(by.address)?.spend()) return null;
  const here = await stage.ask(path, [...upgrade(), `Origin: ${stage.origin}`]);
  if (here.reply.kind === 'http' && here.reply.status === 101) return { here: 101, direct: null };
  const request = requestFor(by.uri, hostOfUpstream(service.upstream), deps.userAgent, upgrade());
  const direct = await service.ask(service.peer, request);
  return { here: statusOf(here.reply), direct: direct && statusOf(direct) };
}

const upgrade = (): string[] => [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  `Sec-WebSocket-Key: ${Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64')}`,
];
