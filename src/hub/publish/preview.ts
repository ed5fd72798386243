/** What a change would do, by the proxies that it concerns; nothing changes anywhere. */
import { messageOf } from '../../shared/async.ts';
import { type Failure, sentenceOf } from '../../shared/failure.ts';
import { render } from '../caddyfile/render.ts';
import { keptLines } from '../model/certificate.ts';
import {
  type Change,
  idsAfter,
  type Outcome,
  type Plan,
  type Step,
  vhostStep,
} from '../model/changes.ts';
import { assertPlanContained } from '../model/containment.ts';
import { isPublished } from '../model/entities.ts';
import { forCaller, isRejection } from '../model/refusal.ts';
import { normalize, type SiteSet, type Vhost, type VhostInput } from '../model/vhost.ts';
import { answersOf } from './checks.ts';
import type { Target } from './target/target.ts';
import type { Destinations, Targets } from './target/targets.ts';
import { isRepair, standingRefusal } from './target/veto.ts';

type PreviewDeps = {
  targets: Targets;
  /** The set that is accepted and stored. */
  stored: () => SiteSet;
  now: () => Date;
};

type Previewed = {
  /** The set that the change leads to. */
  next: SiteSet;
  /** Why it would be refused. */
  refusal: Failure | null;
  /** How its sites would answer; none if they were not to be tried, or it would be refused. */
  tried: readonly Tried[];
};

/**
 * @param tries whether its sites are tried as well
 * @throws Failure if the change cannot be planned, or agent or proxy cannot be asked
 */
export type Preview = (change: Change<unknown>, tries?: boolean) => Promise<Previewed>;

export function createPreview({ targets, stored, now }: PreviewDeps): Preview {
  return async (change, tries = false) => {
    const set = stored();
    const plan = await change(set, now());
    const { next, steps } = 'done' in plan ? { next: set, steps: unchanged(set, plan) } : plan;
    try {
      if (!('done' in plan)) {
        await assertPlanContained(plan, await targets.dialectsOf(next, steps));
        const { asked, skipped } = destinationsOf(targets, plan);
        const [away] = skipped.values();
        if (asked.length === 0 && away) throw away;
        const vetoes = await Promise.all(asked.map((target) => target.check(plan)));
        const stored = vetoes.filter((one) => one !== null);
        const [first] = stored;
        if (first && stored.length === asked.length && !isRepair(stored)) {
          throw standingRefusal(first, asked[0]?.label());
        }
      }
    } catch (error) {
      const refusal = forCaller(error, steps);
      if (isRejection(refusal)) return { next, refusal, tried: [] };
      throw refusal;
    }
    const { asked } = targets.destinations(steps, next);
    const tried = tries ? await tryOut(asked, steps, next) : [];
    return { next, refusal: null, tried };
  };
}

/** To whom a plan goes; to nobody if no proxy sees what it changes. */
export function destinationsOf(
  targets: Pick<Targets, 'destinations'>,
  { steps, next }: Pick<Plan<unknown>, 'steps' | 'next'>,
): Destinations {
  const published = steps.filter(isPublished);
  if (published.length === 0) return { asked: [], skipped: new Map() };
  return targets.destinations(published, next);
}

/** A site that is already as the change wants it can be tried, too. */
const unchanged = ({ vhosts }: SiteSet, plan: Outcome<unknown> & { done: unknown }): Step[] =>
  vhosts.filter((vhost) => vhost === plan.done).map((vhost) => vhostStep(vhost, vhost));

/** How a site would answer. */
export type Tried = {
  /** Without an id if the change creates it. */
  vhost: { id: number | null; domain: string };
  /** Whose proxy would serve it, if the hub has several. */
  agent?: string;
  /** Whether it would pass its check; without one, false if nobody answers in its place, and null otherwise. */
  passed: boolean | null;
  /** Null if there was no answer. */
  status: number | null;
  /** What came, for a person. */
  detail: string;
};

/** Of a policy that more sites have, the others are not tried. */
export const MOST_VHOSTS = 50;

/**
 * Tries the sites that a change concerns, beside the proxies that would serve them. Never rejects: a
 * proxy for which nothing can be tried says so for each site.
 * @param targets those that the change concerns
 * @param next the set that the steps lead to
 */
async function tryOut(
  targets: readonly Target[],
  steps: readonly Step[],
  next: SiteSet,
): Promise<Tried[]> {
  const ids = idsAfter(steps);
  const created = idsAfter(steps.filter(({ kind, before }) => kind === 'vhost' && !before));
  const found = targets.map(async (target) => {
    const part = target.next(next, steps);
    const vhosts = part.vhosts
      .filter(({ id, enabled }) => enabled && ids.has(id))
      .slice(0, MOST_VHOSTS);
    if (vhosts.length === 0) return [];
    const answers = await answersOf(part, vhosts, (checks) =>
      target.gateway.tryOut(part, checks, false),
    ).catch((error: unknown) => vhosts.map(() => ({ ...NO_ANSWER, reason: wordsOf(error) })));
    const agent = target.label();
    return vhosts.map((vhost, at): Tried => {
      const { passed, status, reason } = answers[at] ?? NO_ANSWER;
      return {
        vhost: named(vhost, created),
        ...(agent && { agent }),
        passed: vhost.check ? passed : withoutCheck(status),
        status,
        detail: reason,
      };
    });
  });
  return (await Promise.all(found)).flat();
}

/** How a proxy says that the service behind it does not answer. */
const GATEWAY_ERRORS = [502, 503, 504];

/** What an answer says if nobody has said how it should be. */
const withoutCheck = (status: number | null): false | null =>
  status === null || GATEWAY_ERRORS.includes(status) ? false : null;

const NO_ANSWER = { passed: false, status: null, reason: '' };

const named = ({ id, domain }: Vhost, created: ReadonlySet<number>) => ({
  id: created.has(id) ? null : id,
  domain,
});

const wordsOf = (error: unknown): string =>
  (isRejection(error) ? sentenceOf(error) : undefined) ?? messageOf(error);

/** The site in a set, as if it were the only one. @throws Failure INVALID_REQUEST */
export function draftCaddyfile({ preamble, certificates }: SiteSet, draft: VhostInput): string {
  const { domain = '', config = '', upstream = '' } = draft;
  const site = { id: 0, enabled: true, guards: [], ...normalize(domain, config, upstream) };
  return render(preamble, [site], null, keptLines(certificates)).text;
}
