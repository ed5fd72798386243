/** All that an explanation goes by: the findings of the agent, and what the hub knows of the site and its certificate. */

import { type AdviceFacts, adviceOf, explainAcme } from '../../hub/watch/sites/advice.ts';
import type { SiteState } from '../../shared/wire/sites.ts';
import type { Findings, UpstreamFinding } from './wire.ts';
import type { Cause } from './words.ts';

/** `own`: signed by Caddy's own authority; `unknown`: not looked at. */
type CertificateFacts = {
  state: 'plain' | 'unknown' | 'valid' | 'own' | 'pending' | 'refused' | 'expired';
  /** About it, for people. */
  words: string;
};

export type Facts = Findings & {
  /** A host name, maybe with `*`; empty for any. */
  host: string;
  port: number;
  /** That the visitor asks for. */
  path: string;
  /** The names of the policies on the site. */
  policies: readonly string[];
  /** Whether other proxies of this hub serve the site, to whose machines the name may point. */
  hasOthers: boolean;
  certificate: CertificateFacts;
  /** Now, in milliseconds since 1970. */
  time: number;
};

/** How the text of a site would have to change. */
export type Change = {
  /** The upstream it is about, as in Caddy's configuration. */
  address: string;
  /** Another scheme for it. */
  scheme?: 'http' | 'https' | 'h2c';
  /** Another address for it. */
  to?: string;
  /** Whether its certificate is not to be verified. */
  unverified?: true;
  /** Whether it gets its own name as `Host`. */
  ownHost?: true;
};

/** That a cause holds here. */
export type Evidence = {
  words: string;
  /** Whether another cause would explain it as well. */
  isDoubtful?: boolean;
  /** What to do here, where that is more than the advice. */
  cure?: string;
  change?: Change;
};

/** A cause, and what shows it. `CAUSE_WORDS` has its words. */
export type Row = {
  code: Cause;
  /** Null: nothing shows it. */
  test: (facts: Facts) => Evidence | null;
};

/** The first upstream of the page itself for which something holds. */
export const upstreamWith = (
  { upstreams }: Facts,
  holds: (one: UpstreamFinding) => boolean,
): UpstreamFinding | undefined => upstreams.find((one) => !one.signIn && holds(one));

/** The same, but none that answered the site's own request: Caddy has found a way to it, by another address of its name. */
export const unansweredWith = (
  facts: Facts,
  holds: (one: UpstreamFinding) => boolean,
): UpstreamFinding | undefined =>
  upstreamWith(facts, (one) => one.address !== facts.asked?.by && holds(one));

/** Whether visitors get an answer in spite of an upstream that fails, because Caddy goes to another one. */
export const isSpared = ({ asked }: Facts, { spared }: UpstreamFinding): boolean =>
  spared && asked?.landed != null && asked.landed < 500;

/** Whether Caddy itself answered with an error about an upstream. */
export const isCaddysError = ({ asked }: Facts): boolean =>
  asked != null && asked.by === null && asked.error !== null && (asked.landed ?? 500) >= 500;

/** A query may hold a secret. */
export const pathOf = (path: string): string => path.replace(/[?#].*$/, '');

/** Why a host lacks a certificate that is valid for long; null: that is not certain. @param time as of `certificateFacts` */
export function certificateCause(state: SiteState, time: number): Cause | null {
  const { certificate, automated, errors } = state;
  const refusal = errors.find(({ kind, standing }) => kind === 'acme' && standing);
  if (refusal) return explainAcme(refusal.message).isUnreached ? null : 'CERTIFICATE_REFUSED';
  const isExpired = certificate !== null && Date.parse(certificate.notAfter) < time;
  return isExpired && !automated ? 'CERTIFICATE_EXPIRED' : null;
}

/** Nobody has refused a certificate for these reasons. */
const WAITS: readonly string[] = ['OFFLINE', 'PORT'];

/**
 * @param state what the agent says of the host; undefined: nothing
 * @param ports of HTTP and HTTPS
 * @param time now, in milliseconds since 1970
 */
export function certificateFacts(
  state: SiteState | undefined,
  ports: AdviceFacts['ports'],
  time: number,
): CertificateFacts {
  if (!state) return { state: 'unknown', words: 'It was not looked at.' };
  if (!state.tls) return { state: 'plain', words: 'Visitors use plain HTTP: there is none.' };
  const { name, certificate, reason, authority, automated, dns } = state;
  if (certificate) {
    if (Date.parse(certificate.notAfter) < time) {
      return { state: 'expired', words: `It expired on ${certificate.notAfter.slice(0, 10)}.` };
    }
    const isOwn = authority === 'internal' && automated;
    const words = `It is valid until ${certificate.notAfter.slice(0, 10)}, signed by ${certificate.issuer}.`;
    return { state: isOwn ? 'own' : 'valid', words };
  }
  const { message: refusal = null } =
    state.errors.find(({ kind, standing }) => kind === 'acme' && standing) ?? {};
  const isLookedAt = reason !== null || refusal !== null;
  const advice = adviceOf({ name, authority, dns, certified: false, ports, refusal });
  if (advice && isLookedAt) {
    return { state: WAITS.includes(advice.code) ? 'pending' : 'refused', words: advice.message };
  }
  if (reason === null) return { state: 'unknown', words: 'It was not looked at yet.' };
  if (!automated) return { state: 'unknown', words: reason };
  // Caddy's own authority signs within a moment, and may not have been asked again since.
  const isSoon = authority === 'internal' || reason.startsWith('Issued on demand');
  return { state: isSoon ? 'unknown' : 'pending', words: reason };
}
