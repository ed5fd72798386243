/** The schemas for the state of the proxy's sites, which the agent sends to the hub. */
import { type Static, t } from 'elysia';
import { integer } from '../integer.ts';

const Moment = t.String({ description: 'ISO 8601 UTC with milliseconds' });

export const SiteCertificate = t.Object({
  issuer: t.String({
    description: 'common name and organisation',
    examples: ["R11 (Let's Encrypt)"],
  }),
  names: t.Array(t.String(), { description: 'host names it is valid for, at most 100' }),
  notBefore: Moment,
  notAfter: Moment,
  fingerprint: t.String({ description: 'SHA-256 in hexadecimal, with colons' }),
});
export type SiteCertificate = Static<typeof SiteCertificate>;

export const SiteError = t.Object({
  kind: t.Union([t.Literal('acme'), t.Literal('upstream')]),
  at: Moment,
  message: t.String({ description: 'the proxy’s own words, without host paths' }),
  standing: t.Boolean({ description: 'false after a later request succeeded' }),
  retryAt: t.Optional(t.String({ description: 'when the proxy tries again, if it says so' })),
});
export type SiteError = Static<typeof SiteError>;

export const SiteUpstream = t.Object({
  address: t.String({ description: 'as in the configuration' }),
  up: t.Union([t.Boolean(), t.Null()], { description: 'null if unknown' }),
  requests: t.Union([integer(), t.Null()], { description: 'currently open' }),
  fails: t.Union([integer(), t.Null()], {
    description:
      'failures that the proxy remembers; it counts them only with passive health checks',
  }),
  error: t.Union(
    [
      t.Object({
        at: Moment,
        message: t.String(),
        transient: t.Optional(
          t.Literal(true, {
            description:
              'a request failed although the agent can connect; this counts for a minute',
          }),
        ),
      }),
      t.Null(),
    ],
    { description: 'why it is down, according to the agent or the proxy' },
  ),
  since: t.Union([Moment, t.Null()], { description: 'since when it has been up, or down' }),
  lastChecked: t.Union([Moment, t.Null()], {
    description: 'when the agent last probed it, or saw it answer or fail',
  }),
  latencyMs: t.Union([t.Number(), t.Null()], {
    description:
      'how long the agent’s last connection to it took, with the TLS handshake if there is one',
  }),
  unknown: t.Union([t.String(), t.Null()], { description: 'why its state is unknown' }),
});
export type SiteUpstream = Static<typeof SiteUpstream>;

/** `unknown` of an upstream of which more will be known soon. */
export const NOT_DIALLED_YET = 'The agent has not probed this upstream yet.';

/** Caddy's own authority, public ones, or any other, such as an ACME server of one's own. */
export type Authority = 'internal' | 'public' | 'other';

export const NullableAuthority = t.Union(
  [t.Literal('internal'), t.Literal('public'), t.Literal('other'), t.Null()],
  {
    description:
      'who signs the certificates that the proxy renews: its own authority, public ones, or another; null if unknown, or without TLS',
  },
);

/** Who signs the certificates that the proxy renews. */
const signing = {
  kept: t.Optional(
    t.Boolean({
      description: 'whether the certificate is one that the hub keeps; then nobody signs',
    }),
  ),
  authority: NullableAuthority,
  dns: t.Boolean({ description: 'whether the proxy uses the DNS challenge' }),
};

/** A certificate, or the reason for having none; both null before the first handshake, or without TLS. */
const shownCertificate = {
  tls: t.Boolean(),
  certificate: t.Union([SiteCertificate, t.Null()]),
  reason: t.Union([t.String(), t.Null()], { description: 'why there is no certificate' }),
  checkedAt: t.Union([Moment, t.Null()], { description: 'when the handshake was made' }),
  automated: t.Boolean({ description: 'whether the proxy renews it' }),
  ...signing,
};

/** The state of one host name of one of the proxy's servers; the empty name is any other host. */
export const SiteState = t.Object({
  name: t.String(),
  ports: t.Array(integer()),
  ...shownCertificate,
  upstreams: t.Array(SiteUpstream),
  errors: t.Array(SiteError),
});
export type SiteState = Static<typeof SiteState>;

/**
 * `names` limits the answer to these hosts, written without port and brackets. `wait`: after a change,
 * dials their upstreams again, waits that many milliseconds at most, and leaves out what was before.
 * `brief`, for whoever asks all the time: without the upstreams' `requests` and `fails`, because Caddy
 * logs each request for those, and without `lastChecked` and `latencyMs`, so that the answer stays the same for as long
 * as nothing happens.
 */
export const SitesRequest = t.Object({
  names: t.Optional(t.Array(t.String())),
  wait: t.Optional(integer({ minimum: 0, maximum: 10_000 })),
  brief: t.Optional(t.Boolean()),
});
export const SitesAnswer = t.Object({ sites: t.Array(SiteState) });

/** Only the certificates, which cost the proxy no more than the handshakes that are due. */
export const CertificatesAnswer = t.Object({
  sites: t.Array(
    t.Object({
      name: t.String(),
      ports: t.Array(integer()),
      ...shownCertificate,
      error: t.Union([t.Omit(SiteError, ['kind']), t.Null()]),
    }),
  ),
});
export type CertificatesAnswer = Static<typeof CertificatesAnswer>;

/** The root of Caddy's own authority in PEM; null if it signs nothing. */
export const RootAnswer = t.Object({ certificate: t.Union([t.String(), t.Null()]) });

/** What Caddy was built with, such as `http.handlers.reverse_proxy`; null if it cannot be asked. */
export const ModulesAnswer = t.Object({ modules: t.Union([t.Array(t.String()), t.Null()]) });

/** Who would sign the certificates of a Caddyfile, and the DNS providers that the proxy has. */
export const AuthoritiesAnswer = t.Object({
  sites: t.Array(
    t.Object({ name: t.String(), ports: t.Array(integer()), tls: t.Boolean(), ...signing }),
  ),
  dnsProviders: t.Array(t.String()),
});
export type AuthoritiesAnswer = Static<typeof AuthoritiesAnswer>;
