/** How the hub obtains certificates by DNS-01: which providers there are, a trial of one, and renewal. */
import { Elysia } from 'elysia';
import { recordedAuthorOf } from '../../hub/auth/guard.ts';
import type { ApiCore } from '../../hub/core.ts';
import { ChangeQuery, demandsOf } from '../../hub/http/params.ts';
import { route } from '../../hub/http/route.ts';
import { findCertificate } from '../../hub/model/certificate-changes.ts';
import { jsonBody } from '../../shared/json-body.ts';
import { eventOf } from './kept-routes.ts';
import type { Lego } from './lego/lego.ts';
import { providersAnswer } from './lego/providers.ts';
import type { Renewals } from './renewals.ts';
import type { SealedCertificates } from './sealed.ts';
import {
  ByIdOrName,
  CERTIFICATE,
  ChangedCertificate,
  createViews,
  ORDER,
  orderFrom,
  Trial,
} from './view.ts';

export function orderRoutes(
  { publisher, guard, bodyLimit }: ApiCore,
  certificates: SealedCertificates,
  lego: Lego,
  renewals: Renewals,
) {
  const { changed } = createViews(renewals);
  return new Elysia({ name: 'certificate-orders', prefix: '/certificates' })
    .use(guard)
    .get(
      '/providers',
      () => lego.providers(),
      route({
        id: 'listDnsProviders',
        tag: 'Certificates',
        summary: 'List the DNS providers that the hub can prove names with',
        description:
          'They and their fields come from `lego` on the hub’s machine, the common ones first. Without it, `available` is false, and `reason` says how to install it.',
        access: 'read',
        needs: 'owner',
        returns: providersAnswer,
        example: {
          available: true,
          providers: [
            {
              id: 'cloudflare',
              title: 'Cloudflare',
              fields: [{ name: 'CF_DNS_API_TOKEN', description: 'API token with DNS:Edit' }],
            },
          ],
        },
      }),
    )
    .post(
      '/kept/:id/renew',
      async ({ params, query, who, set, request, server }) => {
        const before = findCertificate(publisher.current(), params.id);
        server?.timeout(request, 0);
        const author = recordedAuthorOf(who, eventOf(before.name, 'renewed'));
        const applied = await renewals.renew(before, author, demandsOf(query));
        const answer = changed(applied, publisher.current());
        set.headers.ETag = answer.etag;
        return answer.body;
      },
      route({
        id: 'renewKeptCertificate',
        tag: 'Certificates',
        summary: 'Renew a certificate that the hub obtained, however old it is',
        description:
          'Takes up to five minutes. The hub does so itself once a third of the lifetime is left.',
        access: 'session',
        needs: 'owner',
        fresh: true,
        params: ByIdOrName,
        query: ChangeQuery,
        publishes: true,
        refuses: ['CERTIFICATE_FAILED', 'PRECONDITION_FAILED', 'SECRET_KEY_UNUSABLE'],
        returns: ChangedCertificate,
        example: CERTIFICATE,
        responseHeaders: ['ETag'],
      }),
    )
    .use(jsonBody(bodyLimit))
    .post(
      '/kept/try',
      async ({ body: { id, ...given }, request, server }) => {
        const stored = id === undefined ? null : findCertificate(publisher.current(), id);
        server?.timeout(request, 0);
        await lego.tryOut(orderFrom(given, stored && certificates.orderOf(stored)));
        return { success: true as const };
      },
      route({
        id: 'tryOrder',
        tag: 'Certificates',
        summary: 'Let the DNS provider set the records of an order, and remove them',
        description: 'No authority is asked, and nothing is stored.',
        access: 'session',
        needs: 'owner',
        fresh: true,
        body: Trial,
        refuses: ['NOT_FOUND', 'CERTIFICATE_FAILED', 'SECRET_KEY_UNUSABLE', 'STOPPING'],
        bodies: { dns: { value: ORDER } },
      }),
    );
}
