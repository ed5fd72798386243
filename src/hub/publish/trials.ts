/**
 * What a change goes through before the queue: if sites with a check depend on it, they are asked at a
 * Caddy of their own first, so that no visitor sees a mistake that a check finds. Plans made here are for
 * the trial alone. What waits for a trial is tried together, as the queue publishes together what waits; a
 * site that does not answer well at once waits apart, so that it keeps nobody waiting.
 */
import { createQueue } from '../../shared/async.ts';
import { Failure, wordsOf } from '../../shared/failure.ts';
import { inRequests } from '../../shared/observe/context.ts';
import { TRIALS_AT_ONCE } from '../../shared/wire/checks.ts';
import { assertPlanContained } from '../model/containment.ts';
import { isRejection } from '../model/refusal.ts';
import type { Store } from '../model/store.ts';
import type { SiteSet } from '../model/vhost.ts';
import { type Planned, planBatch, type Refusals, stepsOf } from './batch.ts';
import {
  answersOf,
  askEach,
  causeOf,
  concernChecked,
  type Found,
  passingBefore,
  refusedBy,
  triedAs,
} from './checks.ts';
import { type Trial, untilAllArrived, type Waiting } from './queue.ts';
import type { PublishTimer } from './target/outcome.ts';
import type { Target } from './target/target.ts';
import type { Targets } from './target/targets.ts';

type TrialsDeps = {
  targets: Targets;
  store: Pick<Store, 'hasPublished' | 'assertInPlace'>;
  /** The set that is accepted and stored. */
  accepted: () => SiteSet;
  startTimer: PublishTimer;
  now: () => Date;
};

type Entry = {
  item: Waiting;
  go: (on: Waiting) => void;
  refuse: (error: unknown) => void;
  /** Whether some site of it did not pass in a brief round. */
  isSlow?: true;
};

/** For each site of a round that others wait for as well, in milliseconds; apart from them, its `within`. */
const BRIEF_MS = 1_000;
/** How many rounds may take longer at once: one is left for what is brief. */
const MOST_LONG = TRIALS_AT_ONCE - 1;

/**
 * @returns what resolves with the change as it goes on, once it was tried or if there is nothing to try,
 * and rejects with Failure CHECK_FAILED. What cannot be tried goes on.
 */
export function createTrials(deps: TrialsDeps): (item: Waiting) => Promise<Waiting> {
  const { targets, store, accepted, startTimer, now } = deps;
  const inOrder = createQueue();
  let waiting: Entry[] = [];
  let running = 0;
  let long = 0;

  /**
   * The change as it goes on without a trial; null if it needs one. In the queue it is not planned again if
   * nothing has come between.
   */
  async function untried(item: Waiting): Promise<Waiting | null> {
    // The first change may be refused because of what it would replace.
    if (item.unchecked || !store.hasPublished()) return item;
    try {
      store.assertInPlace();
      const [set, time] = [accepted(), now()];
      const plan = await item.change(set, time);
      if (!('done' in plan) && concernChecked([{ item, plan }], set)) return null;
      const change: Waiting['change'] = (on, at) => (on === set ? plan : item.change(on, at));
      return { ...item, change };
    } catch {
      // The queue finds the same, and says so.
      return item;
    }
  }

  /** Tries what waits, as far as there is room. */
  async function tryWaiting(): Promise<void> {
    if (running >= TRIALS_AT_ONCE) return;
    running++;
    await untilAllArrived(waiting);
    const { slow = [], others = [] } = Object.groupBy(waiting, ({ isSlow }) =>
      isSlow ? 'slow' : 'others',
    );
    const mayLast = long < MOST_LONG;
    const round = mayLast && slow.length > 0 ? slow : others;
    const isBrief = round === others && (others.length > 1 || !mayLast);
    waiting = round === others ? slow : others;
    if (round.length > 0) {
      long += isBrief ? 0 : 1;
      // What is left may have a turn beside it.
      void tryWaiting();
      const ids = round.flatMap(({ item }) => item.requestIds);
      await inRequests(ids, () => tryTogether(round, isBrief)).catch(() => {
        for (const { item, go } of round) go(item);
      });
      long -= isBrief ? 0 : 1;
    }
    running--;
    if (round.length > 0) void tryWaiting();
  }

  /** Lets them go on, or refuses them; those that depend on others, or are slow, wait for another round. */
  async function tryTogether(entries: readonly Entry[], isBrief: boolean): Promise<void> {
    const entryOf = new Map(entries.map((entry) => [entry.item, entry]));
    const goOn = (item: Waiting, trial: Trial | null = null) =>
      entryOf.get(item)?.go({ ...item, trial });
    const set = accepted();
    const batch = await planBatch(set, [...entryOf.keys()], now());
    const { plans } = batch;
    const depend = [...batch.refused.map(({ item }) => item), ...batch.later];
    for (const { item } of batch.done) goOn(item);
    if (plans.length === 0) {
      for (const item of depend) goOn(item);
      return;
    }
    const refusable = await uncontained(plans);
    if (refusable.length > 0) {
      for (const item of refusable) goOn(item);
      const others = entries.filter(({ item }) => !refusable.includes(item));
      return tryTogether(others, isBrief);
    }
    waiting.unshift(...depend.flatMap((item) => entryOf.get(item) ?? []));
    const report = startTimer(1);
    const outcome = await ask(plans, set, isBrief);
    if (outcome === 'apart') {
      const own = plans.flatMap(({ item }) => entryOf.get(item) ?? []);
      await tryTogether(own.slice(0, own.length >> 1), isBrief);
      return tryTogether(own.slice(own.length >> 1), isBrief);
    }
    for (const { item } of plans) {
      const entry = entryOf.get(item);
      if (isBrief && entry && outcome.isSlow(item)) waiting.push({ ...entry, isSlow: true });
      else if (!outcome.refused.has(item)) goOn(item, outcome.trialOf(item));
      else {
        const thrown = outcome.refused.get(item);
        report({ thrown });
        entry?.refuse(thrown);
      }
    }
  }

  /** Those that the queue refuses without asking a proxy. */
  async function uncontained(plans: readonly Planned[]): Promise<Waiting[]> {
    const next = plans.at(-1)?.plan.next ?? accepted();
    const dialects = await targets.dialectsOf(next, stepsOf(plans));
    const found: Waiting[] = [];
    for (const { item, plan } of plans) {
      await assertPlanContained(plan, dialects).catch(() => found.push(item));
    }
    return found;
  }

  /** @returns `apart` if Caddy refuses several together */
  async function ask(
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

  return async (item) => {
    const on = await inOrder(() => untried(item));
    if (on) return on;
    const { promise, resolve, reject } = Promise.withResolvers<Waiting>();
    waiting.push({ item, go: resolve, refuse: reject });
    void tryWaiting();
    return promise;
  };
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
      const took = new Map<string, number>();
      const untried = new Map<string, string>();
      for (const one of of(item)) {
        const { target, part, vhost, answer } = one;
        if (!answer?.passed) untried.set(vhost.domain, doubtOf(target, one));
        else if (answer.took !== undefined) took.set(triedAs(target, part, vhost), answer.took);
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
