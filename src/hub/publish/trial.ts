/**
 * Asks the sites of changes at a Caddy that no visitor reaches, right before the changes go live: what a check
 * refuses is never served.
 */
import { Failure, wordsOf } from '../../shared/failure.ts';
import { isRejection } from '../model/refusal.ts';
import type { SiteSet } from '../model/vhost.ts';
import { type Planned, type Refusals, refuseAll, stepsOf } from './batch.ts';
import {
  answersOf,
  askEach,
  causeOf,
  type Found,
  type Passing,
  passingBefore,
  refusedBy,
  siteAt,
} from './checks.ts';
import type { PublishTimer } from './target/outcome.ts';
import type { Targets } from './target/targets.ts';

export type TrialDeps = {
  targets: Targets;
  /** The set that is accepted and stored. */
  accepted: () => SiteSet;
  startTimer: PublishTimer;
};

/** `passing`: none is refused; `together`: Caddy refuses several changes, and each has to be tried apart. */
type TrialOutcome = { passing: Passing } | { refused: Refusals } | 'together';

type Trial = {
  /** As `tryOut`. */
  run(plans: readonly Planned[], next: SiteSet): Promise<TrialOutcome>;
  /** Refuses what is being tried, or is to be tried from now on, with Failure STOPPING. */
  stop(): void;
};

export function createTrial(deps: TrialDeps): Trial {
  let isStopping = false;
  let interrupt = () => {};

  return {
    async run(plans, next) {
      const interrupted = { refused: refuseAll(plans, stopping()) };
      if (isStopping) return interrupted;
      const { promise, resolve } = Promise.withResolvers<TrialOutcome>();
      interrupt = () => resolve(interrupted);
      return await Promise.race([tryOut(deps, plans, next), promise]);
    },
    stop() {
      isStopping = true;
      interrupt();
    },
  };
}

const stopping = () =>
  new Failure('STOPPING', 'The hub is stopping; nothing was changed.', {
    hint: 'Repeat the request once the hub runs again.',
  });

/**
 * Asks each site with a check that plans change or concern, and notes what it shows. Those that were tried with
 * others are not asked again.
 * @param next the set that the plans lead to
 * @throws Failure as `passingBefore`
 */
export async function tryOut(
  { targets, accepted, startTimer }: TrialDeps,
  plans: readonly Planned[],
  next: SiteSet,
): Promise<TrialOutcome> {
  const report = startTimer(1);
  const steps = stepsOf(plans);
  const { asked } = targets.destinations(steps, next);
  const passing = await passingBefore(asked, plans, accepted());
  const changed = new Set(steps.flatMap(({ kind, after }) => (kind === 'vhost' && after) || []));
  const found = await askEach(asked, { plans, next, passing }, (target, part, checked) => {
    const vhosts = checked.filter(
      (vhost) => !causeOf(plans, vhost)?.item.tried.has(siteAt(target, vhost)),
    );
    const open = new Set(vhosts);
    const served = part.vhosts.filter((one) => open.has(one) || changed.has(one));
    const answers = answersOf(part, vhosts, (checks) =>
      target.watched(target.gateway.tryOut({ ...part, vhosts: served }, checks, true)),
    );
    return { vhosts, answers };
  });
  if (plans.length > 1 && found.some(({ error }) => isRejection(error))) return 'together';
  const failed = found.filter(({ answer }) => answer?.passed === false && answer.doubt === null);
  const refused = refusedBy(failed, plans);
  for (const thrown of refused.values()) report({ thrown });
  for (const one of found) {
    const { target, vhost, answer } = one;
    causeOf(plans, vhost)?.item.tried.set(siteAt(target, vhost), {
      agent: target.agent().name,
      domain: vhost.domain,
      took: answer?.passed ? answer.took : undefined,
      doubt: answer?.passed ? null : doubtOf(one),
    });
  }
  return refused.size > 0 ? { refused } : { passing };
}

/** Why it is not known how a site would answer. */
function doubtOf({ target, answer, error }: Found): string {
  const agent = target.label();
  const why = answer
    ? (answer.doubt ?? 'The agent is of an older version')
    : error instanceof Failure
      ? wordsOf(error).replace(/\.$/, '')
      : 'The agent could not try it';
  return agent === undefined ? why : `On ${agent}: ${why}`;
}
