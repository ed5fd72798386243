/** `/certificates/kept`: certificates that the hub keeps, for all proxies at once. */
import { type Context, Elysia, t } from 'elysia';
import { assertConfidential } from '../../hub/agents/trust.ts';
import { type Caller, recordedAuthorOf } from '../../hub/auth/guard.ts';
import type { ApiCore } from '../../hub/core.ts';
import { ChangeQuery, demandsOf, flag } from '../../hub/http/params.ts';
import { etagOf } from '../../hub/http/responses.ts';
import { route } from '../../hub/http/route.ts';
import type { Certificate } from '../../hub/model/certificate.ts';
import {
  assertNameFree,
  type ContentFor,
  createCertificateChange,
  deleteCertificateChange,
  findCertificate,
  updateCertificateChange,
} from '../../hub/model/certificate-changes.ts';
import { readPair } from '../../hub/model/pem.ts';
import { Failure } from '../../shared/failure.ts';
import { jsonBody } from '../../shared/json-body.ts';
import type { CertificateOrder } from './lego/order.ts';
import type { Renewals } from './renewals.ts';
import type { SealedCertificates } from './sealed.ts';
import {
  ByIdOrName,
  CERTIFICATE,
  CertificateFields,
  ChangedCertificate,
  createViews,
  KeptCertificateView,
  NewCertificate,
  ORDER,
  orderFrom,
  UPLOAD,
} from './view.ts';

const ForceQuery = t.Object({
  ...ChangeQuery.properties,
  force: flag('`true` deletes one in use.'),
});

export function keptRoutes(api: ApiCore, certificates: SealedCertificates, renewals: Renewals) {
  const { publisher, retries, guard, bodyLimit, agentUrl, now } = api;
  const { viewedFor, listedFor, changed, preconditionOf } = createViews(renewals);
  const found = ({ id }: { id: string }) => findCertificate(publisher.current(), id);

  /** What is stored of an upload. @throws Failure INVALID_REQUEST */
  const uploaded = ({ chain = '', key = '' }: CertificateFields) =>
    certificates.contentFor(readPair(chain, key, now()), null);

  /** What is stored of an order, which takes minutes: whoever made it must still be allowed to. */
  async function obtained(
    order: CertificateOrder,
    {
      request,
      server,
      assertAllowed,
    }: Pick<Context, 'request' | 'server'> & { assertAllowed: () => void },
  ) {
    server?.timeout(request, 0);
    const content = await renewals.obtained(order);
    assertAllowed();
    return content;
  }

  return new Elysia({ name: 'kept-certificates', prefix: '/certificates/kept' })
    .use(guard)
    .get(
      '/',
      ({ who }) => listedFor(who, publisher.current()),
      route({
        id: 'listKeptCertificates',
        tag: 'Certificates',
        summary: 'List the certificates that the hub keeps',
        description: 'No answer has a key or a credential.',
        access: 'read',
        returns: t.Array(KeptCertificateView),
        example: [CERTIFICATE],
      }),
    )
    .get(
      '/:id',
      ({ params, set, who }) => {
        const body = viewedFor(who, found(params), publisher.current());
        set.headers.ETag = etagOf(body);
        return body;
      },
      route({
        id: 'getKeptCertificate',
        tag: 'Certificates',
        summary: 'Get a kept certificate',
        access: 'read',
        params: ByIdOrName,
        returns: KeptCertificateView,
        example: CERTIFICATE,
        responseHeaders: ['ETag'],
      }),
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
      route({
        id: 'deleteKeptCertificate',
        tag: 'Certificates',
        summary: 'Delete a kept certificate',
        description:
          'Caddy then gets certificates for its sites itself, where it can: with `force=true` only.',
        access: 'session',
        needs: 'owner',
        fresh: true,
        params: ByIdOrName,
        query: ForceQuery,
        publishes: true,
        refuses: ['CERTIFICATE_IN_USE'],
        requestHeaders: ['If-Match'],
      }),
    )
    .use(jsonBody(bodyLimit))
    .post(
      '/',
      ({ body, query, who, set, request, server, assertAllowed }) =>
        retries.once({ request, who, body, query, set }, 201, async (keep) => {
          assertConfidential(agentUrl);
          assertNameFree(body.name, publisher.current());
          const isUpload = isPair(body);
          const content = isUpload
            ? uploaded(body)
            : await obtained(orderFrom(body, null), { request, server, assertAllowed });
          const event = eventOf(body.name, isUpload ? 'uploaded' : 'obtained');
          const change = createCertificateChange(body.name, content);
          const applied = await publisher.apply(change, recordedAuthorOf(who, event), {
            ...demandsOf(query),
            ...keep<Certificate>(changed),
          });
          return changed(applied, publisher.current());
        }),
      route({
        id: 'createKeptCertificate',
        tag: 'Certificates',
        summary: 'Keep a certificate, and serve it from all proxies',
        description:
          'Either `chain` and `key`, or `names`, `email` and `dns`: then the hub obtains it from the authority by DNS-01, which takes up to five minutes, and renews it. Caddy serves it for every name in it, also under a wildcard, and asks no authority for those. A `tls` of a site’s own counts instead. A 400 names the `field`.',
        access: 'session',
        needs: 'owner',
        fresh: true,
        query: ChangeQuery,
        body: NewCertificate,
        publishes: true,
        refuses: ['CERTIFICATE_FAILED', 'CERTIFICATE_TAKEN', 'SECRET_KEY_UNUSABLE'],
        status: 201,
        returns: ChangedCertificate,
        requestHeaders: ['Idempotency-Key'],
        bodies: {
          upload: { summary: 'Upload', value: UPLOAD },
          dns: { summary: 'By DNS', value: { name: 'home', ...ORDER } },
        },
        example: { ...CERTIFICATE, sites: [] },
        responseHeaders: ['ETag'],
      }),
    )
    .put(
      '/:id',
      async ({ params, query, body, request, who, set, server, assertAllowed }) => {
        const before = found(params);
        const { id, name } = before;
        assertOnlyPair(who, body);
        assertConfidential(agentUrl);
        const expected = preconditionOf(request, publisher.current);
        expected?.(before);
        if (body.name !== undefined) assertNameFree(body.name, publisher.current(), id);
        let contentFor: ContentFor | undefined;
        if (isPair(body)) contentFor = uploaded(body);
        else if (isOrder(body)) {
          const order = orderFrom(body, certificates.orderOf(before));
          contentFor = await obtained(order, { request, server, assertAllowed });
        }
        const change = updateCertificateChange(id, { name: body.name, contentFor }, expected);
        const event = eventOf(name, contentFor ? 'replaced' : 'renamed');
        const author = recordedAuthorOf(who, event);
        const applied = await publisher.apply(change, author, demandsOf(query));
        const answer = changed(applied, publisher.current());
        set.headers.ETag = answer.etag;
        return answer.body;
      },
      route({
        id: 'updateKeptCertificate',
        tag: 'Certificates',
        summary: 'Replace a kept certificate on all proxies at once',
        description:
          'One publish and one changelog entry; one undo brings the old one back, unless it has expired. With `names`, `email` or `dns` the hub orders a new one; what is left out stays as it was, credentials too. A token with the scope `write` may send `chain` and `key`, and nothing else: as the deploy hook of an ACME client.',
        access: 'write',
        needs: 'owner',
        fresh: true,
        params: ByIdOrName,
        query: ChangeQuery,
        body: CertificateFields,
        publishes: true,
        refuses: ['CERTIFICATE_FAILED', 'CERTIFICATE_TAKEN', 'SECRET_KEY_UNUSABLE'],
        returns: ChangedCertificate,
        requestHeaders: ['If-Match'],
        bodies: {
          pair: { summary: 'Upload', value: { chain: UPLOAD.chain, key: UPLOAD.key } },
          names: { summary: 'Other names, by DNS', value: { names: ORDER.names } },
        },
        example: CERTIFICATE,
        responseHeaders: ['ETag'],
      }),
    );
}

/** For the security log. */
export const eventOf = (name: string, detail: string) =>
  ({ kind: 'certificate', target: name, detail }) as const;

/** @throws Failure INVALID_REQUEST for an upload that is an order, too */
function isPair(body: CertificateFields): boolean {
  const is = (body.chain ?? body.key) !== undefined;
  if (!is || !isOrder(body)) return is;
  const at = { field: 'dns' };
  throw new Failure('INVALID_REQUEST', 'Send a chain with its key, or what to order.', { at });
}

const isOrder = ({ names, email, dns }: CertificateFields): boolean =>
  (names ?? email ?? dns) !== undefined;

/** @throws Failure FORBIDDEN for a token that wants more than a deploy hook needs */
function assertOnlyPair(who: Caller, body: CertificateFields): void {
  const { chain: _, key: __, ...more } = body;
  if (who.token === undefined || Object.keys(more).length === 0) return;
  const message = 'An API token can replace `chain` and `key`; anything else requires a session.';
  throw new Failure('FORBIDDEN', message);
}
