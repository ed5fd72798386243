/** The problems of single vhosts. Pure. */

import { listed, type Problem } from '../problem.ts';
import type { EndingCertificate } from '../sites/certificates.ts';
import type { VhostState } from '../sites/view.ts';

type Address = Pick<VhostState['addresses'][number], 'name' | 'tls' | 'reason' | 'checkedAt'> & {
  certificate: object | null;
  /** Why no public certificate can come. */
  advice?: { message: string } | null;
};

type Upstream = Pick<VhostState['upstreams'][number], 'address' | 'up' | 'error'> & {
  since?: string | null;
};

/** What the proxy knows of a vhost. */
export type SiteFacts = Pick<VhostState, 'id' | 'domain' | 'enabled'> & {
  addresses: readonly Address[];
  upstreams: readonly Upstream[];
  errors: Pick<VhostState['errors'], 'acme'>;
  /** Not everything of it has been looked at since a start or a change. */
  checking?: true;
};

/** A site whose check fails at an agent; `since` in ISO 8601, `reason`: what came instead. */
export type FailingSite = Readonly<{ id: number; domain: string; since: string; reason: string }>;

/** Those that do not answer as their checks require; with the same answer, they are one problem. */
export const failingChecks = (sites: readonly FailingSite[]): Problem[] =>
  sites.map(({ id, domain, since, reason }) => ({
    code: 'CHECK_FAILING',
    level: 'bad',
    vhost: { id, domain },
    cause: reason,
    since,
    settles: 'checkSettles',
    message: `The check fails: ${reason}`,
  }));

/** Those with an upstream that does not answer. */
export function downUpstreams(sites: readonly SiteFacts[]): Problem[] {
  return sites.flatMap(({ id, domain, enabled, upstreams }) => {
    const down = upstreams.filter(({ up }) => up === false);
    if (!enabled || down.length === 0) return [];
    const all = down.length === upstreams.length;
    const verb = down.length === 1 ? 'does not answer' : 'do not answer';
    const words = listed(down.flatMap(({ error }) => error?.message ?? []));
    const starts = down.map(({ since, error }) => since ?? error?.at ?? null);
    return {
      code: 'UPSTREAM_DOWN',
      level: all ? 'bad' : 'warn',
      vhost: { id, domain },
      cause: down.map(({ address }) => address).join(' '),
      since: starts.includes(null) ? null : starts.toSorted()[0],
      ...(down.every(({ error }) => error?.transient === true) && {
        settles: 'requestsSettle' as const,
      }),
      message: `${listed(down.map(({ address }) => address))} ${verb}${words && `: ${words}`}`,
    };
  });
}

/** Those with a name that the proxy has no certificate for. One that it gets on demand is not missing. */
export function missingCertificates(sites: readonly SiteFacts[]): Problem[] {
  return sites.flatMap(({ id, domain, enabled, addresses, errors, checking }) => {
    const bare = addresses.filter(
      ({ tls, certificate, checkedAt }) => tls && certificate === null && checkedAt !== null,
    );
    const [first] = bare;
    if (!enabled || checking || !first) return [];
    const why = first.advice?.message ?? errors.acme?.message ?? first.reason;
    const names = listed(bare.map(({ name }) => name || 'any host'));
    return {
      code: 'CERTIFICATE_MISSING',
      level: 'bad',
      vhost: { id, domain },
      // Without a refusal, it may just be on its way.
      ...(errors.acme?.standing !== true && { settles: 'certificateSettles' as const }),
      message: `No certificate for ${names}${why ? `: ${why}` : ''}`,
    };
  });
}

/** Those whose certificates have expired, or should have been renewed. */
export function lateCertificates(
  certificates: readonly EndingCertificate[],
  sites: readonly SiteFacts[],
): Problem[] {
  const late = certificates.filter(({ overdue, daysLeft }) => overdue || daysLeft < 0);
  if (late.length === 0) return [];
  const words = new Map(sites.map(({ id, errors }) => [id, errors.acme?.message]));
  const groups = Map.groupBy(late, ({ id, daysLeft }) => `${id} ${daysLeft < 0}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group.toSorted((a, b) => (a.notAfter < b.notAfter ? -1 : 1));
    if (!first) return [];
    const { id, domain, daysLeft, notAfter } = first;
    const isOver = daysLeft < 0;
    const what = `The certificate for ${listed(group.map(({ name }) => name))}`;
    const why = words.get(id);
    return {
      code: isOver ? 'CERTIFICATE_EXPIRED' : 'CERTIFICATE_ENDING',
      level: isOver ? 'bad' : 'warn',
      vhost: { id, domain },
      since: isOver ? notAfter : null,
      message: `${what} ${isOver ? 'has expired' : `expires ${momentOf(first)}`} and was not renewed${why ? `: ${why}` : ''}`,
    };
  });
}

/** `on 2026-11-25`; with the time if it is the last day. */
function momentOf({ notAfter, daysLeft }: EndingCertificate): string {
  const day = `on ${notAfter.slice(0, 10)}`;
  return daysLeft > 0 ? day : `${day} at ${notAfter.slice(11, 16)} UTC`;
}
