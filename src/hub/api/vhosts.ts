/** `/vhosts`: listing, reading, creating, updating, deleting and toggling a vhost. */
import { Elysia, t } from 'elysia';
import { jsonBody } from '../../shared/json-body.ts';
import { authorOf } from '../auth/guard.ts';
import { ChangeQuery, demandsOf, IdParams, idOf } from '../http/params.ts';
import { etagOf } from '../http/responses.ts';
import { route } from '../http/route.ts';
import {
  Done,
  lacking,
  openWarnings,
  outcomeOf,
  untriedWarnings,
  type Warning,
} from '../http/schemas.ts';
import { agentNamed, setFor } from '../model/applied.ts';
import { NewVhost, VhostFields, written } from '../model/operation.ts';
import { withoutLoops } from '../model/sign-in-loop.ts';
import { type SiteSet, sortedByDomain, type Vhost } from '../model/vhost.ts';
import {
  createChange,
  deleteChange,
  findVhost,
  toggleChange,
  updateChange,
} from '../model/vhost-changes.ts';
import type { Applied } from '../publish/queue.ts';
import type { ApiContext } from './context.ts';
import {
  CHANGED,
  ChangedVhost,
  NEW_VHOST,
  ownHosts,
  preconditionOf,
  tagged,
  unreached,
  VHOST,
  VhostView,
  vhostsAnswer,
  viewVhost,
} from './vhost-view.ts';

const CHANGED_AT = '2026-11-20T19:00:00.000Z';
const MOVED = { upstream: '127.0.0.1:8001' };

export function vhostRoutes({
  publisher,
  warningsAfter,
  readPorts,
  retries,
  guard,
  bodyLimit,
}: ApiContext) {
  const expectedBy = (request: Request) => preconditionOf(request, publisher.current());
  /** @param id of the vhost that was changed @param before the set before it */
  const isOwn = (id: number, before: SiteSet) =>
    ownHosts(() => before.vhosts.filter((vhost) => vhost.id === id), before);
  const answered = async (applied: Applied<Vhost>, before: SiteSet) => {
    const { result } = applied;
    const found = (await warningsAfter([result])).get(result.id) ?? [];
    const warnings = [...found, ...openWarnings(applied.open, isOwn(result.id, before))];
    const { body, etag } = viewed(applied, publisher.current(), warnings);
    return { body: { ...body, ...(await unreached(warnings, readPorts)) }, etag };
  };
  const answer = async (
    applied: Applied<Vhost>,
    set: { headers: Record<string, string | number> },
    before: SiteSet,
  ) => {
    const { body, etag } = await answered(applied, before);
    set.headers.ETag = etag;
    return body;
  };
  return new Elysia({ name: 'vhosts', prefix: '/vhosts' })
    .use(guard)
    .get(
      '/',
      ({ query: { tag, agent }, request, who }) => {
        const current = publisher.current();
        return vhostsAnswer(who, listed(current, tag, agent), current)(request);
      },
      route({
        id: 'listVhosts',
        tag: 'Vhosts',
        summary: 'List all vhosts, sorted by domain',
        access: 'read',
        query: t.Object({
          tag: t.Optional(
            t.String({
              maxLength: 100,
              description: 'Only vhosts with this tag.',
              example: 'media',
            }),
          ),
          agent: t.Optional(
            t.String({
              maxLength: 40,
              description: 'Only vhosts that this agent’s proxy serves.',
              example: 'local',
            }),
          ),
        }),
        returns: t.Array(VhostView),
        example: [VHOST],
      }),
    )
    .get(
      '/:id',
      ({ params, set, who }) => {
        const current = publisher.current();
        return tagged(who, findVhost(current, idOf(params)), current, set);
      },
      route({
        id: 'getVhost',
        tag: 'Vhosts',
        summary: 'Get a vhost',
        access: 'read',
        params: IdParams,
        returns: VhostView,
        example: VHOST,
        responseHeaders: ['ETag'],
      }),
    )
    .patch(
      '/:id/toggle',
      async ({ params, query, request, who, set }) => {
        const id = idOf(params);
        const [change, before] = [toggleChange(id, expectedBy(request)), publisher.current()];
        return answer(await publisher.apply(change, authorOf(who), demandsOf(query)), set, before);
      },
      route({
        id: 'toggleVhost',
        tag: 'Vhosts',
        summary: 'Enable or disable a vhost',
        access: 'write',
        params: IdParams,
        query: ChangeQuery,
        publishes: true,
        returns: ChangedVhost,
        requestHeaders: ['If-Match'],
        example: { ...CHANGED, enabled: false, updatedAt: CHANGED_AT },
        responseHeaders: ['ETag'],
      }),
    )
    .delete(
      '/:id',
      async ({ params, query, request, who }) => {
        const id = idOf(params);
        const before = publisher.current();
        const change = deleteChange(id, expectedBy(request));
        const applied = await publisher.apply(change, authorOf(who), demandsOf(query));
        return { ...applied.result, ...outcomeOf(applied, isOwn(id, before)) };
      },
      route({
        id: 'deleteVhost',
        tag: 'Vhosts',
        summary: 'Delete a vhost',
        access: 'write',
        params: IdParams,
        query: ChangeQuery,
        publishes: true,
        returns: Done,
        requestHeaders: ['If-Match'],
        example: { success: true },
      }),
    )
    .use(jsonBody(bodyLimit))
    .post(
      '/',
      ({ body, query, who, set, request }) =>
        retries.once({ request, who, body, query, set }, 201, async (keep) => {
          const before = publisher.current();
          const change = withoutLoops(written(body, createChange(body)));
          const applied = await publisher.apply(change, authorOf(who), {
            ...demandsOf(query),
            ...keep<Vhost>(viewed),
          });
          return answered(applied, before);
        }),
      route({
        id: 'createVhost',
        tag: 'Vhosts',
        summary: 'Create a vhost and publish it',
        description: [
          'The vhost is live when the response arrives. `config` is either the body of a site',
          'block, which the hub wraps in a block for `domain`, or a whole site block whose first',
          'address is `domain`. `{upstream}` in it stands for the field `upstream`. `warnings` names',
          'problems that remain, such as an upstream that does not answer, or a port that another program',
          'holds, so that nobody reaches the vhost. With a `check`, the site is requested from a separate',
          'Caddy before the vhost is live, and again once it is.',
        ].join('\n'),
        access: 'write',
        query: ChangeQuery,
        body: t.Object(NewVhost, { title: 'NewVhost' }),
        publishes: true,
        refuses: ['DOMAIN_TAKEN'],
        status: 201,
        returns: ChangedVhost,
        bodies: {
          body: { summary: 'The body of a site block', value: NEW_VHOST },
          block: {
            summary: 'A whole site block',
            value: {
              domain: 'www.example.org',
              config: 'www.example.org, example.org {\n\troot * /srv/www\n\tfile_server\n}',
            },
          },
        },
        example: CHANGED,
        requestHeaders: ['Idempotency-Key'],
        responseHeaders: ['ETag'],
      }),
    )
    .put(
      '/:id',
      async ({ params, query, body, request, who, set }) => {
        const id = idOf(params);
        const before = publisher.current();
        const change = withoutLoops(written(body, updateChange(id, body, expectedBy(request))));
        return answer(await publisher.apply(change, authorOf(who), demandsOf(query)), set, before);
      },
      route({
        id: 'updateVhost',
        tag: 'Vhosts',
        summary: 'Change fields of a vhost',
        description: 'If nothing changes, nothing is published or recorded.',
        access: 'write',
        params: IdParams,
        query: ChangeQuery,
        body: t.Object(VhostFields, { title: 'VhostChanges' }),
        publishes: true,
        refuses: ['DOMAIN_TAKEN'],
        returns: ChangedVhost,
        requestHeaders: ['If-Match'],
        bodies: { upstream: { value: MOVED } },
        example: { ...CHANGED, ...MOVED, updatedAt: CHANGED_AT },
        responseHeaders: ['ETag'],
      }),
    );
}

/** The answer to a change of a vhost. @param others none while they are not known */
function viewed(applied: Applied<Vhost>, among: SiteSet, others: Warning[] = []) {
  const { result, behind, untried } = applied;
  const shown = viewVhost(result, among);
  const warnings = [...untriedWarnings(untried, result.domain), ...others];
  return { body: { ...shown, ...lacking(behind), warnings }, etag: etagOf(shown) };
}

/**
 * Sorted by domain.
 * @param tag that they must have; any if it is empty or missing
 * @param agent on which they must be placed; any if it is empty or missing
 * @throws Failure NOT_FOUND if there is no such agent
 */
function listed(set: SiteSet, tag?: string, agent?: string): readonly Vhost[] {
  const vhosts = sortedByDomain(agent ? setFor(set, agentNamed(agent, set).id) : set);
  return tag ? vhosts.filter(({ tags }) => tags.includes(tag)) : vhosts;
}
