/** The change that undoes entries of the changelog, one or many: all of them, or none. Pure. */
import { Failure } from '../../../shared/failure.ts';
import { type Change, idsAfter, type Outcome, type Plan, together } from '../changes.ts';
import { kindOf } from '../entities.ts';
import { assertNameFree, policyInUse } from '../policy-changes.ts';
import { assertFree, type SiteSet } from '../vhost.ts';
import { type Entry, revertChange } from './revert.ts';

/** What is undone first: a policy's name and a site's addresses have to be free for the next one. */
const ORDER = [
  'certificate create',
  'certificate update',
  'certificate delete',
  'policy create',
  'policy delete',
  'policy update',
  'preamble update',
  'vhost create',
  'vhost update',
  'vhost toggle',
  'vhost delete',
  'known create',
  'known delete',
  'known update',
];

/** An entry by its id. */
export type Numbered = Entry & { id: number };

/** An entry that cannot be undone, and why. */
export type Standing<T extends Entry> = { entry: T; reason: string };

/**
 * What undoing entries makes of a set, which is not compared with itself yet, and those that cannot be undone.
 * @param entries oldest first
 * @throws Failure REVERT_CONFLICT, here, if one can never be undone
 */
export function undoing<T extends Numbered>(entries: readonly T[]) {
  const nets = netOf(entries).toSorted((a, b) => placeOf(a) - placeOf(b));
  const reverts = nets.map((entry) => ({ entry, change: undoingOne(entry) }));
  return async (...[set, time]: Parameters<Change<unknown>>) => {
    const standing: Standing<T>[] = [];
    const change = together(reverts.map((one) => noting(one, standing)));
    return { plan: await change({ ...set, isUnsettled: true }, time), standing };
  };
}

/** The outcome, if everything in it has its own place. @throws Failure DOMAIN_TAKEN, POLICY_TAKEN or POLICY_IN_USE */
export function settled<T>(outcome: Outcome<T>): Outcome<T> {
  if ('done' in outcome) return outcome;
  const plan = placedAtOnce(outcome);
  assertNoneMissing(plan.next);
  return plan;
}

const placeOf = (entry: Entry): number => ORDER.indexOf(`${kindOf(entry.domain)} ${entry.action}`);

function undoingOne(entry: Entry): Change<unknown> {
  const change = revertChange(entry);
  const isNewPolicy = entry.action === 'create' && kindOf(entry.domain) === 'policy';
  return isNewPolicy ? withoutNames(change) : change;
}

/**
 * Two sites may get each other's addresses back, and two policies each other's names.
 * @throws Failure DOMAIN_TAKEN, POLICY_TAKEN
 */
function placedAtOnce<T>(plan: Plan<T>): Plan<T> {
  const { isUnsettled: _, ...next } = plan.next;
  const touched = idsAfter(plan.steps);
  for (const vhost of next.vhosts) if (touched.has(vhost.id)) assertFree(vhost, next);
  for (const { kind, after } of plan.steps) {
    if (kind === 'policy' && after) assertNameFree(after, next.policies);
  }
  return { ...plan, next };
}

type Revert<T> = { entry: T; change: Change<unknown> };

/** Adds to `standing` what cannot be undone, instead of failing: all of it is to be named. */
const noting =
  <T extends Numbered>({ entry, change }: Revert<T>, standing: Standing<T>[]): Change<unknown> =>
  async (set, time) => {
    try {
      return await change(set, time);
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'REVERT_CONFLICT') throw error;
      standing.push({ entry, reason: error.message });
      return { done: undefined };
    }
  };

/** Sites that still name a policy that is deleted lose it later, or `assertNoneMissing` refuses it. */
const withoutNames =
  (change: Change<unknown>): Change<unknown> =>
  async (set, time) => {
    const vhosts = set.vhosts.map((vhost) => ({ ...vhost, policies: [] }));
    const plan = await change({ ...set, vhosts }, time);
    return 'done' in plan ? plan : restored(plan, set);
  };

/** With the vhosts as they were. */
function restored<T>(plan: Plan<T>, { vhosts }: SiteSet): Plan<T> {
  const byId = new Map(vhosts.map((vhost) => [vhost.id, vhost]));
  return {
    ...plan,
    next: { ...plan.next, vhosts },
    steps: plan.steps.map((step) => ({
      ...step,
      vhosts: step.vhosts.flatMap(({ id }) => byId.get(id) ?? []),
    })),
  };
}

/** @throws Failure POLICY_IN_USE if a site has a policy that is not in the set */
function assertNoneMissing({ vhosts, policies }: SiteSet): void {
  const known = new Set(policies.map(({ id }) => id));
  const missing = vhosts.flatMap((vhost) => vhost.policies).find(({ id }) => !known.has(id));
  if (!missing) return;
  const users = vhosts.filter((vhost) => vhost.policies.some(({ id }) => id === missing.id));
  throw policyInUse(missing, users);
}

/**
 * One entry for each thing that they have changed, from what it was before the first of them to what the last made of it.
 * @param entries oldest first
 */
export function netOf<T extends Entry>(entries: readonly T[]): T[] {
  return [...Map.groupBy(entries, subjectOf).values()].flatMap((some) => {
    const [first] = some;
    const last = some.at(-1);
    if (!first || !last || first === last) return some;
    const { before } = first;
    const { after } = last;
    if (before === after) return [];
    const action = before === null ? 'create' : after === null ? 'delete' : 'update';
    return [{ ...last, action, before, after }];
  });
}

/** The id of what an entry is about; a preamble of an agent goes by that of the agent, and the common one has none. */
export function thingOf({ before, after }: Entry): number | undefined {
  const held: { id?: number; agent?: number } = JSON.parse(after ?? before ?? '{}');
  return held.id ?? held.agent;
}

/** By which several entries are known to be about the same thing, whatever it was called. */
const subjectOf = (entry: Entry): string => `${kindOf(entry.domain)} ${thingOf(entry)}`;
