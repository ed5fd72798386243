/** The change that puts a policy on sites: the given one, or one that lets in only private networks. Pure. */
import { type Change, sequence } from '../../hub/model/changes.ts';
import { createPolicyChange } from '../../hub/model/policy-changes.ts';
import { withoutLoops } from '../../hub/model/sign-in-loop.ts';
import type { SiteSet, Vhost } from '../../hub/model/vhost.ts';
import { findVhost, updateChange } from '../../hub/model/vhost-changes.ts';
import type { Policy } from '../../hub/recipes/policy.ts';
import { Failure } from '../../shared/failure.ts';

export type Closed = {
  policy: string;
  /** Whether the policy was made for it. */
  isNew: boolean;
  /** Those that had it not before. */
  vhosts: Vhost[];
};

const NAME = 'home-only';
const VALUES = { networks: ['private_ranges'] };

/** Whether a policy lets in private networks and nobody else. */
export const isHomeOnly = ({ recipe, values }: Policy): boolean =>
  recipe === 'allow' && Bun.deepEquals(values.networks, VALUES.networks);

/**
 * @param ids of vhosts
 * @param name of the policy; undefined: the first that is as `isHomeOnly` says, or a new one
 * @throws Failure, when planned: NOT_FOUND, INVALID_REQUEST
 */
export const closeChange =
  (ids: readonly number[], name: string | undefined): Change<Closed> =>
  async (set, time) => {
    const known = name === undefined ? set.policies.find(isHomeOnly) : policyNamed(name, set);
    const policy = known?.name ?? freeName(set);
    const open = [...new Set(ids)]
      .map((id) => findVhost(set, id))
      .filter((vhost) => !vhost.policies.some((one) => one.name === policy));
    const isNew = known === undefined && open.length > 0;
    const create = createPolicyChange({
      name: policy,
      recipe: 'allow',
      values: VALUES,
      everywhere: false,
    });
    const updates = open.map(({ id, policies }) =>
      updateChange(id, { policies: [policy, ...policies.map((one) => one.name)] }),
    );
    const change = withoutLoops(sequence<unknown>([...(isNew ? [create] : []), ...updates]));
    const plan = await change(set, time);
    const after = 'done' in plan ? [] : plan.next.vhosts;
    const changed = new Set(open.map(({ id }) => id));
    const result = { policy, isNew, vhosts: after.filter(({ id }) => changed.has(id)) };
    return 'done' in plan ? { done: result } : { ...plan, result };
  };

function policyNamed(name: string, { policies }: SiteSet): Policy {
  const found = policies.find((one) => one.name === name);
  if (found) return found;
  throw new Failure('INVALID_REQUEST', `There is no policy ${JSON.stringify(name)}.`, {
    at: { field: 'policy' },
  });
}

function freeName({ policies }: SiteSet): string {
  const taken = new Set(policies.map(({ name }) => name));
  const free = [NAME, ...Array.from({ length: taken.size }, (_, at) => `${NAME}-${at + 2}`)];
  return free.find((one) => !taken.has(one)) ?? NAME;
}
