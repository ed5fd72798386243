/** The certificates of all vhosts, and which of them are due. */
import type { Authority, CertificatesAnswer } from '../../../shared/wire/sites.ts';
import type { Agent } from '../../agents/agents.ts';
import { setFor } from '../../model/applied.ts';
import { servedFor } from '../../model/certificate.ts';
import { type Endpoint, endpointsUnder, keyOfEndpoint } from '../../model/endpoints.ts';
import type { SiteSet, Vhost } from '../../model/vhost.ts';
import type { Publisher } from '../../publish/publisher.ts';

/** A certificate that the proxy presents for one host name of a vhost. */
type VhostCertificate = {
  id: number;
  domain: string;
  name: string;
  issuer: string;
  notBefore: Date;
  notAfter: Date;
  /** Whether the proxy renews it automatically. */
  automated: boolean;
  authority: Authority | null;
};

/** A certificate that is due; `notAfter` as ISO 8601. */
export type EndingCertificate = Pick<VhostCertificate, 'id' | 'domain' | 'name' | 'issuer'> & {
  notAfter: string;
  daysLeft: number;
  /** Not renewed automatically, or the proxy should have renewed it by now. */
  overdue: boolean;
};

const DAY_MS = 86_400_000;

/** Two weeks, one of which may be a holiday. */
const SOON_MS = 14 * DAY_MS;

/**
 * Caddy renews its certificates when a third of the lifetime is left; with a sixth left, it has been
 * failing for a sixth. A share, because a fixed time would always flag short-lived certificates.
 */
const OVERDUE_SHARE = 1 / 6;

const MAX_ENDING = 100;

/** What an agent knows of a vhost's name. */
export type KnownName = {
  vhost: Vhost;
  endpoint: Endpoint;
  site: CertificatesAnswer['sites'][number];
};

/** What an agent says of a name, where the hub knows better: it renews what it obtained itself. */
export const withRenewal = <T extends { name: string; kept?: boolean; automated: boolean }>(
  site: T,
  { certificates }: Pick<SiteSet, 'certificates'>,
): T =>
  site.kept ? { ...site, automated: servedFor(site.name, certificates)?.provider != null } : site;

/** The names that are served over TLS, by vhost in rendering order. @throws Failure AGENT_UNREACHABLE, PROXY_UNREACHABLE */
export async function readNames(
  agent: Agent,
  publisher: Pick<Publisher, 'current'>,
): Promise<KnownName[]> {
  const { sites } = await agent.client.certificates();
  const set = setFor(publisher.current(), agent.id);
  const byKey = new Map<string, KnownName['site']>();
  for (const site of sites) {
    const known = withRenewal(site, set);
    for (const port of site.ports) byKey.set(keyOfEndpoint({ name: site.name, port }), known);
  }
  const endpointsOf = endpointsUnder(set.preamble);
  return set.vhosts.flatMap((vhost) =>
    endpointsOf(vhost).flatMap((endpoint) => {
      const site = vhost.enabled ? byKey.get(keyOfEndpoint(endpoint)) : undefined;
      return site ? { vhost, endpoint, site } : [];
    }),
  );
}

/** What the proxy presents, by vhost in rendering order. @throws Failure as `readNames` */
export async function readCertificates(
  agent: Agent,
  publisher: Pick<Publisher, 'current'>,
): Promise<VhostCertificate[]> {
  const names = await readNames(agent, publisher);
  return names.flatMap(({ vhost: { id, domain }, endpoint: { name }, site }) => {
    if (!site.certificate) return [];
    const { automated, authority, certificate } = site;
    const [from, to] = [new Date(certificate.notBefore), new Date(certificate.notAfter)];
    const lasts = { notBefore: from, notAfter: to };
    return { id, domain, name, issuer: certificate.issuer, ...lasts, automated, authority };
  });
}

/** Those that are due, in any order. @throws Failure as `readCertificates` */
export async function endingCertificates(
  agent: Agent,
  publisher: Pick<Publisher, 'current'>,
  now: () => Date,
): Promise<EndingCertificate[]> {
  return endingOf(await readCertificates(agent, publisher), now().getTime());
}

/**
 * Those that expire within 14 days. What the proxy renews counts only once it is late, if its own
 * authority signs it or if it never lasts that long: it would always be listed.
 * @param time milliseconds since 1970
 */
export const endingOf = (all: readonly VhostCertificate[], time: number): EndingCertificate[] =>
  all
    .filter((one) => isSoon(one.notAfter, time) && (isOverdue(one, time) || !isRoutine(one)))
    .map((one) => ({
      id: one.id,
      domain: one.domain,
      name: one.name,
      issuer: one.issuer,
      notAfter: one.notAfter.toISOString(),
      daysLeft: daysLeft(one.notAfter, time),
      overdue: isOverdue(one, time),
    }));

const isRoutine = (one: VhostCertificate): boolean =>
  one.authority === 'internal' || lifetimeOf(one) < SOON_MS;

/** At most 100, overdue ones first, then by expiry. */
export const mostUrgent = <T extends EndingCertificate>(all: readonly T[]): T[] =>
  all
    .toSorted(
      (a, b) =>
        Number(b.overdue) - Number(a.overdue) || Date.parse(a.notAfter) - Date.parse(b.notAfter),
    )
    .slice(0, MAX_ENDING);

/** Whole days from `time` (milliseconds since 1970) to the expiry; negative if it has expired. */
export const daysLeft = (notAfter: Date, time: number): number =>
  Math.floor((notAfter.getTime() - time) / DAY_MS);

const isSoon = (notAfter: Date, time: number): boolean => notAfter.getTime() - time < SOON_MS;

type Lasting = Pick<VhostCertificate, 'automated' | 'notBefore' | 'notAfter'>;

const lifetimeOf = ({ notBefore, notAfter }: Pick<Lasting, 'notBefore' | 'notAfter'>): number =>
  notAfter.getTime() - notBefore.getTime();

/** Whether the proxy does not renew it, or should have by now. */
const isOverdue = (one: Lasting, time: number): boolean =>
  !one.automated || one.notAfter.getTime() - time < lifetimeOf(one) * OVERDUE_SHARE;

/** Whether it expires within 14 days of `time` (milliseconds since 1970), and nothing will renew it. */
export const isLate = (one: Lasting, time: number): boolean =>
  isSoon(one.notAfter, time) && isOverdue(one, time);
