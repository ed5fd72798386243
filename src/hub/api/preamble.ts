/** `/preamble`: the global options and snippets before the sites. */
import { Elysia, t } from 'elysia';
import { jsonBody } from '../../shared/json-body.ts';
import { authorOf } from '../auth/guard.ts';
import { trustedIn } from '../caddyfile/trusted-proxies.ts';
import { PREAMBLE } from '../http/examples.ts';
import { agentQuery, ChangeQuery, demandsOf } from '../http/params.ts';
import { etagOf, ifMatch } from '../http/responses.ts';
import { route } from '../http/route.ts';
import { Outcome, outcomeOf, Timestamp } from '../http/schemas.ts';
import { agentNamed } from '../model/applied.ts';
import { preambleChangeOf, TrustedProxies } from '../model/preamble-changes.ts';
import type { SiteSet } from '../model/vhost.ts';
import type { ApiContext } from './context.ts';

export const PreambleView = t.Object(
  {
    config: t.String(),
    trustedProxies: TrustedProxies,
    updatedAt: Timestamp,
    own: t.Optional(
      t.Boolean({ description: 'of an agent: whether it has a separate one, or the common one' }),
    ),
  },
  { title: 'Preamble' },
);
const PreambleBody = t.Object(
  {
    config: t.Optional(
      t.Union([t.String(), t.Null()], {
        description: 'null, for an agent: use the common one again; absent: it stays',
      }),
    ),
    trustedProxies: t.Optional(TrustedProxies),
  },
  { title: 'PreambleChange' },
);
const OfAgent = agentQuery({
  description: 'The preamble of this agent, instead of the common one.',
  example: 'local',
});

const VIEW = { config: PREAMBLE, trustedProxies: null, updatedAt: '2026-11-20T18:00:00.000Z' };

export function preambleRoutes({ publisher, store, guard, bodyLimit }: ApiContext) {
  /** The current one, and its ETag. */
  const view = (headers: Record<string, string | number>, name?: string) => {
    const set = publisher.current();
    const own = name ? agentNamed(name, set) : null;
    headers.ETag = tagIn(set, name);
    const changed = own?.preamble != null ? own.updatedAt : store.preambleUpdatedAt();
    const part = partIn(set, name);
    const trustedProxies = trustedIn(part.config);
    return { ...part, trustedProxies, updatedAt: changed.toISOString() };
  };

  return new Elysia({ name: 'preamble' })
    .use(guard)
    .get(
      '/preamble',
      ({ query, set }) => view(set.headers, query.agent),
      route({
        id: 'getPreamble',
        tag: 'Configuration',
        summary: 'Get the preamble: the global options and snippets before the sites',
        access: 'read',
        needs: 'editor',
        query: OfAgent,
        returns: PreambleView,
        example: VIEW,
        responseHeaders: ['ETag'],
      }),
    )
    .use(jsonBody(bodyLimit))
    .put(
      '/preamble',
      async ({ body, query: { agent, ...query }, who, request, set }) => {
        const assertTag = ifMatch(request, 'preamble');
        const to = preambleChangeOf(body, agent);
        const change: typeof to = (on, time) => {
          assertTag?.(tagIn(on, agent));
          return to(on, time);
        };
        const applied = await publisher.apply(change, authorOf(who), demandsOf(query));
        return { ...view(set.headers, agent), ...outcomeOf(applied) };
      },
      route({
        id: 'updatePreamble',
        tag: 'Configuration',
        summary: 'Change the preamble and publish it',
        access: 'write',
        query: t.Composite([ChangeQuery, OfAgent]),
        body: PreambleBody,
        publishes: true,
        returns: t.Composite([PreambleView, Outcome], { title: 'ChangedPreamble' }),
        requestHeaders: ['If-Match'],
        responseHeaders: ['ETag'],
        bodies: {
          email: { value: { config: PREAMBLE } },
          behind: { summary: 'Behind Cloudflare', value: { trustedProxies: ['cloudflare'] } },
        },
        example: VIEW,
      }),
    );
}

/** What is shown of a preamble, but for its time. @throws Failure NOT_FOUND */
function partIn(set: SiteSet, name?: string) {
  const agent = name ? agentNamed(name, set) : null;
  return {
    config: agent?.preamble ?? set.preamble,
    ...(agent && { own: agent.preamble !== null }),
  };
}

const tagIn = (set: SiteSet, name?: string): string => etagOf(partIn(set, name));
