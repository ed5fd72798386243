/** `/policies`: creating, updating and deleting a policy. */
import { Elysia, t } from 'elysia';
import { jsonBody } from '../../shared/json-body.ts';
import { authorOf, type Guard } from '../auth/guard.ts';
import { about, DEMANDS, INTEGER_ID } from '../http/about.ts';
import { ChangeQuery, demandsOf, IdParams, idOf } from '../http/params.ts';
import { BODY, PUBLISHES, refusals } from '../http/refusal-schemas.ts';
import { Lacking, lacking, Success } from '../http/schemas.ts';
import { createPolicy, NewPolicy, PolicyFields, updatePolicy } from '../model/operation.ts';
import { deletePolicyChange } from '../model/policy-changes.ts';
import type { Publisher } from '../publish/publisher.ts';
import { NEW_POLICY, POLICY, PolicyView, preconditionOf, tagged } from './view.ts';

const MOVED = { values: { networks: ['192.168.1.0/24'] } };

export type PolicyChangeRoutesDeps = { publisher: Publisher; guard: Guard; bodyLimit: number };

export function policyChangeRoutes({ publisher, guard, bodyLimit }: PolicyChangeRoutesDeps) {
  return new Elysia({ name: 'policy-change', prefix: '/policies' })
    .use(guard)
    .delete(
      '/:id',
      async ({ params, query, request, who }) => {
        const change = deletePolicyChange(idOf(params, 'policy'), preconditionOf(request));
        return (await publisher.apply(change, authorOf(who), demandsOf(query))).result;
      },
      {
        params: IdParams,
        query: ChangeQuery,
        response: {
          200: Success,
          ...refusals(...PUBLISHES, 'NOT_FOUND', 'POLICY_IN_USE', 'PRECONDITION_FAILED'),
        },
        detail: about({
          id: 'deletePolicy',
          tag: 'Policies',
          summary: 'Delete an unused policy',
          access: 'write',
          params: { ...INTEGER_ID, ...DEMANDS },
          requestHeaders: ['If-Match'],
          example: { success: true },
        }),
      },
    )
    .use(jsonBody(bodyLimit))
    .post(
      '/',
      async ({ body, query, who, set }) => {
        const change = await createPolicy(body);
        const { result } = await publisher.apply(change, authorOf(who), demandsOf(query));
        set.status = 201;
        return tagged(result, publisher.current(), set);
      },
      {
        query: ChangeQuery,
        body: t.Object(NewPolicy, { title: 'NewPolicy' }),
        response: { 201: PolicyView, ...refusals(...PUBLISHES, ...BODY, 'POLICY_TAKEN') },
        detail: about({
          id: 'createPolicy',
          tag: 'Policies',
          summary: 'Create a policy',
          description:
            'It applies to the vhosts that name it in the field `policies`. Passwords are stored as bcrypt hashes. A 400 names the `field`, such as `users.0.password`.',
          access: 'write',
          params: DEMANDS,
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
      },
    )
    .put(
      '/:id',
      async ({ params, query, body, request, who, set }) => {
        const id = idOf(params, 'policy');
        const change = await updatePolicy(publisher.current(), id, body, preconditionOf(request));
        const { result, behind } = await publisher.apply(change, authorOf(who), demandsOf(query));
        return { ...tagged(result, publisher.current(), set), ...lacking(behind) };
      },
      {
        params: IdParams,
        query: ChangeQuery,
        body: t.Object(PolicyFields, { title: 'PolicyChanges' }),
        response: {
          200: t.Composite([PolicyView, Lacking], { title: 'ChangedPolicy' }),
          ...refusals(...PUBLISHES, ...BODY, 'NOT_FOUND', 'POLICY_TAKEN', 'PRECONDITION_FAILED'),
        },
        detail: about({
          id: 'updatePolicy',
          tag: 'Policies',
          summary: 'Change a policy on all its vhosts at once, or on none',
          description:
            'One publish and one changelog entry; one undo reverts it. If the proxy refuses it for one vhost, nothing changes, and the error names that vhost. `values` replaces all values, but users without a `password` in the request keep theirs.',
          access: 'write',
          params: { ...INTEGER_ID, ...DEMANDS },
          requestHeaders: ['If-Match'],
          bodies: { networks: { value: MOVED } },
          example: { ...POLICY, ...MOVED },
          responseHeaders: ['ETag'],
        }),
      },
    );
}
