/** `/import` and `/restore`: replacing the configuration by a Caddyfile or an exported document. */
import { Elysia } from 'elysia';
import { jsonBody } from '../../shared/json-body.ts';
import { authorOf, type Guard } from '../auth/guard.ts';
import { about } from '../http/about.ts';
import { ChangeQuery, demandsOf } from '../http/params.ts';
import { BODY, PUBLISHES, refusals } from '../http/refusal-schemas.ts';
import type { Publisher } from '../publish/publisher.ts';
import type { Importer } from './importer.ts';
import { ImportAnswer, ImportBody, PROXYFILE, SITE } from './schemas.ts';
import { restoreChange, SNAPSHOT, Snapshot, snapshotOf } from './snapshot.ts';
import { checkedPolicies } from './snapshot-policies.ts';

export type ImportRoutesDeps = {
  publisher: Publisher;
  importer: Importer;
  guard: Guard;
  bodyLimit: number;
};

export function importRoutes({ publisher, importer, guard, bodyLimit }: ImportRoutesDeps) {
  return new Elysia({ name: 'import' })
    .use(guard)
    .use(jsonBody(bodyLimit))
    .post(
      '/import',
      ({ body: { proxyfile, ...options }, who }) =>
        importer.run(proxyfile, { ...options, author: authorOf(who) }),
      {
        body: ImportBody,
        response: {
          200: ImportAnswer,
          ...refusals(
            ...PUBLISHES,
            ...BODY,
            'NOT_FOUND',
            'DOMAIN_TAKEN',
            'PREAMBLE_DIFFERS',
            'IMPORT_DIFFERS',
          ),
        },
        detail: about({
          id: 'importProxyfile',
          tag: 'Configuration',
          summary: 'Turn a Caddyfile into preamble and vhosts',
          description:
            'In one publish, all or nothing. Refused unless the proxy would behave exactly as with the original file. Existing vhosts and options stay, and are replaced only if the request says so.',
          access: 'write',
          bodies: {
            dry: { summary: 'Dry run', value: { proxyfile: PROXYFILE, dryRun: true } },
            merge: {
              summary: 'Skip all sites whose addresses are taken, except for one',
              value: {
                proxyfile: PROXYFILE,
                taken: 'skip',
                replace: [SITE.domain],
                preamble: 'keep',
              },
            },
          },
          example: {
            preamble: '',
            vhosts: [{ ...SITE, id: null, config: 'reverse_proxy 127.0.0.1:8000', upstream: '' }],
            skipped: [],
            proxyfile: PROXYFILE,
            merge: {
              sites: [{ domain: SITE.domain, action: 'create', vhosts: [], diff: '' }],
              preamble: [],
            },
          },
        }),
      },
    )
    .post(
      '/restore',
      async ({ body, query, who }) => {
        const demands = demandsOf(query);
        const { policies } = body;
        const document = policies ? { ...body, policies: await checkedPolicies(policies) } : body;
        const change = restoreChange(document, demands.replace);
        await publisher.apply(change, authorOf(who), { ...demands, unchecked: true });
        return snapshotOf(publisher.current());
      },
      {
        query: ChangeQuery,
        body: Snapshot,
        response: {
          200: Snapshot,
          ...refusals(...PUBLISHES, ...BODY, 'DOMAIN_TAKEN', 'NOT_EMPTY'),
        },
        detail: about({
          id: 'restoreConfiguration',
          tag: 'Configuration',
          summary: 'Restore an exported document',
          access: 'write',
          params: {
            replace: {
              description:
                '`true` replaces the existing configuration; otherwise the hub must have no vhosts and, if the document has policies, no policies.',
            },
          },
          bodies: { exported: { value: SNAPSHOT } },
          example: SNAPSHOT,
        }),
      },
    );
}
