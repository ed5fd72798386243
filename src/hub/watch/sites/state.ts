/** The state of a vhost, assembled from what the proxy knows of its addresses. */
import { type Ports, portOptions } from '../../../shared/caddyfile/globals.ts';
import {
  NOT_DIALLED_YET,
  type SiteError,
  type SiteState,
  type SiteUpstream,
} from '../../../shared/wire/sites.ts';
import type { Warning } from '../../http/schemas.ts';
import { type Endpoint, endpointsUnder, keyOfEndpoint } from '../../model/endpoints.ts';
import type { SiteSet, Vhost } from '../../model/vhost.ts';
import type { FailingCheck } from '../checks.ts';
import { adviceOf } from './advice.ts';
import { daysLeft, isLate, withRenewal } from './certificates.ts';
import type { Unserved } from './unserved.ts';
import type { VhostState } from './view.ts';

/** The host names under which the agent knows a vhost. */
export const namesOf = (vhost: Vhost, { preamble }: SiteSet): string[] =>
  endpointsUnder(preamble)(vhost).map(({ name }) => name);

/**
 * Returns a function that gives the state of any vhost of the set.
 * @param sites as the agent reported them
 * @param unserved the vhosts that are not served
 * @param failing the check of a vhost, if it fails at the agent
 * @param refusal why the proxy refuses what is stored as a whole; null if it does not
 */
export function statesOf(
  set: SiteSet,
  sites: readonly SiteState[],
  unserved: readonly Unserved[],
  failing: (vhost: number) => FailingCheck | null,
  now: Date,
  refusal: string | null,
): (vhost: Vhost) => VhostState {
  const endpointsOf = endpointsUnder(set.preamble);
  const ports = portOptions(set.preamble);
  const byEndpoint = new Map(
    sites.flatMap((site) => {
      const known = withRenewal(site, set);
      return site.ports.map((port) => [keyOfEndpoint({ name: site.name, port }), known] as const);
    }),
  );
  const problems = new Map(unserved.map(({ vhost, detail }) => [vhost.id, detail]));
  return (vhost) => {
    const state = stateOf(vhost, endpointsOf(vhost), byEndpoint, { ports, now });
    const isLacking = refusal !== null && vhost.enabled && isNowhere(state.addresses);
    const problem = problems.get(vhost.id) ?? (isLacking ? refusedWhole(refusal) : null);
    const check = vhost.check === null ? null : checkOf(failing(vhost.id));
    const isOpen =
      vhost.enabled && problem === null && (isUnseen(state) || isOnItsWay(vhost, state, now));
    const { id, domain, enabled, addresses, upstreams, errors } = state;
    const warnings = warningsOf({ problem, upstreams, addresses });
    const all = { id, domain, enabled, addresses, upstreams, errors, problem, check, warnings };
    return isOpen ? { ...all, checking: true } : all;
  };
}

/** A disabled vhost is not served, even if another one has its addresses now. */
function stateOf(
  vhost: Vhost,
  endpoints: readonly Endpoint[],
  byEndpoint: ReadonlyMap<string, SiteState>,
  known: { ports: Ports; now: Date },
): Omit<VhostState, 'problem' | 'check' | 'warnings'> {
  const found = endpoints.map((endpoint) => {
    const site = vhost.enabled ? byEndpoint.get(keyOfEndpoint(endpoint)) : undefined;
    return { endpoint, site };
  });
  const sites = found.flatMap(({ site }) => site ?? []);
  const upstreams = upstreamsOf(sites);
  const addresses = found.map(({ endpoint, site }) => addressOf(endpoint, site, known));
  return {
    id: vhost.id,
    domain: vhost.domain,
    enabled: vhost.enabled,
    addresses,
    upstreams,
    errors: { acme: lastError(sites, 'acme'), upstream: lastError(sites, 'upstream') },
  };
}

type Seen = Pick<VhostState, 'addresses' | 'upstreams'>;

/** Whether nobody has looked at its addresses or upstreams yet. */
const isUnseen = ({ addresses, upstreams }: Seen): boolean =>
  isNowhere(addresses) ||
  upstreams.some(isUndialled) ||
  bareOf(addresses).some(({ checkedAt }) => checkedAt === null);

const refusedWhole = (reason: string): string => `Caddy refuses what is stored: ${reason}`;

/** Milliseconds: an authority takes some seconds, and by DNS a minute or two. */
const ON_ITS_WAY_MS = 120_000;

/** Whether it is so new, or changed so recently, that a certificate which it lacks may just be on its way. */
function isOnItsWay(
  { updatedAt }: Vhost,
  { addresses, errors }: Seen & Errors,
  now: Date,
): boolean {
  const age = now.getTime() - updatedAt.getTime();
  if (errors.acme?.standing || age < 0 || age > ON_ITS_WAY_MS) return false;
  return bareOf(addresses).some(({ automated, advice }) => automated && advice === null);
}
type Errors = Pick<VhostState, 'errors'>;

/** Whether the proxy serves none of these. */
export const isNowhere = (addresses: Seen['addresses']): boolean =>
  addresses.length > 0 && addresses.every(({ served }) => !served);

export const isUndialled = ({ up, unknown }: SiteUpstream): boolean =>
  up === null && unknown === NOT_DIALLED_YET;

/** Those that lack a certificate, or may. One that is issued on demand has a reason, and is never asked for. */
export const bareOf = (addresses: Seen['addresses']): Seen['addresses'] =>
  addresses.filter(
    ({ served, name, tls, certificate, reason, checkedAt }) =>
      served &&
      tls &&
      name !== '' &&
      certificate === null &&
      (checkedAt !== null || reason === null),
  );

const checkOf = (failing: FailingCheck | null): VhostState['check'] =>
  failing && { failingSince: failing.since.toISOString(), reason: failing.reason };

/** What a visitor would notice now. */
export const warningsOf = ({
  problem,
  upstreams,
  addresses,
}: Pick<VhostState, 'problem' | 'upstreams' | 'addresses'>): Warning[] => [
  ...(problem === null ? [] : [{ code: 'NOT_SERVED', message: problem }]),
  ...upstreamWarnings(upstreams),
  ...certificateWarnings(addresses),
];

/** What Caddy writes before the reason: `dial tcp 127.0.0.1:8000: connect: connection refused`. */
const DIALLED = /^dial \w+ \S+: (?:connect: )?/;

/** One for each upstream that is down. */
const upstreamWarnings = (upstreams: readonly SiteUpstream[]): Warning[] =>
  upstreams
    .filter(({ up }) => up === false)
    .map(({ address, error }) => {
      const reason = error?.message.replace(DIALLED, '');
      const message = `${address} does not answer${reason ? `: ${reason}` : ''}`;
      return { code: 'UPSTREAM_DOWN', message };
    });

/** Of the addresses that are served over TLS, in their order. */
export const certificateWarnings = (addresses: Seen['addresses']): Warning[] =>
  addresses.flatMap(({ name, tls, certificate, advice }) =>
    tls && !certificate && advice
      ? { code: 'NO_CERTIFICATE', message: `${name} has no certificate: ${advice.message}` }
      : [],
  );

function addressOf(
  { name, port }: Endpoint,
  site: SiteState | undefined,
  { ports, now }: { ports: Ports; now: Date },
) {
  const certificate = site?.certificate ?? null;
  const time = now.getTime();
  const refusal = site?.errors.find(({ kind, standing }) => kind === 'acme' && standing);
  return {
    name,
    port,
    served: site !== undefined,
    tls: site?.tls ?? false,
    certificate: certificate && {
      ...certificate,
      daysLeft: daysLeft(new Date(certificate.notAfter), time),
      overdue: isLate(
        {
          automated: site?.automated ?? false,
          notBefore: new Date(certificate.notBefore),
          notAfter: new Date(certificate.notAfter),
        },
        time,
      ),
    },
    reason: site?.reason ?? null,
    checkedAt: site?.checkedAt ?? null,
    automated: site?.automated ?? false,
    authority: site?.authority ?? null,
    advice: site?.tls
      ? adviceOf({
          name,
          authority: site.authority,
          dns: site.dns,
          certified: certificate !== null,
          ports,
          refusal: refusal?.message ?? null,
        })
      : null,
  };
}

/** Each address once; down if it is down for any of the host names, or agents. */
export function upstreamsOf(sites: readonly Pick<SiteState, 'upstreams'>[]): SiteUpstream[] {
  const [first] = sites;
  if (first && sites.length === 1) return first.upstreams;
  const found = new Map<string, SiteUpstream>();
  for (const upstream of sites.flatMap((site) => site.upstreams)) {
    const known = found.get(upstream.address);
    if (!known || upstream.up === false) found.set(upstream.address, upstream);
  }
  return [...found.values()];
}

/** The last error of a kind, with the host name it occurred at; null if there is none. */
function lastError(sites: readonly SiteState[], kind: SiteError['kind']) {
  // Of 10,000 sites, hardly one has an error.
  if (sites.every(({ errors }) => errors.length === 0)) return null;
  const all = sites.flatMap(({ name, errors }) =>
    errors.filter((error) => error.kind === kind).map((error) => ({ name, ...error })),
  );
  const [last] = all.toSorted((a, b) => (a.at < b.at ? 1 : -1));
  if (!last) return null;
  const { kind: _, ...error } = last;
  return error;
}
