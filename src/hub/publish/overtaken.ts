/** Whether what is about to go live is what was tried: a change that was live first may have altered it. */
import { idsAfter } from '../model/changes.ts';
import { isPublished } from '../model/entities.ts';
import { setFor } from '../model/placement.ts';
import type { SiteSet } from '../model/vhost.ts';
import { type Planned, stepsOf } from './batch.ts';
import { causeOf, checkedSteps, concerned, isChecked, isOfVhost, triedAs } from './checks.ts';
import type { Trial, Waiting } from './queue.ts';
import type { Targets } from './target/targets.ts';

/** How often a change goes back to be tried, before the check of what is live has to do. */
const MOST_OVERTAKEN = 3;

const WHY = 'Another change went live during each of its trials';

/**
 * Parts the changes that were tried as they would be live from those that were not.
 * @param plans of some of the changes
 * @param accepted the set that is live
 * @returns null if all were; otherwise which are to be planned once more, and which are to be tried again
 */
export function partOvertaken(
  changes: readonly Waiting[],
  plans: readonly Planned[],
  accepted: SiteSet,
  targets: Targets,
): { open: readonly Waiting[]; again: readonly Waiting[] } | null {
  const untried = untriedIn(plans, accepted, targets);
  if (untried.size === 0) return null;
  const again: Waiting[] = [];
  const open = changes.flatMap((item) => {
    const trial = untried.get(item);
    if (!trial) return item;
    if (item.overtaken === MOST_OVERTAKEN) return { ...item, trial };
    again.push({ ...item, trial: null, overtaken: item.overtaken + 1 });
    return [];
  });
  return { open, again };
}

/**
 * The changes with sites that have to answer as their checks say, and were not tried as they would be now;
 * each with the trial as which it may go on all the same.
 */
function untriedIn(
  plans: readonly Planned[],
  accepted: SiteSet,
  targets: Targets,
): Map<Waiting, Trial> {
  const found = new Map<Waiting, Writable>();
  const own = idsAfter(checkedSteps(plans).filter(isOfVhost));
  const others = concerned(plans, accepted);
  if (own.size === 0 && others.length === 0) return found;
  const next = plans.at(-1)?.plan.next ?? accepted;
  for (const target of targets.destinations(stepsOf(plans).filter(isPublished), next).asked) {
    const part = setFor(next, target.id);
    // A change that concerns others is always alone.
    const before = plans[0]?.item.trial?.before.get(target.id);
    const ids = new Set(others.flatMap((one) => (before?.get(one) === false ? [] : one.id)));
    for (const vhost of part.vhosts) {
      if (!isChecked(vhost) || !(own.has(vhost.id) || ids.has(vhost.id))) continue;
      const item = causeOf(plans, vhost)?.item;
      const as = triedAs(target, part, vhost);
      if (!item || item.trial?.took.has(as)) continue;
      const trial = found.get(item) ?? copyOf(item.trial);
      trial.took.set(as, null);
      trial.untried.push([target.agent().name, vhost.domain, WHY]);
      found.set(item, trial);
    }
  }
  return found;
}

type Writable = Trial & { took: Map<string, number | null>; untried: Trial['untried'][number][] };

const copyOf = (trial: Trial | null): Writable => ({
  took: new Map(trial?.took),
  untried: [...(trial?.untried ?? [])],
  before: trial?.before ?? new Map(),
});
