/** What the proxy knows of a vhost, put together from what it knows of the vhost's addresses. Pure. */
import type { SiteError, SiteState, SiteUpstream } from '../../shared/wire-state.ts';
import type { SiteSet, Vhost } from '../publish/vhost.ts';
import { daysLeft } from './certificates.ts';
import { type Endpoint, endpointsUnder, keyOfEndpoint } from './endpoints.ts';

function byEndpoint(sites: readonly SiteState[]): Map<string, SiteState> {
  return new Map(
    sites.flatMap((site) =>
      site.ports.map((port) => [keyOfEndpoint({ name: site.name, port }), site] as const),
    ),
  );
}

/** The names under which the agent knows a vhost. */
export const namesOf = (vhost: Vhost, { preamble }: SiteSet): string[] =>
  endpointsUnder(preamble)(vhost).map(({ name }) => name);

/**
 * Tells the state of a vhost of the set.
 * @param sites as the agent told them
 */
export function createStates({ preamble }: SiteSet, sites: readonly SiteState[], now: Date) {
  const endpointsOf = endpointsUnder(preamble);
  const known = byEndpoint(sites);
  return (vhost: Vhost) => stateOf(vhost, endpointsOf(vhost), known, now);
}

/** A disabled vhost is not served, whoever else has its addresses by now. */
function stateOf(
  vhost: Vhost,
  endpoints: readonly Endpoint[],
  known: ReadonlyMap<string, SiteState>,
  now: Date,
) {
  const found = endpoints.map((endpoint) => {
    const site = vhost.enabled ? known.get(keyOfEndpoint(endpoint)) : undefined;
    return { endpoint, site };
  });
  const sites = found.flatMap(({ site }) => site ?? []);
  return {
    id: vhost.id,
    domain: vhost.domain,
    enabled: vhost.enabled,
    addresses: found.map(({ endpoint, site }) => addressOf(endpoint, site, now)),
    upstreams: upstreamsOf(sites),
    errors: { acme: newest(sites, 'acme'), upstream: newest(sites, 'upstream') },
  };
}

function addressOf({ name, port }: Endpoint, site: SiteState | undefined, now: Date) {
  const certificate = site?.certificate ?? null;
  return {
    name,
    port,
    served: site !== undefined,
    tls: site?.tls ?? false,
    certificate: certificate && {
      ...certificate,
      daysLeft: daysLeft(new Date(certificate.notAfter), now.getTime()),
    },
    reason: site?.reason ?? null,
    checkedAt: site?.checkedAt ?? null,
    automated: site?.automated ?? false,
  };
}

/** Each address once; that it is down at one of the names is what counts. */
function upstreamsOf(sites: readonly SiteState[]): SiteUpstream[] {
  const found = new Map<string, SiteUpstream>();
  for (const upstream of sites.flatMap((site) => site.upstreams)) {
    const known = found.get(upstream.address);
    if (!known || upstream.up === false) found.set(upstream.address, upstream);
  }
  return [...found.values()];
}

/** The last error of a kind, and the name it came up at; null where there is none. */
function newest(sites: readonly SiteState[], kind: SiteError['kind']) {
  const all = sites.flatMap(({ name, errors }) =>
    errors.filter((error) => error.kind === kind).map((error) => ({ name, ...error })),
  );
  const [last] = all.toSorted((a, b) => (a.at < b.at ? 1 : -1));
  if (!last) return null;
  const { kind: _, ...told } = last;
  return told;
}
