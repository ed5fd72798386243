/** Kept certificates on the wire: what is sent to make one, and what is shown of it. */
import { type Static, t } from 'elysia';
import { type Caller, isViewer } from '../../hub/auth/guard.ts';
import { etagOf, ifMatch } from '../../hub/http/responses.ts';
import { Outcome, outcomeOf, Timestamp } from '../../hub/http/schemas.ts';
import type { Certificate } from '../../hub/model/certificate.ts';
import { type CertificatePrecondition, sitesWith } from '../../hub/model/certificate-changes.ts';
import { chainFacts } from '../../hub/model/pem.ts';
import type { SiteSet } from '../../hub/model/vhost.ts';
import type { Applied } from '../../hub/publish/queue.ts';
import { Failure } from '../../shared/failure.ts';
import { integer } from '../../shared/integer.ts';
import type { CertificateOrder } from './lego/order.ts';
import type { Renewals } from './renewals.ts';

const timestamp = (description: string) =>
  t.Optional(t.String({ format: 'date-time', description }));

export const KeptCertificateView = t.Object(
  {
    id: integer(),
    name: t.String(),
    names: t.Array(t.String(), { description: 'the host names it is valid for' }),
    issuer: t.String(),
    serial: t.String({ description: 'hexadecimal' }),
    notBefore: Timestamp,
    notAfter: Timestamp,
    source: t.Union([t.Literal('upload'), t.Literal('dns')]),
    provider: t.Optional(t.String({ description: 'of DNS, if the hub obtains it itself' })),
    renewsAt: timestamp('when the hub renews it, or tries again'),
    lastError: t.Optional(
      t.String({ description: 'why the last renewal failed, for people; not for viewers' }),
    ),
    failedAt: timestamp('when it did'),
    warning: t.Optional(t.String({ description: 'why some devices may refuse it, for people' })),
    sites: t.Array(integer(), {
      description:
        'the ids of the vhosts that are served with it, unless they have a `tls` of their own',
    }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'KeptCertificate' },
);
export type KeptCertificateView = Static<typeof KeptCertificateView>;

export const ChangedCertificate = t.Composite([KeptCertificateView, Outcome], {
  title: 'ChangedKeptCertificate',
});

/** What the hub is to obtain by DNS-01. What is left out stays as it is stored. */
const Order = {
  names: t.Optional(t.Array(t.String(), { description: 'such as `*.home.example`' })),
  email: t.Optional(t.String({ description: 'of the account at the authority' })),
  dns: t.Optional(
    t.Object({
      provider: t.String({ description: 'an `id` of `GET /certificates/providers`' }),
      credentials: t.Optional(
        t.Record(t.String(), t.String(), {
          description: 'by the names of the provider’s fields; never shown again',
        }),
      ),
      resolvers: t.Optional(
        t.Array(t.String(), {
          description: 'DNS servers to ask instead of the system’s, as `host` or `host:port`',
        }),
      ),
      wait: t.Optional(
        integer({
          description: 'seconds to wait for the record, instead of asking the zone for it',
        }),
      ),
    }),
  ),
};
type GivenOrder = Static<ReturnType<typeof t.Object<typeof Order>>>;

const Given = {
  chain: t.Optional(t.String({ description: 'PEM: the certificate first, then what signed it' })),
  key: t.Optional(
    t.String({ description: 'PEM: the private key, without a passphrase; never shown again' }),
  ),
  ...Order,
};

const Name = t.String({
  description: '1 to 40 lower-case letters, digits and hyphens; not digits alone',
});

export const NewCertificate = t.Object({ name: Name, ...Given }, { title: 'NewKeptCertificate' });

export const CertificateFields = t.Object(
  { name: t.Optional(Name), ...Given },
  { title: 'KeptCertificateChanges' },
);
export type CertificateFields = Static<typeof CertificateFields>;

export const Trial = t.Object(
  {
    id: t.Optional(
      t.String({ description: 'of a kept certificate, with the values that are left out' }),
    ),
    ...Order,
  },
  { title: 'OrderTrial' },
);

export const ByIdOrName = t.Object({
  id: t.String({ description: 'The number or the name.', example: 'home' }),
});

export const UPLOAD = {
  name: 'home',
  chain: '-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----\n',
  key: '-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----\n',
};

export const ORDER = {
  names: ['*.home.example', 'home.example'],
  email: 'ada@example.org',
  dns: { provider: 'cloudflare', credentials: { CF_DNS_API_TOKEN: '…' } },
};

export const CERTIFICATE = {
  id: 1,
  name: 'home',
  names: ORDER.names,
  issuer: "R11 (Let's Encrypt)",
  serial: '04a1b2c3d4',
  notBefore: '2026-11-01T00:00:00.000Z',
  notAfter: '2027-01-30T00:00:00.000Z',
  source: 'dns',
  provider: 'cloudflare',
  renewsAt: '2026-12-30T00:00:00.000Z',
  sites: [1, 2],
  createdAt: '2026-11-20T18:00:00.000Z',
  updatedAt: '2026-11-20T18:00:00.000Z',
};

/** The order that a request asks for. @param stored for what it leaves out @throws Failure INVALID_REQUEST */
export function orderFrom(
  { names = [], email = '', dns }: GivenOrder,
  stored: CertificateOrder | null,
): CertificateOrder {
  const kept = stored?.dns.provider === (dns?.provider ?? stored?.dns.provider) ? stored : null;
  const provider = dns?.provider ?? kept?.dns.provider;
  if (provider === undefined) {
    const at = { field: 'dns.provider' };
    throw new Failure('INVALID_REQUEST', 'Send `chain` and `key`, or `names`, `email` and `dns`.', {
      at,
    });
  }
  return {
    names: names.length > 0 ? names : (stored?.names ?? []),
    email: email === '' ? (stored?.email ?? '') : email,
    dns: {
      provider,
      credentials: dns?.credentials ?? kept?.dns.credentials ?? {},
      resolvers: dns ? dns.resolvers : kept?.dns.resolvers,
      wait: dns ? dns.wait : kept?.dns.wait,
    },
  };
}

/** What a person gets to see, and its ETag. */
export function createViews({ failed, dueAt }: Pick<Renewals, 'failed' | 'dueAt'>) {
  function viewed(certificate: Certificate, among: SiteSet, failures = failed()) {
    const { id, name, provider, createdAt, updatedAt } = certificate;
    const { warning, notBefore, notAfter, names, ...facts } = chainFacts(certificate);
    const failure = failures.get(id);
    const due = dueAt(certificate, failures);
    return {
      id,
      name,
      ...facts,
      names: [...names],
      notBefore: notBefore.toISOString(),
      notAfter: notAfter.toISOString(),
      source: provider === null ? ('upload' as const) : ('dns' as const),
      ...(provider !== null && { provider }),
      ...(due && { renewsAt: due.toISOString() }),
      ...(failure && { lastError: failure.error, failedAt: failure.at.toISOString() }),
      ...(warning !== null && { warning }),
      sites: sitesWith(certificate, among).map((vhost) => vhost.id),
      createdAt: createdAt.toISOString(),
      updatedAt: updatedAt.toISOString(),
    };
  }

  /** The words of an authority or a provider may quote what an owner sent. */
  function viewedFor(who: Caller, certificate: Certificate, among: SiteSet, failures = failed()) {
    const { lastError, ...view } = viewed(certificate, among, failures);
    return lastError === undefined || isViewer(who) ? view : { ...view, lastError };
  }

  return {
    viewedFor,

    listedFor(who: Caller, among: SiteSet) {
      const failures = failed();
      return among.certificates.map((one) => viewedFor(who, one, among, failures));
    },

    /** The answer to a change. */
    changed(applied: Applied<Certificate>, next: SiteSet) {
      const body = viewed(applied.result, next);
      return { body: { ...body, ...outcomeOf(applied, () => false) }, etag: etagOf(body) };
    },

    /** The precondition that `If-Match` makes; undefined if there is none. */
    preconditionOf(request: Request, current: () => SiteSet): CertificatePrecondition | undefined {
      const assertTag = ifMatch(request, 'certificate');
      return assertTag && ((certificate) => assertTag(etagOf(viewed(certificate, current()))));
    },
  };
}
