/** Looks at one upstream of a site: where it is, whether it takes connections, and what it speaks. */
import type { UpstreamFinding } from '../../../src/features/explain/wire.ts';
import type { JsonObject } from '../../../src/shared/json.ts';
import { isLoopback } from '../../../src/shared/loopback.ts';
import { countReachable } from '../../caddy/ports/sockets.ts';
import { createLookup } from '../../sites/upstreams/resolver.ts';
import { requestFor } from './exchange.ts';
import { ownPort, type Site, type SiteUpstream } from './site.ts';
import { type createAsking, NOT_ASKED, type Speech, speak } from './speak.ts';
import { hostOfUpstream } from './visit.ts';

type How = {
  site: Site;
  adapted: JsonObject;
  /** That a visitor asks for. */
  path: string;
  userAgent: string;
  /** Whether only Caddy's user may open its sockets. */
  isApart: boolean;
  ask: ReturnType<typeof createAsking>['ask'];
};

export async function lookAtUpstream(upstream: SiteUpstream, how: How): Promise<UpstreamFinding> {
  const { address, dial, signIn, wanted, spared, unknown } = upstream;
  const own = ownPort(upstream, how.site, how.adapted);
  const host = dial && 'host' in dial ? dial.host : null;
  // What a listener of this Caddy is asked would be in the log of visitors.
  const speech = own === null ? await spoken(upstream, how) : NOT_ASKED;
  return {
    address,
    signIn,
    wanted,
    spared,
    unknown,
    own: typeof own === 'object' ? own && 'site' : own,
    loopback: host !== null && isLoopback(host),
    instead: speech.connects === 'refused' ? elsewhere(dial) : null,
    ...speech,
  };
}

async function spoken(upstream: SiteUpstream, how: How): Promise<Speech> {
  const { dial } = upstream;
  if (dial === null || ('path' in dial && how.isApart)) return NOT_ASKED;
  const to = 'path' in dial ? dial : await resolved(dial);
  if (to === null) return { ...NOT_ASKED, connects: 'name' };
  const request = requestFor(how.path, hostOfUpstream(upstream), how.userAgent);
  return speak({ ...upstream, dial: to }, request, how.ask);
}

const lookup = createLookup();

/** With an address as Caddy finds it, of IPv4 if there is one; null if the name is not known. */
export async function resolved({ host, port }: { host: string; port: number }) {
  if (/^[\d.]+$|:/.test(host)) return { host, port };
  const addresses = await lookup(host).catch(() => []);
  const [first] = addresses.toSorted((a, b) => Number(a.includes(':')) - Number(b.includes(':')));
  return first === undefined ? null : { host: first, port };
}

/** Where a port of this machine is open that is refused: programs often listen on IPv6 alone. */
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
