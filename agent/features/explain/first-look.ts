/** Whether a site that was just changed is worth an explanation: one request to each upstream, as Caddy would make it. */

import type { Json } from '../../../src/shared/json.ts';
import { hostOf, type Place } from '../../sites/checks/ask.ts';
import { isOwnAddress } from '../../sites/handshake.ts';
import type { LiveSite } from '../../sites/live-sites.ts';
import { exchange, type Peer, type Reply, requestFor } from './exchange.ts';
import { ownPort, type Site, type SiteUpstream } from './site.ts';
import type { AskUpstream } from './speak.ts';
import { resolved } from './upstream.ts';
import { hostOfUpstream } from './visit.ts';

type How = {
  path: string;
  userAgent: string;
  /** Whether only Caddy's user may open its sockets. */
  isApart: boolean;
};

/** Statuses with which services refuse a name or a proxy, or plain HTTP where they expect HTTPS. */
const DOUBTFUL = [400, 403, 413, 414, 421, 426, 431];

/**
 * Whether all upstreams of a site answer, as far as that can be told without reading the whole configuration. False
 * says nothing yet: it may be no HTTP that Caddy speaks, or a certificate that it does not verify.
 */
export async function isAnswered(
  sites: readonly LiveSite[],
  place: Place,
  how: How,
): Promise<boolean> {
  const ports = new Set(sites.flatMap((one) => one.ports));
  const site = sites.find(({ name, ports }) => name === place.name && ports.includes(place.port));
  const all = (site?.upstreams ?? []).map(async ({ dial }) => {
    if (dial === null || ('path' in dial.place && how.isApart)) return true;
    const isOwn = 'port' in dial.place && ports.has(dial.place.port) && isHere(dial.place.host);
    if (isOwn) return false;
    const to = 'path' in dial.place ? dial.place : await resolved(dial.place);
    if (to === null) return false;
    const request = requestFor(how.path, hostOf(place), how.userAgent, forwarded(place));
    return isInOrder(await exchange({ place: to, tls: dial.tls }, request), place, how.path);
  });
  return (await Promise.all(all)).every(Boolean);
}

const isHere = (host: string): boolean => host === 'localhost' || isOwnAddress(host);

/** The same, by the whole configuration of the site. Never rejects. */
export async function isDoubtful(
  site: Site,
  adapted: Json,
  asks: (address: string) => AskUpstream,
  how: How,
): Promise<boolean> {
  const { place } = site;
  if (place === null) return false;
  const doubts = site.upstreams.map(async (upstream) => {
    const { dial, wanted, address } = upstream;
    const own = ownPort(upstream, site, adapted);
    if (own !== null) return own === 'loop';
    if (dial === null || !['http', 'https'].includes(wanted)) return false;
    if ('path' in dial && how.isApart) return false;
    const to = 'path' in dial ? dial : await resolved(dial);
    if (to === null) return true;
    const peer: Peer = { place: to, tls: wanted === 'https' ? upstream.serverName : null };
    const host = hostFor(upstream, hostOf(place));
    const request = requestFor(how.path, host, how.userAgent, forwarded(place));
    const reply = await asks(address)(peer, request);
    return reply !== null && !isInOrder(reply, place, how.path, upstream);
  });
  return (await Promise.all(doubts)).includes(true);
}

/** The `Host` that the upstream gets. */
function hostFor(upstream: SiteUpstream, visitors: string): string {
  if (upstream.host === null) return visitors;
  return upstream.host.includes('{') ? hostOfUpstream(upstream) : upstream.host;
}

/** What Caddy adds. */
const forwarded = (place: Place): string[] => [
  'X-Forwarded-For: 127.0.0.1',
  `X-Forwarded-Proto: ${place.tls ? 'https' : 'http'}`,
  `X-Forwarded-Host: ${hostOf(place)}`,
];

/** Whether a response needs no explanation: a page, a question for a password, a redirect within the site. */
function isInOrder(
  reply: Reply,
  place: Place,
  path: string,
  { verified }: Pick<SiteUpstream, 'verified'> = { verified: true },
): boolean {
  if (reply.kind !== 'http' || (verified && reply.certificate?.trusted === false)) return false;
  if (reply.status >= 500 || DOUBTFUL.includes(reply.status)) return false;
  if (reply.status < 300 || reply.status > 399) return true;
  const origin = `${place.tls ? 'https' : 'http'}://${hostOf(place)}`;
  const to = URL.parse(reply.headers.get('location') ?? '', `${origin}${path}`);
  return to !== null && to.origin === origin && to.pathname !== path.replace(/\?.*$/, '');
}
