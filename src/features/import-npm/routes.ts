/** `/import/npm`: hosts of Nginx Proxy Manager, from its database. */
import { Elysia, type Static, t } from 'elysia';
import { assertConfidential } from '../../hub/agents/trust.ts';
import { authorOf, recordedAuthorOf } from '../../hub/auth/guard.ts';
import type { ApiCore } from '../../hub/core.ts';
import { SITE } from '../../hub/http/examples.ts';
import { ChangeQuery, demandsOf, flag, ReplayQuery, wantsReplay } from '../../hub/http/params.ts';
import { route } from '../../hub/http/route.ts';
import { formBody } from '../../shared/json-body.ts';
import { changedBy } from '../import/import-change.ts';
import { ImportAnswer, ImportBody } from '../import/schemas.ts';
import type { NpmImporter } from './npm/importer.ts';
import { Note } from './npm/notes.ts';

/** Bytes; the database of 1,000 hosts and a year of its audit log is about 10 MB. */
const BODY_LIMIT = 64 * 1024 * 1024;

/** For the security log. */
const EVENT = {
  kind: 'certificate',
  target: 'Nginx Proxy Manager',
  detail: 'imported',
} as const;

export const NpmAnswer = t.Composite(
  [
    ImportAnswer,
    t.Object({
      notes: t.Array(Note, {
        description: 'what behaves otherwise, or is left to do: nothing goes unsaid',
      }),
    }),
  ],
  { title: 'NpmImportAnswer' },
);
export type NpmAnswer = Static<typeof NpmAnswer>;

type Deps = Pick<
  ApiCore,
  'publisher' | 'retries' | 'guard' | 'agentUrl' | 'startReplay' | 'withWarnings'
> & { importer: NpmImporter };

export function importNpmRoutes({
  importer,
  retries,
  guard,
  agentUrl,
  startReplay,
  ...core
}: Deps) {
  return new Elysia({ name: 'import-npm' })
    .use(guard)
    .use(formBody(BODY_LIMIT))
    .post(
      '/import/npm',
      async ({ body, query, who, set, request, server, assertOwner }) => {
        const dryRun = query.dryRun === 'true';
        const replay = wantsReplay(query, dryRun) ? startReplay : null;
        const file = new Uint8Array(await body.file.arrayBuffer());
        const replace = (body.replace ?? '').split(/\s+/).filter((one) => one !== '');
        const takesCertificates = query.certificates === 'true';
        if (takesCertificates) {
          assertOwner();
          assertConfidential(agentUrl);
        }
        // Its passwords are hashed one after the other.
        server?.timeout(request, 0);
        const asked = { file: Bun.SHA256.hash(file, 'hex'), replace };
        return retries.once({ request, who, body: asked, query, set }, 200, async (keep) => {
          const imported = await importer.run(file, {
            replace,
            dryRun,
            replay,
            keep,
            taken: query.taken,
            demands: demandsOf(query),
            certificates: takesCertificates,
            author: takesCertificates ? recordedAuthorOf(who, EVENT) : authorOf(who),
          });
          const changed = changedBy(imported, core.publisher.current());
          return { body: await core.withWarnings(imported, changed) };
        });
      },
      route({
        id: 'importNpm',
        tag: 'Configuration',
        summary: 'Import the hosts of Nginx Proxy Manager',
        description:
          'In one publish, all or nothing. Hosts become vhosts with the tag `npm`, access lists become policies. What cannot be said in Caddy is a vhost that is off, with NPM’s text as a comment, and a note.',
        access: 'write',
        query: t.Object({
          ...ChangeQuery.properties,
          ...ReplayQuery.properties,
          dryRun: flag('`true` only reports what would be imported.'),
          certificates: flag(
            '`true` also takes uploaded certificates with their keys: for owners, with a session and a proof that is at most an hour old.',
          ),
          taken: ImportBody.properties.taken,
        }),
        body: t.Object(
          {
            file: t.File({ description: 'NPM’s `database.sqlite`, at most 64 MiB' }),
            replace: t.Optional(
              t.String({
                description: 'domains that are replaced in any case, separated by white space',
              }),
            ),
          },
          { title: 'NpmImportRequest' },
        ),
        publishes: true,
        refuses: ['SESSION_NOT_FRESH', 'DOMAIN_TAKEN', 'SECRET_KEY_UNUSABLE', 'RATE_LIMITED'],
        returns: NpmAnswer,
        isForm: true,
        bodies: { file: { value: { file: 'the bytes of database.sqlite' } } },
        requestHeaders: ['Idempotency-Key'],
        example: {
          preamble: '',
          vhosts: [{ ...SITE, id: 7, config: 'reverse_proxy {upstream}' }],
          skipped: [],
          proxyfile: '',
          merge: {
            sites: [{ domain: SITE.domain, action: 'create', vhosts: [], diff: '' }],
            preamble: [],
          },
          notes: [{ domain: SITE.domain, level: 'info', text: 'It is off in NPM, too.' }],
        },
      }),
    );
}
