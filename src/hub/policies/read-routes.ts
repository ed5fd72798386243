/** `/policies`: listing policies and reading one. */
import { Elysia, t } from 'elysia';
import type { Guard } from '../auth/guard.ts';
import { about, INTEGER_ID } from '../http/about.ts';
import { IdParams, idOf } from '../http/params.ts';
import { READS, refusals } from '../http/refusal-schemas.ts';
import { findPolicy, vhostsWith } from '../model/policy-changes.ts';
import type { Publisher } from '../publish/publisher.ts';
import { POLICY, PolicyView, tagged, viewPolicy } from './view.ts';

export type PolicyReadRoutesDeps = { publisher: Publisher; guard: Guard };

export function policyReadRoutes({ publisher, guard }: PolicyReadRoutesDeps) {
  return new Elysia({ name: 'policy-read', prefix: '/policies' })
    .use(guard)
    .get(
      '/',
      () => {
        const current = publisher.current();
        return current.policies.map((policy) => viewPolicy(policy, vhostsWith(current, policy.id)));
      },
      {
        response: { 200: t.Array(PolicyView), ...refusals(...READS) },
        detail: about({
          id: 'listPolicies',
          tag: 'Policies',
          summary: 'List all policies, sorted by name',
          access: 'read',
          example: [POLICY],
        }),
      },
    )
    .get(
      '/:id',
      ({ params, set }) => {
        const current = publisher.current();
        return tagged(findPolicy(current, idOf(params, 'policy')), current, set);
      },
      {
        params: IdParams,
        response: { 200: PolicyView, ...refusals(...READS, 'NOT_FOUND') },
        detail: about({
          id: 'getPolicy',
          tag: 'Policies',
          summary: 'Get a policy',
          access: 'read',
          params: INTEGER_ID,
          example: POLICY,
          responseHeaders: ['ETag'],
        }),
      },
    );
}
