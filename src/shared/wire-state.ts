/** What the agent tells the hub of the proxy's sites: schemas, as in wire.ts. */
import { type Static, t } from 'elysia';

const Moment = t.String({ description: 'ISO 8601 UTC with milliseconds' });

export const SiteCertificate = t.Object({
  issuer: t.String({
    description: 'common name and organisation',
    examples: ["R11 (Let's Encrypt)"],
  }),
  names: t.Array(t.String(), { description: 'host names it is good for, at most 100' }),
  notBefore: Moment,
  notAfter: Moment,
  fingerprint: t.String({ description: 'SHA-256 in hexadecimal, with colons' }),
});
export type SiteCertificate = Static<typeof SiteCertificate>;

export const SiteError = t.Object({
  kind: t.Union([t.Literal('acme'), t.Literal('upstream')]),
  at: Moment,
  message: t.String({ description: 'the proxy’s own words, without host paths' }),
  standing: t.Boolean({ description: 'false where a later request was answered without an error' }),
  retryAt: t.Optional(t.String({ description: 'when the proxy tries again, where it says so' })),
});
export type SiteError = Static<typeof SiteError>;

export const SiteUpstream = t.Object({
  address: t.String({ description: 'as the configuration has it' }),
  up: t.Union([t.Boolean(), t.Null()], {
    description: 'null where the proxy checks no health and no request has failed',
  }),
  requests: t.Union([t.Integer(), t.Null()], { description: 'under way at this moment' }),
  fails: t.Union([t.Integer(), t.Null()], {
    description: 'failures the proxy remembers; it counts them with passive health checks only',
  }),
  error: t.Union([t.Object({ at: Moment, message: t.String() }), t.Null()], {
    description: 'why it is down, where the proxy said so',
  }),
});
export type SiteUpstream = Static<typeof SiteUpstream>;

/** A certificate, or why there is none; both null where nobody has looked yet, or need not. */
const shownCertificate = {
  tls: t.Boolean(),
  certificate: t.Union([SiteCertificate, t.Null()]),
  reason: t.Union([t.String(), t.Null()], { description: 'why there is no certificate' }),
  checkedAt: t.Union([Moment, t.Null()], { description: 'when the handshake was made' }),
  automated: t.Boolean({ description: 'the proxy renews it by itself' }),
};

/** What the proxy knows of one host name of one of its servers; the empty name is any other host. */
export const SiteState = t.Object({
  name: t.String(),
  ports: t.Array(t.Integer()),
  ...shownCertificate,
  upstreams: t.Array(SiteUpstream),
  errors: t.Array(SiteError),
});
export type SiteState = Static<typeof SiteState>;

/** `names`: those alone, and they are waited for; a host without port and brackets. */
export const SitesRequest = t.Object({ names: t.Optional(t.Array(t.String())) });
export const SitesAnswer = t.Object({ sites: t.Array(SiteState) });

/** The certificates alone, which asks nothing of the proxy but handshakes that are due. */
export const CertificatesAnswer = t.Object({
  sites: t.Array(t.Object({ name: t.String(), ports: t.Array(t.Integer()), ...shownCertificate })),
});
export type CertificatesAnswer = Static<typeof CertificatesAnswer>;
