/** What the containers of an agent make of the sites that they keep. Pure. */

import { addressKey } from '../../hub/caddyfile/address.ts';
import { endpointsUnder } from '../../hub/model/endpoints.ts';
import { containersOf, saysTheSame } from '../../hub/model/source.ts';
import type { SiteSet, Vhost } from '../../hub/model/vhost.ts';
import { newVhost } from '../../hub/model/vhost-changes.ts';
import { memoize } from '../../shared/memoize.ts';
import { oneLine } from '../../shared/one-line.ts';
import { taken } from '../apply/document.ts';
import { type AppliedSite, PLAIN_CONFIG } from '../apply/schemas.ts';
import { type Labelled, labelledSites } from './labels.ts';
import type { Container, Containers } from './wire.ts';

/** What a container asks for. `site`: null if its site stays as it is; `off`: it does not run. */
type Claim = {
  container: Container;
  domain: string;
  site: AppliedSite | 'off' | null;
  /** What is wrong with its labels, or why it is not reached; null: nothing. */
  fault: string | null;
};

export type Claims = {
  /** By the normal form of the domain. */
  claims: ReadonlyMap<string, Claim>;
  /** Why containers are no sites, by their ids. */
  reasons: ReadonlyMap<string, readonly string[]>;
  /** Whether an upstream is that of a container whose labels are at fault, and do not say for which domain. */
  leadsToUnclear: (upstream: string) => boolean;
};

/** Engines restart and pause containers: what they serve comes back. */
const PASSING = ['restarting', 'paused'];

/** Of an agent: each may cost a certificate. */
const MOST_SITES = 1_000;

/** Of two containers with one domain, the one that has run longer has it. */
export function claimsOf(known: Containers): Claims {
  const claims = new Map<string, Claim>();
  const reasons = new Map<string, string[]>();
  const owners = new Map<string, Container>();
  const note = ({ id }: Container, reason: string) =>
    void reasons.set(id, [...(reasons.get(id) ?? []), reason]);
  const all = (known.containers ?? []).flatMap((container) => {
    const found = labelledSites(container, known);
    if (found.length === 0) note(container, 'It has no label signalbox.domain.');
    return found.map((one) => ({ container, ...one }));
  });
  for (const { container, domain, domains, site, fault } of all.toSorted(byRank)) {
    const isOn = container.state === 'running';
    if (fault !== null && isOn) note(container, fault);
    if (domain === null) continue;
    const keys = domains.map((one) => addressKey(one));
    const taken = keys.findIndex((one) => owners.has(one));
    const other = owners.get(keys[taken] ?? '');
    if (other) {
      note(container, `The container ${oneLine(other.name)} has ${domains[taken]} already.`);
      continue;
    }
    if (claims.size >= MOST_SITES) {
      note(container, `The containers of this agent ask for more than ${MOST_SITES} sites.`);
      continue;
    }
    for (const one of keys) owners.set(one, container);
    const key = addressKey(domain);
    if (!isOn) note(container, `It is not running, but ${oneLine(container.state)}.`);
    const isOff = !isOn && !PASSING.includes(container.state);
    claims.set(key, {
      container,
      domain,
      fault: isOn ? fault : null,
      site: isOff ? 'off' : isOn ? site : null,
    });
  }
  const unclear = all.flatMap(({ domain, container }) => (domain === null ? [container] : []));
  const leadsToUnclear = (upstream: string) => unclear.some((one) => leadsTo(upstream, one));
  return { claims, reasons, leadsToUnclear };
}

function leadsTo(upstream: string, { ports, host }: Container): boolean {
  const address = upstream.replace(/^\w+:\/\//, '');
  const isOwn = host !== null && address.startsWith(`${host}:`);
  return isOwn || ports.some((port) => port.address === address);
}

type Ranked = Labelled & { container: Container };

/** Those that can be served first, then the one that has run longest. */
const byRank = (a: Ranked, b: Ranked): number =>
  rankOf(a) - rankOf(b) || startOf(a) - startOf(b) || (a.container.id < b.container.id ? -1 : 1);

const rankOf = ({ container: { state }, site }: Ranked): number =>
  PASSING.includes(state) ? 0 : state !== 'running' ? 1 : site === null ? 2 : 0;

const startOf = ({ container: { startedAt } }: Ranked): number => Date.parse(startedAt ?? '') || 0;

/** The sites that a source of containers keeps, by the normal forms of their domains. */
export const sitesOf = (source: string, set: SiteSet): ReadonlyMap<string, Vhost> =>
  bySource(set).get(source) ?? new Map();

const bySource = memoize(({ vhosts }: SiteSet) => {
  const found = new Map<string, Map<string, Vhost>>();
  for (const vhost of vhosts) {
    if (!vhost.source?.startsWith(containersOf(''))) continue;
    const own = found.get(vhost.source) ?? new Map<string, Vhost>();
    found.set(vhost.source, own.set(addressKey(vhost.domain), vhost));
  }
  return found;
});

/** A site of the source, and what a document says to leave it as it is. */
type Present = { vhost: Vhost; site: AppliedSite };

/**
 * What a document of the source says of a site. What people changed stays as long as the container says the
 * same as before.
 * @param present the site of this domain, if it is there
 * @returns null if there is nothing to say, and so no site; the one of `present` if it stays as it is
 */
export function saidOf(
  { domain, site }: Claim,
  present: Present | undefined,
  set: SiteSet,
  agent: string,
): AppliedSite | null {
  if (!present) return site === 'off' || site === null ? null : { ...site, agents: [agent] };
  if (site === null) return present.site;
  const said = site === 'off' ? { ...present.site, enabled: false } : { ...site, agents: [agent] };
  try {
    const wanted = newVhost({ ...said, domain }, set, present.vhost.updatedAt);
    return saysTheSame(present.vhost, wanted) ? present.site : said;
  } catch {
    // Applying it says why.
    return said;
  }
}

/** What no proxy need be asked for. @throws Failure if the source cannot have such a site */
export function assertPossible(
  domain: string,
  site: AppliedSite,
  source: string,
  set: SiteSet,
): void {
  const wanted = newVhost({ config: PLAIN_CONFIG, ...site, domain }, set, new Date(0));
  const there = hostsOf(wanted, set)
    .flatMap((host) => byHost(set).get(host) ?? [])
    .find((vhost) => vhost.source !== source);
  if (there) throw taken(there, 'Remove that site, or the label.');
}

/** Without schemes and ports: another one of the same host is the same site to visitors and their cookies. */
const hostsOf = (vhost: Vhost, { preamble }: SiteSet): string[] =>
  endpointsUnder(preamble)(vhost).map(({ name }) => name);

const byHost = memoize((set: SiteSet): ReadonlyMap<string, Vhost[]> => {
  const found = new Map<string, Vhost[]>();
  for (const vhost of set.vhosts) {
    for (const host of hostsOf(vhost, set)) found.set(host, [...(found.get(host) ?? []), vhost]);
  }
  return found;
});
