/** `/certificates/kept`: certificates that the hub keeps, for all proxies at once. */
import { Elysia, type Static, t } from 'elysia';
import { Failure } from '../../shared/failure.ts';
import { jsonBody } from '../../shared/json-body.ts';
import { type Caller, recordedAuthorOf } from '../auth/guard.ts';
import { about, DEMANDS } from '../http/about.ts';
import { etagOf, ifMatch } from '../http/etag.ts';
import { ChangeQuery, demandsOf, IdParams } from '../http/params.ts';
import { BODY, PUBLISHES, READS, refusals } from '../http/refusal-schemas.ts';
import { Outcome, outcomeOf, Success, Timestamp } from '../http/schemas.ts';
import type { Certificate } from '../model/certificate.ts';
import {
  type CertificatePrecondition,
  createCertificateChange,
  deleteCertificateChange,
  findCertificate,
  sitesWith,
  updateCertificateChange,
} from '../model/certificate-changes.ts';
import { chainFacts, readPair } from '../model/pem.ts';
import type { SiteSet } from '../model/vhost.ts';
import type { Applied } from '../publish/queue.ts';
import { type ApiContext, isConfidential } from './context.ts';

const KeptCertificateView = t.Object(
  {
    id: t.Integer(),
    name: t.String(),
    names: t.Array(t.String(), { description: 'the host names it is valid for' }),
    issuer: t.String(),
    serial: t.String({ description: 'hexadecimal' }),
    notBefore: Timestamp,
    notAfter: Timestamp,
    source: t.Union([t.Literal('upload'), t.Literal('dns')]),
    provider: t.Optional(t.String({ description: 'of DNS, if the hub obtains it itself' })),
    warning: t.Optional(t.String({ description: 'why some devices may refuse it, for people' })),
    sites: t.Array(t.Integer(), {
      description:
        'the ids of the vhosts that are served with it, unless they have a `tls` of their own',
    }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'KeptCertificate' },
);

const ChangedCertificate = t.Composite([KeptCertificateView, Outcome], {
  title: 'ChangedKeptCertificate',
});

const Pem = {
  chain: t.String({ description: 'PEM: the certificate first, then what signed it' }),
  key: t.String({ description: 'PEM: the private key, without a passphrase; never shown again' }),
};

const NewCertificate = t.Object(
  { name: t.String({ description: '1 to 40 lower-case letters, digits and hyphens' }), ...Pem },
  { title: 'NewKeptCertificate' },
);

const CertificateFields = t.Object(
  {
    name: t.Optional(NewCertificate.properties.name),
    chain: t.Optional(Pem.chain),
    key: t.Optional(Pem.key),
  },
  { title: 'KeptCertificateChanges' },
);

const ForceQuery = t.Object({
  ...ChangeQuery.properties,
  force: t.Optional(t.Union([t.Literal('true'), t.Literal('false')])),
});

const UPLOAD = {
  name: 'home',
  chain: '-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----\n',
  key: '-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----\n',
};

const CERTIFICATE = {
  ...{ id: 1, name: 'home', names: ['*.home.example'], issuer: "R11 (Let's Encrypt)" },
  serial: '04a1b2c3d4',
  notBefore: '2026-11-01T00:00:00.000Z',
  notAfter: '2027-01-30T00:00:00.000Z',
  ...{ source: 'upload', sites: [1, 2] },
  createdAt: '2026-11-20T18:00:00.000Z',
  updatedAt: '2026-11-20T18:00:00.000Z',
};

const BY_ID = { id: { description: 'The number or the name.', example: 'home' } };

export function keptCertificateRoutes(context: ApiContext) {
  const { publisher, retries, guard, bodyLimit, certificates, settings, now } = context;
  const of = ({ id }: { id: string }) => (/^[1-9]\d{0,14}$/.test(id) ? Number(id) : id);
  const found = (params: { id: string }) => findCertificate(publisher.current(), of(params));

  /** @throws Failure INVALID_REQUEST if a key would travel to the agent in clear */
  function assertConfidential(): void {
    if (isConfidential(settings.agentUrl)) return;
    const hint =
      'Give the agent a certificate (signalbox agent --new-cert) and an https: AGENT_URL.';
    throw new Failure(
      'INVALID_REQUEST',
      'The connection to the agent is plain HTTP: the key would be readable on the way.',
      { hint, at: { field: 'key' } },
    );
  }

  /** What is stored of an upload. @throws Failure INVALID_REQUEST */
  function uploaded({ chain, key }: { chain: string; key: string }) {
    assertConfidential();
    return certificates.contentFor(readPair(chain, key, now()), null);
  }

  return new Elysia({ name: 'kept-certificates', prefix: '/certificates/kept' })
    .use(guard)
    .get(
      '/',
      () => {
        const current = publisher.current();
        return current.certificates.map((one) => viewed(one, current));
      },
      {
        response: { 200: t.Array(KeptCertificateView), ...refusals(...READS) },
        detail: about({
          id: 'listKeptCertificates',
          tag: 'Certificates',
          summary: 'List the certificates that the hub keeps',
          description: 'No answer has a key or a credential.',
          access: 'read',
          needs: 'viewer',
          example: [CERTIFICATE],
        }),
      },
    )
    .get(
      '/:id',
      ({ params, set }) => {
        const body = viewed(found(params), publisher.current());
        set.headers.ETag = etagOf(body);
        return body;
      },
      {
        params: IdParams,
        response: { 200: KeptCertificateView, ...refusals(...READS, 'NOT_FOUND') },
        detail: about({
          id: 'getKeptCertificate',
          tag: 'Certificates',
          summary: 'Get a kept certificate',
          access: 'read',
          needs: 'viewer',
          params: BY_ID,
          example: CERTIFICATE,
          responseHeaders: ['ETag'],
        }),
      },
    )
    .delete(
      '/:id',
      async ({ params, query, request, who }) => {
        const { id, name } = found(params);
        const expected = preconditionOf(request, publisher.current);
        const change = deleteCertificateChange(id, query.force === 'true', expected);
        const author = recordedAuthorOf(who, eventOf(name, 'deleted'));
        return (await publisher.apply(change, author, demandsOf(query))).result;
      },
      {
        params: IdParams,
        query: ForceQuery,
        response: {
          200: Success,
          ...refusals(
            ...PUBLISHES,
            'SESSION_NOT_FRESH',
            'NOT_FOUND',
            'CERTIFICATE_IN_USE',
            'PRECONDITION_FAILED',
          ),
        },
        detail: about({
          id: 'deleteKeptCertificate',
          tag: 'Certificates',
          summary: 'Delete a kept certificate',
          description:
            'Caddy then gets certificates for its sites itself, where it can: with `force=true` only.',
          access: 'session',
          needs: 'owner',
          fresh: true,
          params: { ...BY_ID, ...DEMANDS, force: { description: '`true` deletes one in use.' } },
          requestHeaders: ['If-Match'],
          example: { success: true },
        }),
      },
    )
    .use(jsonBody(bodyLimit))
    .post(
      '/',
      ({ body, query, who, set, request }) =>
        retries.once({ request, who, body, query, set }, 201, async (keep) => {
          const change = createCertificateChange(body.name, uploaded(body));
          const author = recordedAuthorOf(who, eventOf(body.name, 'uploaded'));
          const applied = await publisher.apply(change, author, {
            ...demandsOf(query),
            ...keep<Certificate>((stored, next) => changed(stored, next)),
          });
          return changed(applied, publisher.current());
        }),
      {
        query: ChangeQuery,
        body: NewCertificate,
        response: {
          201: ChangedCertificate,
          ...refusals(
            ...PUBLISHES,
            ...BODY,
            'SESSION_NOT_FRESH',
            'CERTIFICATE_TAKEN',
            'SECRET_KEY_UNUSABLE',
            'KEY_REUSED',
          ),
        },
        detail: about({
          id: 'createKeptCertificate',
          tag: 'Certificates',
          summary: 'Keep a certificate, and serve it from all proxies',
          description:
            'Caddy serves it for every name in it, also under a wildcard, and asks no authority for those. A `tls` of a site’s own counts instead. A 400 names the `field`.',
          access: 'session',
          needs: 'owner',
          fresh: true,
          params: DEMANDS,
          requestHeaders: ['Idempotency-Key'],
          bodies: { upload: { summary: 'Upload', value: UPLOAD } },
          example: { ...CERTIFICATE, sites: [] },
          responseHeaders: ['ETag'],
        }),
      },
    )
    .put(
      '/:id',
      async ({ params, query, body, request, who, set }) => {
        const { id, name } = found(params);
        const { chain, key } = body;
        assertOnlyPair(who, body);
        const isReplaced = chain !== undefined || key !== undefined;
        const change = updateCertificateChange(
          id,
          {
            name: body.name,
            ...(isReplaced && { contentFor: uploaded({ chain: chain ?? '', key: key ?? '' }) }),
          },
          preconditionOf(request, publisher.current),
        );
        const event = eventOf(name, isReplaced ? 'replaced' : 'renamed');
        const applied = await publisher.apply(
          change,
          recordedAuthorOf(who, event),
          demandsOf(query),
        );
        const answer = changed(applied, publisher.current());
        set.headers.ETag = answer.etag;
        return answer.body;
      },
      {
        params: IdParams,
        query: ChangeQuery,
        body: CertificateFields,
        response: {
          200: ChangedCertificate,
          ...refusals(
            ...PUBLISHES,
            ...BODY,
            'SESSION_NOT_FRESH',
            'NOT_FOUND',
            'CERTIFICATE_TAKEN',
            'PRECONDITION_FAILED',
            'SECRET_KEY_UNUSABLE',
          ),
        },
        detail: about({
          id: 'updateKeptCertificate',
          tag: 'Certificates',
          summary: 'Replace a kept certificate on all proxies at once',
          description:
            'One publish and one changelog entry; one undo brings the old one back, unless it has expired. A token with the scope `write` may send `chain` and `key`, and nothing else: as the deploy hook of an ACME client.',
          access: 'write',
          needs: 'owner',
          fresh: true,
          params: { ...BY_ID, ...DEMANDS },
          requestHeaders: ['If-Match'],
          bodies: { pair: { value: { chain: UPLOAD.chain, key: UPLOAD.key } } },
          example: CERTIFICATE,
          responseHeaders: ['ETag'],
        }),
      },
    );
}

const eventOf = (name: string, detail: string) =>
  ({ kind: 'certificate', target: name, detail }) as const;

/** @throws Failure FORBIDDEN for a token that wants more than a deploy hook needs */
function assertOnlyPair(who: Caller, body: Static<typeof CertificateFields>): void {
  const { chain: _, key: __, ...more } = body;
  if (who.token === undefined || Object.keys(more).length === 0) return;
  const message = 'An API token can replace `chain` and `key`; anything else requires a session.';
  throw new Failure('FORBIDDEN', message);
}

function viewed(certificate: Certificate, among: SiteSet) {
  const { id, name, chain, provider, createdAt, updatedAt } = certificate;
  const { warning, notBefore, notAfter, ...facts } = chainFacts(chain);
  return {
    ...{ id, name },
    ...facts,
    names: [...facts.names],
    notBefore: notBefore.toISOString(),
    notAfter: notAfter.toISOString(),
    source: provider === null ? ('upload' as const) : ('dns' as const),
    ...(provider !== null && { provider }),
    ...(warning !== null && { warning }),
    sites: sitesWith(certificate, among).map((vhost) => vhost.id),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

/** The answer to a change, and its ETag. */
function changed(applied: Applied<Certificate>, next: SiteSet) {
  const body = viewed(applied.result, next);
  return { body: { ...body, ...outcomeOf(applied, () => false) }, etag: etagOf(body) };
}

/** The precondition that `If-Match` makes; undefined if there is none. */
function preconditionOf(
  request: Request,
  current: () => SiteSet,
): CertificatePrecondition | undefined {
  const assertTag = ifMatch(request, 'certificate');
  return assertTag && ((certificate) => assertTag(etagOf(viewed(certificate, current()))));
}
