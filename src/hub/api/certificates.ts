/** `/certificates`: all certificates, the root of Caddy's own authority, and advice on a draft. */
import { Elysia, t } from 'elysia';
import { Failure } from '../../shared/failure.ts';
import { jsonBody } from '../../shared/json-body.ts';
import { isViewer } from '../auth/guard.ts';
import { AgentQuery, agentQuery } from '../http/params.ts';
import { route } from '../http/route.ts';
import { NewVhost } from '../model/operation.ts';
import { certificateForViewers } from '../watch/for-viewers.ts';
import {
  adviseDraft,
  CertificateEntry,
  DraftAdvice,
  listCertificates,
} from '../watch/sites/certificate-list.ts';
import type { ApiContext } from './context.ts';

const INTERNAL_NAME = {
  code: 'INTERNAL_NAME',
  message: 'No public authority signs certificates for nas.lan, a name for private networks.',
  ways: ['internal', 'http'],
};

const CERTIFICATES = [
  {
    id: 1,
    domain: 'app.example.org',
    name: 'app.example.org',
    port: 443,
    issuer: "R11 (Let's Encrypt)",
    notBefore: '2026-11-01T00:00:00.000Z',
    notAfter: '2027-01-30T00:00:00.000Z',
    daysLeft: 70,
    automated: true,
    authority: 'public',
    checkedAt: '2026-11-20T18:00:00.000Z',
    problem: null,
    advice: null,
    error: null,
  },
  {
    id: 2,
    domain: 'nas.lan',
    name: 'nas.lan',
    port: 443,
    issuer: null,
    notBefore: null,
    notAfter: null,
    daysLeft: null,
    automated: true,
    authority: 'public',
    checkedAt: '2026-11-20T18:00:00.000Z',
    problem: INTERNAL_NAME.message,
    advice: INTERNAL_NAME,
    error: null,
  },
];

const ROOT_FILE = 'caddy-root.crt';

export function certificateRoutes({ guard, bodyLimit, ...deps }: ApiContext) {
  const { agents } = deps.publisher;
  return new Elysia({ name: 'certificates', prefix: '/certificates' })
    .use(guard)
    .use(jsonBody(bodyLimit))
    .get(
      '/',
      async ({ query, set, who }) => {
        const { entries, missing } = await listCertificates(deps.publisher, deps.now, query.agent);
        if (missing.length > 0) set.headers['x-missing-agents'] = missing.join(', ');
        return isViewer(who) ? entries.map(certificateForViewers) : entries;
      },
      route({
        id: 'listCertificates',
        tag: 'Status',
        summary: 'List the certificates of all names, and why a name has none',
        description:
          'With several agents, the list has the certificates of all; the header `X-Missing-Agents` names the unreachable ones.',
        access: 'read',
        query: AgentQuery,
        asks: 'proxy',
        returns: t.Array(CertificateEntry),
        example: CERTIFICATES,
      }),
    )
    .get(
      '/root',
      async ({ query, set }) => {
        const { client } = query.agent ? agents.named(query.agent) : agents.first();
        const { certificate } = await client.root();
        if (certificate === null) {
          const message = 'Caddy’s own authority signs no certificate, so it has no root yet.';
          throw new Failure('NOT_FOUND', message);
        }
        set.headers['content-type'] = 'application/x-pem-file';
        set.headers['content-disposition'] = `attachment; filename="${ROOT_FILE}"`;
        return certificate;
      },
      route({
        id: 'getRootCertificate',
        tag: 'Status',
        summary: 'Download the root certificate of Caddy’s own authority',
        description:
          'Devices that trust it accept the certificates that Caddy signs itself. It is public: the key stays with Caddy.',
        access: 'read',
        query: agentQuery({
          description: 'The agent whose Caddy it is; by default the first one.',
        }),
        asks: 'proxy',
        returns: t.String(),
        mediaType: 'application/x-pem-file',
        example: '-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----\n',
      }),
    )
    .post(
      '/advice',
      ({ body }) => adviseDraft(deps, body),
      route({
        id: 'adviseCertificates',
        tag: 'Status',
        summary: 'Show which certificates a vhost would get, or why it cannot get one',
        description: 'Nothing is changed.',
        access: 'write',
        body: t.Pick(t.Object(NewVhost), ['domain', 'config', 'upstream', 'agents']),
        asks: 'proxy',
        refuses: ['PROXY_REJECTED'],
        returns: DraftAdvice,
        bodies: { site: { value: { domain: 'nas.lan', config: 'respond hi' } } },
        example: {
          names: [{ name: 'nas.lan', port: 443, authority: 'public', advice: INTERNAL_NAME }],
          dns: { providers: ['cloudflare'], command: null },
        },
      }),
    );
}
