/** The whole configuration: read as a Caddyfile or one document, and replaced by the latter. */
import { Elysia, t } from 'elysia';
import { Failure } from '../../shared/failure.ts';
import { jsonBody } from '../../shared/json-body.ts';
import { recordedAuthorOf } from '../auth/guard.ts';
import { contextOf } from '../caddyfile/context.ts';
import { renderSite } from '../caddyfile/render.ts';
import { PREAMBLE, PROXYFILE, SITE } from '../http/examples.ts';
import { ChangeQuery, demandsOf, flag } from '../http/params.ts';
import { route } from '../http/route.ts';
import { Outcome, outcomeOf } from '../http/schemas.ts';
import { renderSet, siteOf } from '../model/applied.ts';
import { checkedPolicies } from '../model/snapshot/policies.ts';
import { restoreChange, Snapshot, snapshotOf } from '../model/snapshot/snapshot.ts';
import { sourcesOf } from '../model/source.ts';
import type { SiteSet } from '../model/vhost.ts';
import { findVhost } from '../model/vhost-changes.ts';
import type { Applied } from '../publish/queue.ts';
import type { ApiContext } from './context.ts';

/** Bytes; a file of 25,000 sites is about 1.6 MB. */
const WHOLE_BODY_LIMIT = 16 * 1024 * 1024;

const SNAPSHOT: Snapshot = {
  version: 1,
  preamble: PREAMBLE,
  policies: [{ name: 'lan-only', recipe: 'allow', values: { networks: ['private_ranges'] } }],
  vhosts: [{ ...SITE, enabled: true, policies: ['lan-only'], tags: ['media'], check: null }],
};

const yamlOf = async (text: Promise<string>): Promise<Response> =>
  new Response(await text, { headers: { 'Content-Type': 'application/yaml; charset=utf-8' } });

export function exchangeRoutes({ publisher, retries, parts, guard }: ApiContext) {
  return new Elysia({ name: 'exchange' })
    .use(guard)
    .get(
      '/proxyfile',
      ({ query, set }) => {
        set.headers['content-type'] = 'text/plain; charset=utf-8';
        const all = publisher.setOf(query.agent);
        const version = publisher.version(query.agent);
        if (!query.vhost) return renderSet(all, version).text;
        const vhost = findVhost(all, Number(query.vhost));
        return `${renderSite(siteOf(vhost, all), () => contextOf(all.preamble, version)).text}\n`;
      },
      route({
        id: 'getProxyfile',
        tag: 'Configuration',
        summary: 'Get the published Caddyfile',
        access: 'read',
        needs: 'editor',
        query: t.Object({
          vhost: t.Optional(
            t.String({
              pattern: '^([1-9][0-9]{0,14})?$',
              description: 'Only the block of the vhost with this id.',
              example: '1',
            }),
          ),
          agent: t.Optional(
            t.String({
              maxLength: 40,
              description: 'Only the part that this agent’s proxy serves.',
              example: 'local',
            }),
          ),
        }),
        returns: t.String(),
        example: PROXYFILE,
      }),
    )
    .get(
      '/export',
      ({ query: { format, source } }) => {
        if (source) assertSource(publisher.current(), source);
        if (format !== 'yaml') return snapshotOf(publisher.current());
        const toYaml = parts.find((part) => part.toYaml)?.toYaml;
        if (!toYaml) throw new Failure('NOT_FOUND', 'This hub writes no YAML.');
        return yamlOf(toYaml(publisher.current(), source || undefined));
      },
      route({
        id: 'exportConfiguration',
        tag: 'Configuration',
        summary: 'Export the preamble and all vhosts as one document',
        description:
          'Does not contain accounts or the changelog. With `format=yaml`: sites and policies as a file for `signalbox apply`, without the preamble.',
        access: 'read',
        needs: 'editor',
        query: t.Object({
          format: t.Optional(
            t.Union([t.Literal('json'), t.Literal('yaml')], {
              description: '`json` (the default) or `yaml`.',
              example: 'json',
            }),
          ),
          source: t.Optional(
            t.String({
              maxLength: 100,
              description: 'With `format=yaml`: only what this source keeps.',
            }),
          ),
        }),
        refuses: ['NOT_FOUND'],
        returns: Snapshot,
        example: SNAPSHOT,
        texts: {
          'application/yaml': 'sites:\n  app.example.org:\n    upstream: 127.0.0.1:8000\n',
        },
      }),
    )
    .use(jsonBody(WHOLE_BODY_LIMIT))
    .post(
      '/restore',
      ({ body, query, who, set, request }) =>
        retries.once({ request, who, body, query, set }, 200, async (keep) => {
          const demands = demandsOf(query);
          const { policies } = body;
          const document = policies ? { ...body, policies: await checkedPolicies(policies) } : body;
          const change = restoreChange(document, demands.replace);
          const restored = (applied: Applied<unknown>, set: SiteSet) => ({
            body: { ...snapshotOf(set), ...outcomeOf(applied) },
          });
          const author = recordedAuthorOf(who, { kind: 'restore', target: 'configuration' });
          const applied = await publisher.apply(change, author, {
            ...demands,
            unchecked: true,
            ...keep(restored),
          });
          return restored(applied, publisher.current());
        }),
      route({
        id: 'restoreConfiguration',
        tag: 'Configuration',
        summary: 'Restore an exported document',
        access: 'write',
        needs: 'owner',
        fresh: true,
        query: t.Object({
          ...ChangeQuery.properties,
          replace: flag(
            '`true` replaces the existing configuration; otherwise the hub must have no vhosts and, if the document has policies, no policies.',
          ),
        }),
        body: Snapshot,
        publishes: true,
        refuses: ['DOMAIN_TAKEN', 'NOT_EMPTY'],
        returns: t.Composite([Snapshot, Outcome], { title: 'Restored' }),
        requestHeaders: ['Idempotency-Key'],
        bodies: { exported: { value: SNAPSHOT } },
        example: SNAPSHOT,
      }),
    );
}

/** @throws Failure NOT_FOUND: a file with nothing in it would delete everything with `prune` */
function assertSource(set: SiteSet, name: string): void {
  const sources = sourcesOf(set).map((one) => one.name);
  if (sources.includes(name)) return;
  const hint = sources.length === 0 ? 'There is none yet.' : `There are: ${sources.join(', ')}.`;
  throw new Failure('NOT_FOUND', 'No source has this name.', { hint });
}
