/** Whether sites answer as their checks say, so that a change that breaks one is not accepted. */
import { Failure } from '../../shared/failure.ts';
import type { ChecksAnswer, CheckTarget } from '../../shared/wire/checks.ts';
import { idsAfter, type Step } from '../model/changes.ts';
import { endpointsUnder } from '../model/endpoints.ts';
import { isPublished } from '../model/entities.ts';
import { setFor } from '../model/placement.ts';
import { forCaller, isAway } from '../model/refusal.ts';
import type { SiteSet, Vhost } from '../model/vhost.ts';
import { type Planned, planOf, type Refusals, stepsOf } from './batch.ts';
import type { Target } from './target.ts';

/** By target, the ids of the vhosts that passed their checks before a change. */
export type Passing = ReadonlyMap<Target, ReadonlySet<number>>;

/** Plans that are live on proxies, and lead from the accepted set to `next`. */
export type Live = {
  plans: readonly Planned[];
  next: SiteSet;
  passing: Passing;
};

type CheckAnswer = ChecksAnswer['answers'][number];

const isChecked = ({ enabled, check }: Vhost): boolean => enabled && check !== null;

const checkedSteps = (plans: readonly Planned[]): Step[] =>
  stepsOf(plans.filter(({ item }) => !item.unchecked)).filter(isPublished);

const isOfVhost = ({ kind }: Step): boolean => kind === 'vhost';

/** Whether a site that plans change has to answer as its check says. */
export const areChecked = (plans: readonly Planned[]): boolean =>
  checkedSteps(plans).some((step) => isOfVhost(step) && step.vhosts.some(isChecked));

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
  const steps = checkedSteps(plans);
  const isEvery = steps.some(({ kind }) => kind === 'preamble');
  const ids = idsAfter(steps.filter((step) => !isOfVhost(step)));
  if (!isEvery && ids.size === 0) return new Map();
  const found = targets.map(async (target) => {
    const part = setFor(accepted, target.id);
    const vhosts = part.vhosts.filter((one) => isChecked(one) && (isEvery || ids.has(one.id)));
    const answers = await ask(target, part, vhosts, { once: true }).catch((error: unknown) => {
      if (isAway(error) || isFailedCheck(error)) return [];
      throw error;
    });
    const passed = vhosts.filter((_, at) => answers[at]?.passed);
    return [target, new Set(passed.map(({ id }) => id))] as const;
  });
  return new Map(await Promise.all(found));
}

/**
 * Asks the sites that plans have changed, once these are live. Asks nobody if none of them has a check.
 * @returns the changes at fault: those whose sites fail their checks, or could not be asked
 */
export async function failedChecks(
  targets: readonly Target[],
  { plans, next, passing }: Live,
): Promise<Refusals> {
  const own = idsAfter(checkedSteps(plans).filter(isOfVhost));
  const refused: Refusals = new Map();
  if (own.size === 0 && passing.size === 0) return refused;
  const found = targets.map(async (target) => {
    const part = setFor(next, target.id);
    const before = passing.get(target);
    const vhosts = part.vhosts.filter(
      (one) => isChecked(one) && (own.has(one.id) || before?.has(one.id)),
    );
    const answers = await ask(target, part, vhosts).catch((error: unknown) => error);
    const failureOf = (vhost: Vhost, at: number) =>
      Array.isArray(answers) ? failed(vhost, answers[at], own.has(vhost.id)) : answers;
    const agent = target.label();
    return vhosts.map((vhost, at) => ({ vhost, agent, failure: failureOf(vhost, at) }));
  });
  for (const { vhost, agent, failure } of (await Promise.all(found)).flat()) {
    // A change of the preamble, which writes no vhost, is always alone.
    const culprit = planOf(plans, vhost.id) ?? plans[0];
    if (failure === null || !culprit || refused.has(culprit.item)) continue;
    const { id, domain } = vhost;
    const at = { agent, ...(isFailedCheck(failure) && { vhost: { id, domain } }) };
    const named = failure instanceof Failure ? failure.about(at) : failure;
    refused.set(culprit.item, forCaller(named, culprit.plan.steps));
  }
  return refused;
}

const isFailedCheck = (error: unknown): error is Failure =>
  error instanceof Failure && error.code === 'CHECK_FAILED';

/** In the order of the vhosts. @throws Failure as `AgentClient.checks` */
const ask = (
  target: Target,
  part: SiteSet,
  vhosts: readonly Vhost[],
  how: { once?: boolean } = {},
): Promise<CheckAnswer[]> =>
  answersOf(part, vhosts, (checks) => target.watched(target.client.checks({ checks, ...how })));

/**
 * Has the first address of each vhost asked, unless there is none to ask.
 * @param call asks for each check, in their order
 * @returns the answers in the order of the vhosts @throws as `call`
 */
export async function answersOf(
  { preamble }: SiteSet,
  vhosts: readonly Vhost[],
  call: (checks: CheckTarget[]) => Promise<ChecksAnswer>,
): Promise<CheckAnswer[]> {
  const endpointsOf = endpointsUnder(preamble);
  const checks = vhosts.flatMap((vhost) => {
    const [endpoint] = endpointsOf(vhost);
    return endpoint ? [{ ...endpoint, check: vhost.check }] : [];
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
};

/** @param isOwn whether the vhost itself was changed */
function failed(
  { domain }: Vhost,
  { passed, reason }: CheckAnswer = UNKNOWN,
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
