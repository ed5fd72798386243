/** One round of trials: changes that are tried together, and what becomes of each. */
import { Failure, wordsOf } from '../../shared/failure.ts';
import { assertPlanContained } from '../model/containment.ts';
import { isRejection } from '../model/refusal.ts';
import type { SiteSet } from '../model/vhost.ts';
import { type Planned, planBatch, type Refusals, stepsOf } from './batch.ts';
import {
  answersOf,
  askEach,
  causeOf,
  type Found,
  passingBefore,
  refusedBy,
  triedAs,
} from './checks.ts';
import type { Trial, Waiting } from './queue.ts';
import type { PublishTimer } from './target/outcome.ts';
import type { Target } from './target/target.ts';
import type { Targets } from './target/targets.ts';

export type RoundDeps = {
  targets: Targets;
  /** The set that is accepted and stored. */
  accepted: () => SiteSet;
  startTimer: PublishTimer;
  now: () => Date;
};

/**
 * `on`: it goes on as this, tried or if there was nothing to try; `slow`: a site of it did not pass in a brief
 * round; `later`: it depends on others of the round.
 */
export type Decision = { on: Waiting } | { refused: unknown } | 'slow' | 'later';

/** For each site of a round that others wait for as well, in milliseconds; apart from them, its `within`. */
const BRIEF_MS = 1_000;

/** Tries them, and decides about each. @throws what planning them throws */
export async function tryTogether(
  deps: RoundDeps,
  items: readonly Waiting[],
  isBrief: boolean,
): Promise<Map<Waiting, Decision>> {
  const { targets, accepted, startTimer, now } = deps;
  const decided = new Map<Waiting, Decision>();
  const set = accepted();
  const { plans, refused, done, later } = await planBatch(set, items, now());
  for (const { item } of done) decided.set(item, { on: item });
  // The queue refuses what cannot be planned even alone.
  for (const item of [...refused.map((one) => one.item), ...later]) {
    decided.set(item, plans.length === 0 ? { on: item } : 'later');
  }
  if (plans.length === 0) return decided;
  const refusable = await uncontained(targets, plans, set);
  if (refusable.length > 0) {
    const others = items.filter((item) => !refusable.includes(item));
    const more = others.length > 0 ? await tryTogether(deps, others, isBrief) : [];
    return new Map<Waiting, Decision>([...refusable.map((on) => [on, { on }] as const), ...more]);
  }
  const report = startTimer(1);
  const outcome = await ask(targets, plans, set, isBrief);
  if (outcome === 'apart') {
    const own = plans.map(({ item }) => item);
    const middle = own.length >> 1;
    for (const half of [own.slice(0, middle), own.slice(middle)]) {
      for (const [item, one] of await tryTogether(deps, half, isBrief)) decided.set(item, one);
    }
    return decided;
  }
  for (const { item } of plans) {
    const thrown = outcome.refused.get(item);
    if (isBrief && outcome.isSlow(item)) decided.set(item, 'slow');
    else if (thrown === undefined)
      decided.set(item, { on: { ...item, trial: outcome.trialOf(item) } });
    else {
      report({ thrown });
      decided.set(item, { refused: thrown });
    }
  }
  return decided;
}

/** Those that the queue refuses without asking a proxy. */
async function uncontained(
  targets: Targets,
  plans: readonly Planned[],
  set: SiteSet,
): Promise<Waiting[]> {
  const next = plans.at(-1)?.plan.next ?? set;
  const dialects = await targets.dialectsOf(next, stepsOf(plans));
  const found: Waiting[] = [];
  for (const { item, plan } of plans) {
    await assertPlanContained(plan, dialects).catch(() => found.push(item));
  }
  return found;
}

/** @returns `apart` if Caddy refuses several together */
async function ask(
  targets: Targets,
  plans: readonly Planned[],
  set: SiteSet,
  isBrief: boolean,
): Promise<Outcome | 'apart'> {
  const how = { change: true, ...(isBrief && { most: BRIEF_MS }) };
  const next = plans.at(-1)?.plan.next ?? set;
  const steps = stepsOf(plans);
  const { asked } = targets.destinations(steps, next);
  const passing = await passingBefore(asked, plans, set);
  const changed = new Set(steps.flatMap(({ kind, after }) => (kind === 'vhost' && after) || []));
  const found = await askEach(asked, { plans, next, passing }, (target, part, vhosts) => {
    const isTried = new Set(vhosts);
    const tried = part.vhosts.filter((one) => isTried.has(one) || changed.has(one));
    return answersOf(part, vhosts, (checks) =>
      target.watched(target.gateway.tryOut({ ...part, vhosts: tried }, checks, how)),
    );
  });
  if (plans.length > 1 && found.some(({ error }) => isRejection(error))) return 'apart';
  return judged(found, plans, new Map([...passing].map(([{ id }, known]) => [id, known])));
}

/** What becomes of each change of a round. */
type Outcome = {
  refused: Refusals;
  trialOf: (item: Waiting) => Trial;
  /** Whether some site of it answered, but did not pass. */
  isSlow: (item: Waiting) => boolean;
};

/** What the sites have answered, once more by change. @param before see `Trial` */
function judged(
  found: readonly Found[],
  plans: readonly Planned[],
  before: Trial['before'],
): Outcome {
  const sure = found.filter(({ answer }) => answer && !answer.passed && answer.doubt === null);
  const of = (item: Waiting) => found.filter(({ vhost }) => causeOf(plans, vhost)?.item === item);
  return {
    refused: refusedBy(sure, plans),
    isSlow: (item) => of(item).some(({ answer }) => answer && !answer.passed),
    trialOf(item) {
      const took = new Map<string, number | null>();
      const untried: Trial['untried'][number][] = [];
      for (const one of of(item)) {
        const { target, part, vhost, answer } = one;
        took.set(triedAs(target, part, vhost), (answer?.passed && answer.took) || null);
        if (!answer?.passed)
          untried.push([target.agent().name, vhost.domain, doubtOf(target, one)]);
      }
      return { took, before, untried };
    },
  };
}

/** Why it is not known how a site would answer. */
function doubtOf(target: Target, { answer, error }: Found): string {
  const agent = target.label();
  const why = answer
    ? (answer.doubt ?? 'The agent is of an older version')
    : error instanceof Failure
      ? wordsOf(error).replace(/\.$/, '')
      : 'The agent could not try it';
  return agent === undefined ? why : `On ${agent}: ${why}`;
}
