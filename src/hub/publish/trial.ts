/** Tries the sites that a change concerns, beside the proxies that would serve them. */
import { messageOf } from '../../shared/async.ts';
import { sentenceOf } from '../../shared/failure.ts';
import { idsAfter, type Step } from '../model/changes.ts';
import { isRejection } from '../model/refusal.ts';
import type { SiteSet, Vhost } from '../model/vhost.ts';
import { answersOf } from './checks.ts';
import type { Target } from './target.ts';

/** How a site would answer. */
export type Tried = {
  /** Without an id if the change creates it. */
  vhost: { id: number | null; domain: string };
  /** Whose proxy would serve it, if the hub has several. */
  agent?: string;
  /** Whether it would pass its check; without one, whether it would answer. */
  passed: boolean;
  /** Null if there was no answer. */
  status: number | null;
  /** What came, for a person. */
  detail: string;
};

/** Of a policy that more sites have, the others are not tried. */
export const MOST_VHOSTS = 50;

/**
 * Never rejects: a proxy for which nothing can be tried says so for each site.
 * @param targets those that the change concerns
 * @param next the set that the steps lead to
 */
export async function tryOut(
  targets: readonly Target[],
  steps: readonly Step[],
  next: SiteSet,
  isOneOfSeveral: boolean,
): Promise<Tried[]> {
  const ids = idsAfter(steps);
  const created = idsAfter(steps.filter(({ kind }) => kind === 'create'));
  const found = targets.map(async (target) => {
    const part = target.next(next, steps);
    const vhosts = part.vhosts
      .filter(({ id, enabled }) => enabled && ids.has(id))
      .slice(0, MOST_VHOSTS);
    if (vhosts.length === 0) return [];
    const answers = await answersOf(part, vhosts, (checks) =>
      target.gateway.tryOut(part, checks),
    ).catch((error: unknown) => vhosts.map(() => ({ ...NO_ANSWER, reason: wordsOf(error) })));
    const agent = isOneOfSeveral && { agent: target.agent().name };
    return vhosts.map((vhost, at): Tried => {
      const { passed, status, reason } = answers[at] ?? NO_ANSWER;
      return { vhost: named(vhost, created), ...agent, passed, status, detail: reason };
    });
  });
  return (await Promise.all(found)).flat();
}

const NO_ANSWER = { passed: false, status: null, reason: '' };

const named = ({ id, domain }: Vhost, created: ReadonlySet<number>) => ({
  id: created.has(id) ? null : id,
  domain,
});

const wordsOf = (error: unknown): string =>
  (isRejection(error) ? sentenceOf(error) : undefined) ?? messageOf(error);
