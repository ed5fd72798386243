/** Whether a proxy would accept a change, beside stored vhosts that it refuses by now; nothing goes live. */
import { idsAfter, type Plan, type Step } from '../../model/changes.ts';
import { isRejection, isTooLarge } from '../../model/refusal.ts';
import type { SiteSet, Vhost } from '../../model/vhost.ts';
import type { Gateway } from './gateway.ts';
import type { LastSeen } from './last-seen.ts';
import type { LeftOut } from './left-out.ts';
import { findStale } from './stale.ts';
import type { Stored, Veto } from './veto.ts';

type AcceptanceDeps = Pick<LastSeen, 'watched'> & {
  gateway: Gateway;
  leftOut: LeftOut;
  /** What is stored for this proxy. */
  own: () => SiteSet;
  /** What is to be live once these steps are taken. */
  next: (set: SiteSet, steps: readonly Step[]) => SiteSet;
  /** The vhosts here that steps change; undefined: all. */
  changed: (steps: readonly Step[]) => Vhost[] | undefined;
  veto: (set: SiteSet, steps: readonly Step[]) => Promise<Veto | null>;
};

export type Acceptance = {
  /**
   * As `Publisher.preview`.
   * @returns why the proxy has no say in the plan, although it refuses it; null if it accepts it @throws Failure
   */
  check(plan: Plan<unknown>): Promise<Stored | null>;
  /** Whether steps change a vhost that the proxy refuses as it is stored. */
  isAboutBroken(steps: readonly Step[]): Promise<boolean>;
};

export function createAcceptance(deps: AcceptanceDeps): Acceptance {
  const { gateway, leftOut, own, next, changed, veto, watched } = deps;

  async function isAboutBroken(steps: readonly Step[]): Promise<boolean> {
    const touched = idsAfter(steps);
    for (const { kind, before } of steps) if (kind === 'vhost' && before) touched.add(before.id);
    if (leftOut.list().some(({ vhost }) => touched.has(vhost.id))) return true;
    const before = own().vhosts.filter(({ id }) => touched.has(id));
    return (await gateway.findBroken(leftOut.of(own()), before)).broken.length > 0;
  }

  return {
    isAboutBroken,

    async check(plan) {
      const before = leftOut.of(own());
      const set = next(plan.next, plan.steps);
      try {
        await watched(gateway.check(set, changed(plan.steps)));
      } catch (error) {
        if (!isRejection(error) || isTooLarge(error)) throw error;
        const found = await veto(plan.next, plan.steps);
        if (found?.of === 'stored') return found;
        if (found) throw found.preamble ?? found.broken[0]?.failure ?? error;
        const stale = await findStale(gateway, before, set, plan.steps, error);
        const [first] = stale.broken;
        if (!first) throw error;
        if (!(await isAboutBroken(plan.steps))) throw first.failure;
        const ids = new Set([...stale.broken.map(({ vhost }) => vhost), ...stale.unexamined]);
        const vhosts = set.vhosts.filter((vhost) => !ids.has(vhost));
        await gateway.check({ ...set, vhosts }, changed(plan.steps));
      }
      return null;
    },
  };
}
