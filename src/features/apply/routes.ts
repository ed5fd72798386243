/** `/apply`: sites and policies as a document says, all or nothing; and the JSON Schema of its file. */
import { Elysia, t } from 'elysia';
import { authorOf } from '../../hub/auth/guard.ts';
import { caddyfileDiff } from '../../hub/caddyfile/diff.ts';
import type { ApiCore } from '../../hub/core.ts';
import { ChangeQuery, demandsOf, ReplayQuery, wantsReplay } from '../../hub/http/params.ts';
import { route } from '../../hub/http/route.ts';
import { Outcome as Ended, Replaying, withOutcome } from '../../hub/http/schemas.ts';
import { renderSet } from '../../hub/model/applied.ts';
import { assertSource } from '../../hub/model/source.ts';
import { changedVhosts } from '../../hub/model/vhost.ts';
import { Failure } from '../../shared/failure.ts';
import { jsonText } from '../../shared/http.ts';
import { integer } from '../../shared/integer.ts';
import { jsonBody } from '../../shared/json-body.ts';
import { loadOnce, memoize } from '../../shared/memoize.ts';
import type { Document } from './document.ts';
import { applyChange, type Outcome } from './plan.ts';
import { applySchema, fieldOf, policiesIn, siteAtFault, sitesIn } from './schemas.ts';

/** Bytes; a document of 25,000 sites is about 3 MB. */
const BODY_LIMIT = 16 * 1024 * 1024;

const ApplyBody = t.Object(
  {
    source: t.String({
      pattern: '^(?!containers/)',
      description:
        'the name of the file, or of what else keeps these sites and policies: 1 to 100 characters; names that begin with `containers/` are taken',
    }),
    sites: t.Optional(
      t.Unknown({
        description:
          'by domain, each as `/apply.schema.json` says; or a list, each with its `domain`',
      }),
    ),
    policies: t.Optional(
      t.Unknown({
        description:
          'by name, as `sites`; or a list, each with its `name`: at most 1,000, with at most 50 passwords in clear',
      }),
    ),
    prune: t.Optional(
      t.Boolean({
        description: 'delete what this source applied before and the document no longer names',
      }),
    ),
    adopt: t.Optional(
      t.Boolean({ description: 'take over what people or other sources made under these names' }),
    ),
    dryRun: t.Optional(t.Boolean({ description: 'plan and check it, and change nothing' })),
    expects: t.Optional(
      t.String({
        description:
          'the `digest` of the plan to apply: refused with `STALE` if it would be another one',
      }),
    ),
  },
  { title: 'ApplyRequest' },
);

const ApplyAnswer = t.Composite(
  [
    t.Object({
      changes: t.Array(
        t.Object({
          op: t.UnionEnum(['create', 'update', 'delete', 'adopt'], {
            description: '`adopt`: it belongs to this source from now on',
          }),
          kind: t.Union([t.Literal('site'), t.Literal('policy')]),
          name: t.String(),
          fields: t.Array(t.String(), { description: 'that change; of `update` and `adopt`' }),
        }),
        { description: 'empty if everything is as the document says' },
      ),
      diff: t.String({ description: 'of the Caddyfile, in the format of `diff -u`' }),
      published: t.Boolean({
        description: 'whether the proxies got a new configuration, or with `dryRun` would get it',
      }),
      digest: t.String({ description: 'of the plan, for `expects`' }),
      group: t.Optional(
        integer({ description: 'of the entries in the changelog, if there are any' }),
      ),
    }),
    Ended,
    Replaying,
  ],
  { title: 'ApplyAnswer' },
);

export function applyRoutes({ publisher, retries, guard, startReplay, withWarnings }: ApiCore) {
  const schema = loadOnce(async () => JSON.stringify(applySchema()));
  /** The answer that is stored for a retry is the one that is sent. */
  const viewed = memoize(({ changes, published, digest, before, after }: Outcome) => {
    const version = publisher.version();
    const diff = caddyfileDiff(renderSet(before, version), renderSet(after, version));
    return { changes, diff, published, digest };
  });
  return new Elysia({ name: 'apply' })
    .get(
      '/apply.schema.json',
      async () => jsonText(await schema()),
      route({
        id: 'getApplySchema',
        tag: 'Configuration',
        summary: 'Get the JSON Schema of a file for `signalbox apply`',
        description: 'Editors read it without signing in, to complete and check the file.',
        access: 'anyone',
        returns: t.Object({ $schema: t.String() }, { additionalProperties: true }),
        example: { $schema: 'https://json-schema.org/draft/2020-12/schema' },
      }),
    )
    .use(guard)
    .use(jsonBody(BODY_LIMIT))
    .post(
      '/apply',
      ({ body, query, who, set, request }) =>
        retries.once({ request, who, body, query, set }, 200, async (keep) => {
          const { source, prune = false, adopt = false, dryRun, expects } = body;
          assertSource(source);
          const isReplayed = wantsReplay(query, dryRun === true);
          const document: Document = {
            source,
            prune,
            adopt,
            sites: sitesIn(body.sites),
            policies: policiesIn(body.policies),
          };
          const demands = demandsOf(query);
          try {
            const change = await applyChange(document, publisher.current(), expects);
            if (dryRun) {
              const plan = viewed((await publisher.rehearse(change, demands)).result);
              if (!isReplayed) return { body: plan };
              return { body: { ...plan, replay: await startReplay(change) } };
            }
            const author = { ...authorOf(who), via: `apply ${source}` };
            const applied = await publisher.apply(change, author, {
              ...demands,
              ...keep<Outcome>((stored) => ({ body: withOutcome(stored, viewed(stored.result)) })),
            });
            const answer = withOutcome(applied, viewed(applied.result));
            return { body: await withWarnings(answer, changedVhosts(applied.result)) };
          } catch (error) {
            throw inDocument(error, document);
          }
        }),
      route({
        id: 'applyDocument',
        tag: 'Configuration',
        summary: 'Make sites and policies what a document says',
        description:
          'In one publish, all or nothing, recorded as one group. What the document does not mention is not touched, unless `prune` is set. Applying the same document again changes and publishes nothing. A dry run refuses what the request itself would refuse. A 400 names the `field`, such as `sites["app.example.org"].upstream`.',
        access: 'write',
        query: t.Object({ ...ChangeQuery.properties, ...ReplayQuery.properties }),
        body: ApplyBody,
        publishes: true,
        refuses: ['DOMAIN_TAKEN', 'POLICY_TAKEN', 'POLICY_IN_USE', 'STALE', 'RATE_LIMITED'],
        returns: ApplyAnswer,
        requestHeaders: ['Idempotency-Key'],
        bodies: {
          plan: {
            summary: 'What would change',
            value: {
              source: 'home',
              policies: {
                lan: { recipe: 'allow', values: { networks: ['private_ranges'] } },
              },
              sites: { 'app.example.org': { upstream: '127.0.0.1:8000', policies: ['lan'] } },
              dryRun: true,
            },
          },
        },
        example: {
          changes: [
            { op: 'create', kind: 'policy', name: 'lan', fields: [] },
            { op: 'update', kind: 'site', name: 'app.example.org', fields: ['policies'] },
          ],
          diff: '',
          published: true,
          digest: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
          group: 12,
        },
      }),
    );
}

/** Names the site of the document that a proxy refuses. */
function inDocument(error: unknown, { sites }: Document): unknown {
  if (!(error instanceof Failure) || error.at.field !== undefined) return error;
  const part = PARTS.get(error.code);
  const name = siteAtFault(error, sites);
  if (part === undefined || name === undefined) return error;
  const line = error.at.vhost?.line ?? error.at.line;
  return error.about({ ...error.at, field: fieldOf('sites', name, part), line });
}

/** Of a site, what is at fault if a proxy refuses it. */
const PARTS = new Map<string, 'config' | 'check'>([
  ['PROXY_REJECTED', 'config'],
  ['CHECK_FAILED', 'check'],
]);
