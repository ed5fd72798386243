/** Whether sites answer as their checks say, so that a change that breaks one is not accepted. */
import { Failure } from '../../shared/failure.ts';
import type { ChecksAnswer, CheckTarget } from '../../shared/wire/checks.ts';
import { setFor } from '../model/applied.ts';
import { idsAfter } from '../model/changes.ts';
import { endpointsUnder } from '../model/endpoints.ts';
import { forCaller, isAway } from '../model/refusal.ts';
import type { SiteSet, Vhost } from '../model/vhost.ts';
import {
  checkedSteps,
  concerned,
  isChecked,
  isOfVhost,
  type Planned,
  planOf,
  type Refusals,
} from './batch.ts';
import type { Target } from './target/target.ts';

/** The ids of the vhosts that passed their checks before a change concerned them, by target. */
export type Passing = ReadonlyMap<Target, ReadonlySet<number | null>>;

/** Plans that lead from the accepted set to `next`. */
type Checked = {
  plans: readonly Planned[];
  next: SiteSet;
  passing: Passing;
};

type CheckAnswer = ChecksAnswer['answers'][number];

/**
 * Asks the sites that plans change without changing their vhosts, through the preamble or a policy. Only
 * those that answer as they should count afterwards: one that is down blocks nothing. Asks nobody if
 * there are none with a check.
 * @param accepted the set that is live
 * @throws Failure unless it is because the agent cannot be asked, which the load shows as well
 */
export async function passingBefore(
  targets: readonly Target[],
  plans: readonly Planned[],
  accepted: SiteSet,
): Promise<Passing> {
  const all = concerned(plans, accepted);
  if (all.length === 0) return new Map();
  const found = targets.map(async (target) => {
    const part = setFor(accepted, target.id);
    const here = new Set(part.vhosts);
    const vhosts = all.filter((one) => here.has(one));
    const answers = await ask(target, part, vhosts, { once: true }).catch((error: unknown) => {
      if (isAway(error) || isFailedCheck(error)) return [];
      throw error;
    });
    const passed = vhosts.flatMap(({ id }, at) => (answers[at]?.passed ? [id] : []));
    return [target, new Set(passed)] as const;
  });
  return new Map(await Promise.all(found));
}

/** How one vhost answered at one target; `error`: why nobody knows. */
export type Found = { target: Target; vhost: Vhost; isOwn: boolean } & (
  | { answer: CheckAnswer; error?: never }
  | { answer?: never; error: unknown }
);

/** Asks about vhosts of a part, or some of them, and says which, in the order of the answers. */
type Asker = (
  target: Target,
  part: SiteSet,
  checked: readonly Vhost[],
) => { vhosts: readonly Vhost[]; answers: Promise<CheckAnswer[]> };

/** Has the sites asked that plans change or concern; none if none of them has a check. Never rejects. */
export async function askEach(
  targets: readonly Target[],
  { plans, next, passing }: Checked,
  asker: Asker,
): Promise<Found[]> {
  const own = idsAfter(checkedSteps(plans).filter(isOfVhost));
  if (own.size === 0 && passing.size === 0) return [];
  const found = targets.map(async (target) => {
    const part = setFor(next, target.id);
    const before = passing.get(target) ?? new Set();
    const { vhosts, answers } = asker(
      target,
      part,
      part.vhosts.filter((one) => isChecked(one) && (own.has(one.id) || before.has(one.id))),
    );
    const known = await answers.catch((error: unknown) => ({ error }));
    return vhosts.map(
      (vhost, at): Found => ({
        target,
        vhost,
        isOwn: own.has(vhost.id),
        ...('error' in known ? known : { answer: known[at] ?? UNKNOWN }),
      }),
    );
  });
  return (await Promise.all(found)).flat();
}

/** The plan because of which a vhost is asked. A change of the preamble, which writes no vhost, is alone. */
export const causeOf = (plans: readonly Planned[], { id }: Vhost): Planned | undefined =>
  planOf(plans, id) ?? plans[0];

/** The changes at fault: those whose sites fail their checks, or could not be asked. */
export function refusedBy(found: readonly Found[], plans: readonly Planned[]): Refusals {
  const refused: Refusals = new Map();
  for (const { target, vhost, isOwn, answer, error } of found) {
    const failure = answer ? failed(vhost, answer, isOwn) : error;
    const culprit = causeOf(plans, vhost);
    if (failure === null || !culprit || refused.has(culprit.item)) continue;
    const { id, domain } = vhost;
    const at = { agent: target.label(), ...(isFailedCheck(failure) && { vhost: { id, domain } }) };
    const named = failure instanceof Failure ? failure.about(at) : failure;
    refused.set(culprit.item, forCaller(named, culprit.plan.steps));
  }
  return refused;
}

/**
 * Asks the sites that plans have changed, once these are live. Those that passed a trial get less time. Asks nobody if none of them has a check.
 * @returns as `refusedBy`
 */
export async function failedChecks(targets: readonly Target[], live: Checked): Promise<Refusals> {
  const { plans } = live;
  const found = await askEach(targets, live, (target, part, vhosts) => {
    const tried = (vhost: Vhost) =>
      causeOf(plans, vhost)?.item.tried.get(siteAt(target, vhost))?.took;
    return { vhosts, answers: ask(target, part, vhosts, { tried }) };
  });
  return refusedBy(found, plans);
}

/** What a site at a target is noted as in `Waiting.tried`: a new vhost may get another id when it is planned again. */
export const siteAt = ({ id }: Target, { domain }: Vhost): string => `${id} ${domain}`;

const isFailedCheck = (error: unknown): error is Failure =>
  error instanceof Failure && error.code === 'CHECK_FAILED';

/** @param how `tried` as in `CheckTarget`. In the order of the vhosts. @throws Failure as `AgentClient.checks` */
const ask = (
  target: Target,
  part: SiteSet,
  vhosts: readonly Vhost[],
  { tried, ...how }: { once?: boolean; tried?: (vhost: Vhost) => number | undefined },
): Promise<CheckAnswer[]> => {
  const call = (checks: CheckTarget[]) => target.watched(target.client.checks({ checks, ...how }));
  return answersOf(part, vhosts, call, tried);
};

/**
 * Has the first address of each vhost asked, unless there is none to ask.
 * @param call asks for each check, in their order
 * @param tried as in `CheckTarget`
 * @returns the answers in the order of the vhosts @throws as `call`
 */
export async function answersOf(
  { preamble }: SiteSet,
  vhosts: readonly Vhost[],
  call: (checks: CheckTarget[]) => Promise<ChecksAnswer>,
  tried: (vhost: Vhost) => number | undefined = () => undefined,
): Promise<CheckAnswer[]> {
  const endpointsOf = endpointsUnder(preamble);
  const checks = vhosts.flatMap((vhost) => {
    const [endpoint] = endpointsOf(vhost);
    const took = tried(vhost);
    const more = took === undefined ? {} : { tried: took };
    return endpoint ? [{ ...endpoint, check: vhost.check, ...more }] : [];
  });
  if (checks.length === 0) return vhosts.map(() => UNKNOWN);
  const { answers } = await call(checks);
  const inOrder = answers.values();
  return vhosts.map((vhost) =>
    endpointsOf(vhost).length > 0 ? (inOrder.next().value ?? UNKNOWN) : UNKNOWN,
  );
}

/** Of a vhost whose address has a placeholder without a default. */
const UNKNOWN: CheckAnswer = {
  passed: false,
  status: null,
  reason: 'Only Caddy knows the address of this site, so it cannot be checked',
  doubt: null,
};

/** @param isOwn whether the vhost itself was changed */
function failed(
  { domain }: Vhost,
  { passed, reason }: CheckAnswer,
  isOwn: boolean,
): Failure | null {
  if (passed) return null;
  return isOwn
    ? new Failure(
        'CHECK_FAILED',
        'The site does not answer as its check requires; nothing was changed.',
        {
          detail: reason,
          hint: 'Fix the config or the upstream, or change or remove the check.',
        },
      )
    : new Failure(
        'CHECK_FAILED',
        'The change would make a site fail its check; nothing was changed.',
        {
          detail: reason,
          hint: `If that is how ${domain} should answer now, change or remove its check first.`,
        },
      );
}
