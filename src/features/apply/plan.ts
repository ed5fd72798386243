/**
 * What a document makes of a set: what its source keeps is as the document says, and what the document no
 * longer names is deleted if that was asked for. What people or other sources keep stays unless it is adopted.
 */
import { createHash, randomBytes } from 'node:crypto';
import { type Change, together } from '../../hub/model/changes.ts';
import { isPublished } from '../../hub/model/entities.ts';
import { withoutLoops } from '../../hub/model/sign-in-loop.ts';
import { isNamed, type SiteSet, type Vhost } from '../../hub/model/vhost.ts';
import type { Policy } from '../../hub/recipes/policy.ts';
import { passwordsIn } from '../../hub/recipes/secrets.ts';
import { Failure } from '../../shared/failure.ts';
import { memoize } from '../../shared/memoize.ts';
import type { Document, Note, PlannedChange } from './document.ts';
import { policyChange, prepare, prunedPolicies } from './policies.ts';
import { fieldOf } from './schemas.ts';
import { sitesChange } from './sites.ts';

export type Outcome = {
  changes: PlannedChange[];
  /** Whether the proxies get any of it. */
  published: boolean;
  /** Of what it was planned for, and of the changes. */
  digest: string;
  before: SiteSet;
  after: SiteSet;
};

/**
 * @param current a set with the policies whose passwords may be the same
 * @param expects the digest that the plan must have
 * @throws Failure INVALID_REQUEST, here; when planned STALE, DOMAIN_TAKEN, POLICY_TAKEN, POLICY_IN_USE and as
 * creating and changing do; each with the field
 */
export async function applyChange(
  document: Document,
  current: SiteSet,
  expects?: string,
): Promise<Change<Outcome>> {
  const prepared = await prepare(document.policies, current);
  return withoutLoops(async (before, time) => {
    const changes: PlannedChange[] = [];
    const note: Note = (change) => void changes.push(change);
    const plan = await together([
      ...prepared.map((policy) => policyChange(policy, document, note)),
      sitesChange(document, note),
      ...(document.prune ? [prunedPolicies(document, note)] : []),
    ])(before, time);
    const digest = digestOf(before, document, changes);
    if (expects !== undefined && expects !== digest) throw stale();
    if ('done' in plan)
      return { done: { changes, published: false, digest, before, after: before } };
    const { next: after, steps } = plan;
    const result = { changes, published: steps.some(isPublished), digest, before, after };
    return { next: after, steps, result };
  }, fieldIn(document));
}

/** What the document calls a field of a site or a policy that it changes. */
const fieldIn =
  ({ sites }: Document) =>
  (thing: Vhost | Policy, field: string): string => {
    if (!('domain' in thing)) {
      return fieldOf('policies', thing.name, ...(field === 'address' ? ['values'] : []), field);
    }
    const [name = thing.domain] = sites.find(([one]) => isNamed(one, thing)) ?? [];
    return fieldOf('sites', name, field);
  };

/** Everything that a plan depends on. */
const fingerprintOf = memoize(({ preamble, vhosts, policies, agents }: SiteSet): string => {
  const ids = (vhost: Vhost) => ({ ...vhost, policies: vhost.policies.map(({ id }) => id) });
  return sha256([preamble, vhosts.map(ids), policies, agents]);
});

/** Of a plan, with all that the document says. */
function digestOf(set: SiteSet, document: Document, changes: readonly PlannedChange[]): string {
  const isClear = document.policies.some(
    ([, { recipe, values = {} }]) => passwordsIn(recipe, values) > 0,
  );
  const whole = [fingerprintOf(set), document, changes];
  return isClear ? sha256([KEY.toString('hex'), whole]) : sha256(whole);
}

/** Without it, passwords could be guessed from the digest of a document with them. It ends with the process. */
const KEY = randomBytes(32);

const sha256 = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex');

const stale = () =>
  new Failure('STALE', 'Something has changed since the plan was made; nothing was applied.', {
    hint: 'Make a new plan.',
  });
