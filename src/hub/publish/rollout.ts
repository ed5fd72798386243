/** Makes changes live on the proxies that they concern, and has their sites checked; or takes it all back. */
import { Failure } from '../../shared/failure.ts';
import { isPublished } from '../model/changes.ts';
import type { SiteSet } from '../model/vhost.ts';
import { type Planned, stepsOf } from './batch.ts';
import { type Refusals, refuseAll } from './blame.ts';
import { areChecked, failedChecks, type Passing, passingBefore } from './checks.ts';
import { judge } from './judge.ts';
import { spread } from './spread.ts';
import type { Target } from './target.ts';
import type { Destinations, Targets } from './targets.ts';

/** Plans that lead from the accepted set to `next`. */
export type Rollout = {
  targets: Targets;
  plans: readonly Planned[];
  accepted: SiteSet;
  next: SiteSet;
  /** Called with what was thrown as soon as they are refused. */
  report: (error: { thrown: unknown }) => void;
};

/** Where they are live, and who lacks them. */
export type RolledOut = { live: readonly Target[]; lacking: readonly Target[] };

/**
 * @returns if they are live, where; otherwise as `judge`, and none of them is live
 * @throws Failure if an agent can no longer be asked
 */
export async function rollOut(
  rollout: Rollout,
): Promise<RolledOut | Refusals | 'together' | 'again'> {
  const { targets, plans, accepted, next, report } = rollout;
  const steps = stepsOf(plans).filter(isPublished);
  const { asked, skipped } = targets.destinations(steps, next);
  const demanding = plans.filter(({ item }) => item.requireAll);
  const [unasked] = skipped.values();
  if (unasked && (asked.length === 0 || demanding.length > 0)) {
    report({ thrown: unasked });
    return refuseAll(asked.length === 0 ? plans : demanding, missing([...skipped.keys()], unasked));
  }
  const passing = await passingBefore(asked, plans, accepted);
  const onTrial = passing.size > 0 || areChecked(plans) ? asked : [];
  for (const target of onTrial) target.setOnTrial(next, steps);
  try {
    return await load(rollout, { asked, skipped, passing });
  } finally {
    for (const target of onTrial) target.setOnTrial(null);
  }
}

/** @param passing see `passingBefore` @returns as `rollOut` @throws as `rollOut` */
async function load(
  { targets, plans, accepted, next, report }: Rollout,
  { asked, skipped, passing }: Destinations & { passing: Passing },
): ReturnType<typeof rollOut> {
  const steps = stepsOf(plans).filter(isPublished);
  const demanding = plans.filter(({ item }) => item.requireAll);
  const replace = plans.every(({ item }) => item.replace);
  const done = await spread(asked, next, steps, { replace, requireAll: demanding.length > 0 });
  for (const [target, error] of done.away) {
    if (error.code === 'AGENT_UNREACHABLE') target.upkeep.doubt();
  }
  const takeBack = () => Promise.all(done.live.map((target) => target.takeBack(next, steps)));
  const isOneOfSeveral = targets.areSeveral();
  const [silent] = done.away.values();
  const lacksAll = silent !== undefined && (done.live.length === 0 || demanding.length > 0);
  if (done.refused.size > 0 || lacksAll) {
    await takeBack();
    const [refusal] = done.refused;
    report({ thrown: refusal ? refusal[1] : silent });
    if (refusal) {
      const [target, error] = refusal;
      return judge({ target, error, plans, accepted, next, isOneOfSeveral });
    }
    if (asked.length === 1 && skipped.size === 0) return refuseAll(plans, silent);
    return refuseAll(
      demanding.length > 0 ? demanding : plans,
      missing([...skipped.keys(), ...done.away.keys()], silent as Failure),
    );
  }
  const refused = await failedChecks(done.live, { plans, next, passing, isOneOfSeveral });
  if (refused.size === 0) {
    return { live: done.live, lacking: [...skipped.keys(), ...done.away.keys()] };
  }
  await takeBack();
  const [thrown] = refused.values();
  report({ thrown });
  return refused;
}

/** Who cannot be reached, where all of them have to be. */
function missing(targets: readonly Target[], { code, message, detail, cause }: Failure): Failure {
  const names = targets.map((target) => target.agent().name).join(', ');
  return new Failure(code, `${message} (${names})`, { detail, cause });
}
