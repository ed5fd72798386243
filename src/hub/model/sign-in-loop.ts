/** Sites that would ask themselves whether a visitor is signed in: nobody could reach the sign-in. Pure. */
import { createPauses } from '../../shared/async.ts';
import { Failure } from '../../shared/failure.ts';
import { serviceAt } from '../caddyfile/address.ts';
import type { Policy } from '../recipes/policy.ts';
import { policiesOn } from './applied.ts';
import { type Change, idsAfter, type Step } from './changes.ts';
import { linesOf, upstreamsIn } from './doubts.ts';
import type { SiteSet, Vhost } from './vhost.ts';

/** Recipes that ask a service at their `address` about each request. */
const ASKING = ['authelia', 'authentik', 'forward-auth'];

/**
 * A change, or all of one request, that someone makes just now. A site that was stored like this before
 * can still be changed.
 * @param fieldOf what the request calls a field of a site or a policy
 * @throws Failure, when it is applied: INVALID_REQUEST with the policy and the site; and as `change`
 */
export const withoutLoops =
  <T>(change: Change<T>, fieldOf: FieldOf = (_, field) => field): Change<T> =>
  async (set, time) => {
    const plan = await change(set, time);
    if ('done' in plan) return plan;
    const { next, steps } = plan;
    const touched = idsAfter(steps);
    const pause = createPauses();
    for (const vhost of next.vhosts.filter(({ id }) => touched.has(id))) {
      await pause();
      const policy = loopOf(vhost, next);
      if (policy && !wasLoop(vhost, set)) throw loop(policy, vhost, steps, fieldOf);
    }
    return plan;
  };

type FieldOf = (thing: Vhost | Policy, field: string) => string;

const wasLoop = ({ id }: Vhost, set: SiteSet): boolean => {
  const before = set.vhosts.find((one) => one.id === id);
  return before !== undefined && loopOf(before, set) !== undefined;
};

/** The policy whose sign-in service is the vhost itself, unless it lets some requests through. */
function loopOf(vhost: Vhost, set: SiteSet): Policy | undefined {
  const asking = policiesOn(vhost, set).filter(
    ({ recipe, values }) =>
      ASKING.includes(recipe) && !isSome(values.exemptPaths) && !isSome(values.exemptNetworks),
  );
  if (asking.length === 0) return undefined;
  const targets = new Set(upstreamsIn(linesOf(vhost)).map(serviceAt));
  return asking.find(({ values }) => targets.has(serviceAt(String(values.address))));
}

const isSome = (value: unknown): boolean => Array.isArray(value) && value.length > 0;

function loop(policy: Policy, vhost: Vhost, steps: readonly Step[], fieldOf: FieldOf): Failure {
  const { id, domain, policies } = vhost;
  const words = policies.some((own) => own.id === policy.id) ? NAMED : EVERYWHERE;
  const isSite = steps.some(({ kind, after }) => kind === 'vhost' && after?.id === id);
  return new Failure(
    'INVALID_REQUEST',
    `The policy ${policy.name} asks the service at ${policy.values.address}, which is the site ${domain} itself: nobody could sign in.`,
    isSite
      ? { hint: words.site, at: { field: fieldOf(vhost, words.siteField) } }
      : { hint: words.policy, at: { field: fieldOf(policy, words.field) } },
  );
}

/** What to do, and at which field, about a policy that the site names. */
const NAMED = {
  policy: 'Take the policy off that site first, or exempt the paths of the sign-in.',
  site: 'Leave the policy off this site, or exempt the paths of the sign-in in the policy.',
  field: 'address',
  siteField: 'policies',
};

/** The same about one that applies everywhere. */
const EVERYWHERE = {
  policy:
    'Name the policy in the `except` of that site before it applies everywhere, or exempt the paths of the sign-in.',
  site: 'Name the policy in the `except` of this site, or exempt the paths of the sign-in in the policy.',
  field: 'everywhere',
  siteField: 'except',
};
