/** `/import`: a Caddyfile that somebody else wrote. */
import { Elysia } from 'elysia';
import { authorOf } from '../../hub/auth/guard.ts';
import type { ApiCore } from '../../hub/core.ts';
import { PROXYFILE, SITE } from '../../hub/http/examples.ts';
import { ReplayQuery, wantsReplay } from '../../hub/http/params.ts';
import { route } from '../../hub/http/route.ts';
import { jsonBody } from '../../shared/json-body.ts';
import { changedBy } from './import-change.ts';
import type { Importer } from './importer.ts';
import { ImportAnswer, ImportBody } from './schemas.ts';

/** Bytes; a file of 25,000 sites is about 1.6 MB. */
const BODY_LIMIT = 16 * 1024 * 1024;

type Deps = Pick<ApiCore, 'publisher' | 'retries' | 'guard' | 'startReplay' | 'withWarnings'> & {
  importer: Importer;
};

export function importRoutes({ importer, retries, guard, startReplay, ...core }: Deps) {
  return new Elysia({ name: 'import' })
    .use(guard)
    .use(jsonBody(BODY_LIMIT))
    .post(
      '/import',
      ({ body, query, who, set, request }) =>
        retries.once({ request, who, body, query, set }, 200, async (keep) => {
          const { proxyfile, ...options } = body;
          const replay = wantsReplay(query, options.dryRun === true) ? startReplay : null;
          const author = authorOf(who);
          const imported = await importer.run(proxyfile, { ...options, replay, author, keep });
          const changed = changedBy(imported, core.publisher.current());
          return { body: await core.withWarnings(imported, changed) };
        }),
      route({
        id: 'importProxyfile',
        tag: 'Configuration',
        summary: 'Turn a Caddyfile into preamble and vhosts',
        description:
          'In one publish, all or nothing. Refused unless the proxy would behave exactly as with the original file. Existing vhosts and options stay, and are replaced only if the request says so.',
        access: 'write',
        query: ReplayQuery,
        body: ImportBody,
        publishes: true,
        refuses: [
          'NOT_FOUND',
          'DOMAIN_TAKEN',
          'PREAMBLE_DIFFERS',
          'IMPORT_DIFFERS',
          'RATE_LIMITED',
        ],
        returns: ImportAnswer,
        requestHeaders: ['Idempotency-Key'],
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
    );
}
