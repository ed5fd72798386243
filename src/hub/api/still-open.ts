/** Warns of websockets that outlive a change: of sites that it deletes, switches off or guards. Pure. */
import type { StillOpen } from '../../shared/wire/proxy.ts';
import type { Warning } from '../http/schemas.ts';
import { endpointsUnder } from '../model/endpoints.ts';
import { isPlacedOn } from '../model/placement.ts';
import type { SiteSet, Vhost } from '../model/vhost.ts';

/** The hosts of vhosts, on whichever proxy they are. */
const hostsOf = (vhosts: readonly Vhost[], { preamble, agents }: SiteSet): Set<string> =>
  new Set(
    vhosts.flatMap((vhost) => {
      const own = agents.filter(({ id }) => isPlacedOn(vhost, id));
      const preambles = new Set([preamble, ...own.flatMap((agent) => agent.preamble ?? [])]);
      return [...preambles].flatMap((text) => endpointsUnder(text)(vhost).map(({ name }) => name));
    }),
  );

/**
 * @param open what outlives the changes that went live together
 * @param vhosts those that were changed, as they were before
 * @param set the one that they were in
 */
export function openWarnings(
  open: readonly StillOpen[],
  vhosts: readonly Vhost[],
  set: SiteSet,
): Warning[] {
  if (open.length === 0) return [];
  const hosts = hostsOf(vhosts, set);
  const found = new Map<string, number>();
  for (const { host, upstream, requests } of open) {
    if (hosts.has(host)) found.set(upstream, Math.max(requests, found.get(upstream) ?? 0));
  }
  return [...found].map(([upstream, requests]) => ({
    code: 'STILL_OPEN',
    message: wordsOf(upstream, requests),
  }));
}

const wordsOf = (upstream: string, requests: number): string =>
  `${requests === 1 ? '1 connection to' : `${requests} connections to`} ${upstream} ${requests === 1 ? 'was' : 'were'} open: websockets stay open for up to 24 hours, or until Caddy restarts`;
