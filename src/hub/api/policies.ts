/** `/policies`: listing, reading, creating, updating and deleting a policy. */
import { Elysia, t } from 'elysia';
import { integer } from '../../shared/integer.ts';
import { jsonBody } from '../../shared/json-body.ts';
import { authorOf, type Caller, isViewer } from '../auth/guard.ts';
import { ChangeQuery, demandsOf, IdParams, idOf } from '../http/params.ts';
import { etagOf, ifMatch } from '../http/responses.ts';
import { route } from '../http/route.ts';
import { Outcome, outcomeOf, Timestamp } from '../http/schemas.ts';
import { vhostsTouched, vhostsWith } from '../model/applied.ts';
import { createPolicy, NewPolicy, PolicyFields, updatePolicy } from '../model/operation.ts';
import {
  deletePolicyChange,
  findPolicy,
  type PolicyPrecondition,
} from '../model/policy-changes.ts';
import { withoutLoops } from '../model/sign-in-loop.ts';
import type { SiteSet, Vhost } from '../model/vhost.ts';
import type { Applied } from '../publish/queue.ts';
import type { Policy } from '../recipes/policy.ts';
import { withoutSecrets } from '../recipes/secrets.ts';
import type { ApiContext } from './context.ts';
import { ownHosts } from './vhost-view.ts';

const Whole = t.Object(
  {
    id: integer(),
    name: t.String(),
    recipe: t.String({ description: 'the id of its recipe' }),
    values: t.Record(t.String(), t.Unknown(), {
      description: 'without passwords and their hashes',
    }),
    everywhere: t.Boolean({
      description: 'whether it applies to every vhost that does not name it in `except`',
    }),
    vhosts: t.Array(integer(), { description: 'the ids of the vhosts to which it applies' }),
    source: t.Union([t.String(), t.Null()], { description: 'as of a vhost' }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'Policy' },
);

export const PolicyView = t.Object(
  {
    ...Whole.properties,
    values: t.Optional(
      t.Record(t.String(), t.Unknown(), {
        description: 'without passwords and their hashes; not for viewers',
      }),
    ),
  },
  { title: 'Policy' },
);

/** The answer to a change of one. */
export const ChangedPolicy = t.Composite([Whole, Outcome], {
  title: 'ChangedPolicy',
});

/** What creates `POLICY`. */
const NEW_POLICY = {
  name: 'lan-only',
  recipe: 'allow',
  values: { networks: ['private_ranges'] },
};

const POLICY = {
  id: 1,
  ...NEW_POLICY,
  everywhere: false,
  vhosts: [1, 2],
  source: null,
  createdAt: '2026-11-20T18:00:00.000Z',
  updatedAt: '2026-11-20T18:00:00.000Z',
};

const MOVED = { values: { networks: ['192.168.1.0/24'] } };

export function policyRoutes({ publisher, retries, guard, bodyLimit }: ApiContext) {
  return new Elysia({ name: 'policies', prefix: '/policies' })
    .use(guard)
    .get(
      '/',
      ({ who }) => {
        const current = publisher.current();
        return current.policies.map((policy) => policyFor(who, policy, current).body);
      },
      route({
        id: 'listPolicies',
        tag: 'Policies',
        summary: 'List all policies, sorted by name',
        access: 'read',
        returns: t.Array(PolicyView),
        example: [POLICY],
      }),
    )
    .get(
      '/:id',
      ({ params, set, who }) => {
        const current = publisher.current();
        const { body, etag } = policyFor(who, findPolicy(current, idOf(params, 'policy')), current);
        set.headers.ETag = etag;
        return body;
      },
      route({
        id: 'getPolicy',
        tag: 'Policies',
        summary: 'Get a policy',
        access: 'read',
        params: IdParams,
        returns: PolicyView,
        example: POLICY,
        responseHeaders: ['ETag'],
      }),
    )
    .delete(
      '/:id',
      async ({ params, query, request, who }) => {
        const change = deletePolicyChange(idOf(params, 'policy'), preconditionOf(request));
        return (await publisher.apply(change, authorOf(who), demandsOf(query))).result;
      },
      route({
        id: 'deletePolicy',
        tag: 'Policies',
        summary: 'Delete an unused policy',
        access: 'write',
        params: IdParams,
        query: ChangeQuery,
        publishes: true,
        refuses: ['POLICY_IN_USE'],
        requestHeaders: ['If-Match'],
      }),
    )
    .use(jsonBody(bodyLimit))
    .post(
      '/',
      ({ body, query, who, set, request }) =>
        retries.once({ request, who, body, query, set }, 201, async (keep) => {
          const before = publisher.current();
          const change = withoutLoops(await createPolicy(body));
          const applied = await publisher.apply(change, authorOf(who), {
            ...demandsOf(query),
            ...keep<Policy>((stored, next) => changed(stored, before, next)),
          });
          return changed(applied, before, publisher.current());
        }),
      route({
        id: 'createPolicy',
        tag: 'Policies',
        summary: 'Create a policy',
        description:
          'It applies to the vhosts that name it in the field `policies`; with `everywhere`, to all vhosts, also to those that are created later, except to those that name it in `except`. Passwords are stored as bcrypt hashes. A 400 names the `field`, such as `users.0.password`.',
        access: 'write',
        query: ChangeQuery,
        body: t.Object(NewPolicy, { title: 'NewPolicy' }),
        publishes: true,
        refuses: ['POLICY_TAKEN'],
        status: 201,
        returns: ChangedPolicy,
        requestHeaders: ['Idempotency-Key'],
        bodies: {
          lan: { summary: 'Only from the home network', value: NEW_POLICY },
          signIn: {
            summary: 'Sign-in with Authelia',
            value: {
              name: 'sign-in',
              recipe: 'authelia',
              values: { address: 'http://127.0.0.1:9091' },
            },
          },
        },
        example: { ...POLICY, vhosts: [] },
        responseHeaders: ['ETag'],
      }),
    )
    .put(
      '/:id',
      async ({ params, query, body, request, who, set }) => {
        const id = idOf(params, 'policy');
        const change = await updatePolicy(publisher.current(), id, body, preconditionOf(request));
        const before = publisher.current();
        const applied = await publisher.apply(
          withoutLoops(change),
          authorOf(who),
          demandsOf(query),
        );
        const answer = changed(applied, before, publisher.current());
        set.headers.ETag = answer.etag;
        return answer.body;
      },
      route({
        id: 'updatePolicy',
        tag: 'Policies',
        summary: 'Change a policy on all its vhosts at once, or on none',
        description:
          'One publish and one changelog entry; one undo reverts it. If the proxy refuses it for one vhost, nothing changes, and the error names that vhost. `values` replaces all values, but users without a `password` in the request keep theirs.',
        access: 'write',
        params: IdParams,
        query: ChangeQuery,
        body: t.Object(PolicyFields, { title: 'PolicyChanges' }),
        publishes: true,
        refuses: ['POLICY_TAKEN'],
        returns: ChangedPolicy,
        requestHeaders: ['If-Match'],
        bodies: { networks: { value: MOVED } },
        example: { ...POLICY, ...MOVED },
        responseHeaders: ['ETag'],
      }),
    );
}

/** @param vhosts those to which it applies */
const viewPolicy = ({ applied: _, ...policy }: Policy, vhosts: readonly Vhost[]) => ({
  ...policy,
  values: { ...withoutSecrets(policy.recipe, policy.values) },
  vhosts: vhosts.map(({ id }) => id),
  createdAt: policy.createdAt.toISOString(),
  updatedAt: policy.updatedAt.toISOString(),
});

/** Changes with everything that is shown of a policy, and with its passwords. */
const tagOf = (policy: Policy, vhosts: readonly Vhost[]): string =>
  etagOf({ ...policy, vhosts: vhosts.map(({ id }) => id) });

/** A policy of a set for whoever asks, and its ETag: for a viewer, without its values. */
function policyFor(who: Caller, policy: Policy, among: SiteSet) {
  const { body, etag } = viewedPolicy(policy, among);
  if (!isViewer(who)) return { body, etag };
  const { values: _, ...seen } = body;
  return { body: seen, etag: etagOf(seen) };
}

/** A policy of a set, and its ETag. */
export function viewedPolicy(policy: Policy, among: SiteSet) {
  const vhosts = vhostsWith(among, policy.id);
  return { body: viewPolicy(policy, vhosts), etag: tagOf(policy, vhosts) };
}

/** The answer to a change, and its ETag. @param before the set before it */
function changed(applied: Applied<Policy>, before: SiteSet, next: SiteSet) {
  const { result } = applied;
  const { body, etag } = viewedPolicy(result, next);
  const isOwn = ownHosts(() => vhostsTouched(next, before, result.id), before);
  return { body: { ...body, ...outcomeOf(applied, isOwn) }, etag };
}

/** The precondition that `If-Match` makes; undefined if there is none. */
function preconditionOf(request: Request): PolicyPrecondition | undefined {
  const assertTag = ifMatch(request, 'policy');
  return assertTag && ((policy, vhosts) => assertTag(tagOf(policy, vhosts)));
}
