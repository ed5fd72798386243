/** Makes changes live on the proxies that they concern, and has their sites checked; or rolls it all back. */
import { Failure } from '../../shared/failure.ts';
import type { StillOpen } from '../../shared/wire/proxy.ts';
import { setFor } from '../model/applied.ts';
import type { Step } from '../model/changes.ts';
import { changedVhosts, isPublished } from '../model/entities.ts';
import { isAway, isRejection, isTooLarge } from '../model/refusal.ts';
import type { SiteSet } from '../model/vhost.ts';
import { type Planned, planOf, type Refusals, refuseAll, stepsOf } from './batch.ts';
import { failedChecks, type Passing } from './checks.ts';
import type { Gateway } from './target/gateway.ts';
import { findStale, ifRejected, NONE } from './target/stale.ts';
import type { Target } from './target/target.ts';
import type { Destinations, Targets } from './target/targets.ts';
import { canLeaveOut, type Fault, isRepair, type Stored, standingRefusal } from './target/veto.ts';

/** Plans that lead from the accepted set to `next`. */
type Rollout = {
  targets: Targets;
  plans: readonly Planned[];
  accepted: SiteSet;
  next: SiteSet;
  /** As of their trial; null if no site with a check depends on them. */
  passing: Passing | null;
  /** Called with what was thrown as soon as they are refused. */
  report: (error: { thrown: unknown }) => void;
};

/** Where they are live, and who lacks them. */
type RolledOut = {
  live: readonly Target[];
  lacking: readonly Target[];
  /** Which connections outlive it, on all proxies. */
  open: readonly StillOpen[];
};

/**
 * @returns if they are live, where; otherwise as `judge`, and none of them is live
 * @throws Failure if an agent can no longer be asked
 */
export async function rollOut(
  rollout: Rollout,
): Promise<RolledOut | Refusals | 'together' | 'again'> {
  const { targets, plans, next, passing, report } = rollout;
  const steps = stepsOf(plans).filter(isPublished);
  const { asked, skipped } = targets.destinations(steps, next);
  const demanding = plans.filter(({ item }) => item.requireAll);
  const [unasked] = skipped.values();
  if (unasked && (asked.length === 0 || demanding.length > 0)) {
    report({ thrown: unasked });
    return refuseAll(asked.length === 0 ? plans : demanding, missing([...skipped.keys()], unasked));
  }
  const onTrial = passing === null ? [] : asked;
  for (const target of onTrial) target.setOnTrial(next, steps);
  try {
    return await load(rollout, { asked, skipped });
  } finally {
    for (const target of onTrial) target.setOnTrial(null);
  }
}

/** @returns as `rollOut` @throws as `rollOut` */
async function load(
  { plans, accepted, next, passing, report }: Rollout,
  { asked, skipped }: Destinations,
): ReturnType<typeof rollOut> {
  const steps = stepsOf(plans).filter(isPublished);
  const demanding = plans.filter(({ item }) => item.requireAll);
  const replace = plans.every(({ item }) => item.replace);
  const done = await spread(asked, next, steps, {
    replace,
    requireAll: demanding.length > 0,
    isAlone: plans.length === 1,
  });
  for (const [target, error] of done.away) {
    if (error.code === 'AGENT_UNREACHABLE') target.upkeep.markUnknown();
  }
  const takeBack = () => Promise.all(done.live.map((target) => target.takeBack(next, steps)));
  const fixable = [...done.stored].filter((one) => canLeaveOut(one[1]));
  const [refusal] = done.refused;
  const [silent] = done.away.values();
  const [standing] = done.stored;
  const isLive = done.live.length > 0;
  const isTaken = isLive || (done.away.size === 0 && isRepair([...done.stored.values()]));
  const isLacked = silent !== undefined || standing !== undefined;
  const isMixed = standing !== undefined && plans.length > 1;
  if (
    refusal ||
    isMixed ||
    fixable.length > 0 ||
    (isLacked && !(isTaken && demanding.length === 0))
  ) {
    await takeBack();
    if (refusal) {
      const [target, error] = refusal;
      report({ thrown: error });
      return judge({ target, error, veto: done.faults.get(target), plans, accepted, next });
    }
    // Whom each of several concerns, and what it fixes, is only clear alone.
    if (isMixed) return 'together';
    if (fixable.length > 0) {
      for (const [target, { broken }] of fixable) target.leftOut.add(broken ?? NONE);
      return 'again';
    }
    const thrown = silent ?? (standing && standingRefusal(standing[1], standing[0].label()));
    report({ thrown });
    const isOnly = asked.length === 1 && skipped.size === 0;
    if (isOnly || !silent) return refuseAll(isLive ? demanding : plans, thrown);
    return refuseAll(
      demanding.length > 0 ? demanding : plans,
      missing([...skipped.keys(), ...done.away.keys()], silent),
    );
  }
  const refused = passing ? await failedChecks(done.live, { plans, next, passing }) : NOBODY;
  if (refused.size === 0) {
    const { live, open, away, stored } = done;
    return { live, open, lacking: [...skipped.keys(), ...away.keys(), ...stored.keys()] };
  }
  await takeBack();
  const [thrown] = refused.values();
  report({ thrown });
  return refused;
}

const NOBODY: Refusals = new Map();

/** Who cannot be reached, where all of them have to be. */
export function missing(
  targets: readonly Target[],
  { code, message, detail, cause }: Failure,
): Failure {
  const names = targets.map((target) => target.agent().name).join(', ');
  return new Failure(code, `${message} (${names})`, { detail, cause });
}

/** What became of a set. */
type Collected = {
  live: readonly Target[];
  /** Who did not answer. */
  away: ReadonlyMap<Target, Failure>;
  refused: ReadonlyMap<Target, unknown>;
  open: readonly StillOpen[];
};

/** `refused`: whose refusal counts. */
type Spread = Collected & {
  /** Who refused it without a say. */
  stored: ReadonlyMap<Target, Stored>;
  /** What is wrong with the change, where that is known. */
  faults: ReadonlyMap<Target, Fault>;
};

type SpreadOptions = {
  /** Whether it may replace what others published. */
  replace: boolean;
  /** Whether nothing goes live unless all answer. */
  requireAll: boolean;
  /** Whether it is a single change: of several, none goes live beside a proxy without a say. */
  isAlone: boolean;
};

/**
 * Makes a set live on several proxies at once: on all of them, or on none. A single one has nothing to
 * take back, so that it is not asked first. Several all validate before any loads; where it is live
 * although another one refused to load it, the caller has to take it back.
 * @param set the whole set, and the steps that lead to it
 */
async function spread(
  targets: readonly Target[],
  set: SiteSet,
  steps: readonly Step[],
  { replace, requireAll, isAlone }: SpreadOptions,
): Promise<Spread> {
  const hear = async (found: Collected) => heard(found, set, steps);
  const [only, ...others] = targets;
  if (only && others.length === 0) {
    return hear(await collect([[only, only.load(set, steps, replace)]]));
  }
  const asked = await hear(
    await collect(targets.map((one) => [one, one.prepare(set, steps).then(() => [])])),
  );
  const lacks = asked.away.size + asked.stored.size > 0;
  const isMending = [...asked.stored.values()].some((one) => canLeaveOut(one) || !isAlone);
  const isEnough = asked.refused.size === 0 && !(requireAll && lacks) && !isMending;
  if (!isEnough) return { ...asked, live: [] };
  const loaded = await hear(
    await collect(asked.live.map((one) => [one, one.load(set, steps, replace)])),
  );
  return {
    ...loaded,
    away: new Map([...asked.away, ...loaded.away]),
    stored: new Map([...asked.stored, ...loaded.stored]),
  };
}

/** Tells refusals that count from those of proxies that refuse what is stored as well. @throws as `Target.veto` */
async function heard(found: Collected, set: SiteSet, steps: readonly Step[]): Promise<Spread> {
  const refused = new Map(found.refused);
  const stored = new Map<Target, Stored>();
  const faults = new Map<Target, Fault>();
  for (const [target, error] of found.refused) {
    if (!isRejection(error) || isTooLarge(error)) continue;
    const veto = await target.veto(set, steps);
    if (veto?.of === 'change') faults.set(target, veto);
    if (veto?.of !== 'stored') continue;
    stored.set(target, veto);
    refused.delete(target);
  }
  return { ...found, refused, stored, faults };
}

/** In the order of the calls, so that of several refusals the same one is reported each time. */
async function collect(
  calls: readonly (readonly [Target, Promise<readonly StillOpen[]>])[],
): Promise<Collected> {
  const live: Target[] = [];
  const away = new Map<Target, Failure>();
  const refused = new Map<Target, unknown>();
  const open: StillOpen[] = [];
  const settled = await Promise.allSettled(calls.map(([, call]) => call));
  for (const [at, outcome] of settled.entries()) {
    const [target] = calls[at] as (typeof calls)[number];
    if (outcome.status === 'fulfilled') {
      live.push(target);
      open.push(...outcome.value);
    } else if (isAway(outcome.reason)) away.set(target, outcome.reason);
    else refused.set(target, outcome.reason);
  }
  return { live, away, refused, open };
}

/** A set that a proxy has refused, and the plans that lead to it from the accepted one. */
type Refused = {
  target: Target;
  error: unknown;
  /** What is wrong with the change, if that is known already. */
  veto: Fault | undefined;
  plans: readonly Planned[];
  accepted: SiteSet;
  next: SiteSet;
};

/**
 * @returns the changes at fault; `together` if each is accepted alone; `again` if stored vhosts were at
 * fault, which are left out from now on
 * @throws Failure if the agent can no longer be asked
 */
async function judge(refused: Refused): Promise<Refusals | 'together' | 'again'> {
  const { target, error, veto, plans, accepted, next } = refused;
  const agent = target.label();
  const named = <T>(failure: T): T | Failure =>
    agent !== undefined && failure instanceof Failure
      ? failure.about({ ...failure.at, agent })
      : failure;
  if (error instanceof Failure && error.code === 'OTHER_HUB') {
    // Even a change that may replace what another hub published does not overrule a promotion.
    const careful = plans.filter(({ item }) => !item.replace);
    return refuseAll(careful.length > 0 ? careful : plans, named(error));
  }
  if (isTooLarge(error) && plans.length > 1) return 'together';
  if (!isRejection(error) || isTooLarge(error)) return refuseAll(plans, named(error));
  if (veto) {
    if (veto.preamble) return refuseAll(plans, named(veto.preamble));
    return new Map(
      veto.broken.flatMap(({ vhost: { id }, failure }) => {
        const culprit = planOf(plans, id);
        return [...refuseAll(culprit ? [culprit] : plans, named(failure))];
      }),
    );
  }
  const { gateway, leftOut } = target;
  const steps = stepsOf(plans).filter(isPublished);
  const [before, after] = [leftOut.of(setFor(accepted, target.id)), target.next(next, steps)];
  const stale = await findStale(gateway, before, after, steps, error);
  const [broken] = stale.broken;
  if (!broken) return findCulprits(gateway, plans, after, named(error));
  // It is still served, and would not be any more: only its own change is worth that.
  if (!(await target.isAboutBroken(steps))) return refuseAll(plans, named(broken.failure));
  leftOut.add(stale);
  return 'again';
}

/**
 * Goes by the line that the refusal names; without one, validates each changed vhost alone. Asks
 * only about changes: call `findStale` first.
 * @param next the set that was refused, with all of `plans` applied
 * @returns the changes at fault; `together` if each is accepted alone
 * @throws Failure if the agent can no longer be asked
 */
async function findCulprits(
  gateway: Gateway,
  plans: readonly Planned[],
  next: SiteSet,
  error: Failure,
): Promise<Refusals | 'together'> {
  const { vhost, preamble } = error.at;
  if (vhost || preamble) {
    const culprit = vhost && planOf(plans, vhost.id);
    return refuseAll(culprit ? [culprit] : plans, error);
  }
  const steps = stepsOf(plans);
  const changed = changedVhosts(steps) ?? next.vhosts.filter(({ enabled }) => enabled);
  if (plans.length === 1 && changed.length === 1) return refuseAll(plans, error);
  const { broken } = await gateway.findBroken(next, changed).catch(ifRejected(() => NONE));
  const [first] = broken;
  if (plans.length === 1) return refuseAll(plans, first ? because(error, first.failure) : error);
  if (!first) return 'together';
  return new Map(
    broken.flatMap(({ vhost: { id }, failure }) => {
      const culprit = planOf(plans, id);
      return culprit ? [...refuseAll([culprit], because(error, failure))] : [];
    }),
  );
}

/** The outcome stays that of the publish; the later validation only explains it. */
const because = ({ code, message, cause }: Failure, { detail, hint, at }: Failure): Failure =>
  new Failure(code, message, { detail, hint, at, cause });
