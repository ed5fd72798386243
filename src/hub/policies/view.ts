/** A policy as the API shows it, its entity tag, and examples for the API's description. */
import { t } from 'elysia';
import { etagOf, ifMatch } from '../http/etag.ts';
import { Timestamp } from '../http/schemas.ts';
import { type PolicyPrecondition, vhostsWith } from '../model/policy-changes.ts';
import type { SiteSet, Vhost } from '../model/vhost.ts';
import type { Policy } from '../recipes/policy.ts';
import { withoutSecrets } from '../recipes/secrets.ts';

export const PolicyView = t.Object(
  {
    id: t.Integer(),
    name: t.String(),
    recipe: t.String({ description: 'the id of its recipe' }),
    values: t.Record(t.String(), t.Unknown(), {
      description: 'without passwords and their hashes',
    }),
    vhosts: t.Array(t.Integer(), { description: 'the ids of the vhosts that have it' }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'Policy' },
);

/** What creates `POLICY`. */
export const NEW_POLICY = {
  name: 'lan-only',
  recipe: 'allow',
  values: { networks: ['private_ranges'] },
};

export const POLICY = {
  id: 1,
  ...NEW_POLICY,
  vhosts: [1, 2],
  createdAt: '2026-11-20T18:00:00.000Z',
  updatedAt: '2026-11-20T18:00:00.000Z',
};

/** @param vhosts those that have it */
export const viewPolicy = (policy: Policy, vhosts: readonly Vhost[]) => ({
  ...policy,
  values: { ...withoutSecrets(policy.recipe, policy.values) },
  vhosts: vhosts.map(({ id }) => id),
  createdAt: policy.createdAt.toISOString(),
  updatedAt: policy.updatedAt.toISOString(),
});

/** Changes with everything that is shown of a policy, and with its passwords. */
const tagOf = (policy: Policy, vhosts: readonly Vhost[]): string =>
  etagOf({ ...policy, vhosts: vhosts.map(({ id }) => id) });

/** Shows a policy of a set, and sets its ETag. */
export function tagged(
  policy: Policy,
  among: SiteSet,
  set: { headers: Record<string, string | number> },
) {
  const vhosts = vhostsWith(among, policy.id);
  set.headers.ETag = tagOf(policy, vhosts);
  return viewPolicy(policy, vhosts);
}

/** The precondition that `If-Match` makes; undefined if there is none. */
export function preconditionOf(request: Request): PolicyPrecondition | undefined {
  const assertTag = ifMatch(request, 'policy');
  return assertTag && ((policy, vhosts) => assertTag(tagOf(policy, vhosts)));
}
