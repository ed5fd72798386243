/** Keeps what is stored live: all of it, or as much of it as the proxy accepts. */
import { Failure } from '../../../shared/failure.ts';
import type { Replacing } from '../../agents/client.ts';
import { isRejection } from '../../model/refusal.ts';
import type { Store } from '../../model/store.ts';
import type { SiteSet } from '../../model/vhost.ts';
import type { Gateway, PublishOptions } from './gateway.ts';
import type { LeftOut, LeftOutPace } from './left-out.ts';
import type { PublishTimer } from './outcome.ts';
import { findBlamable } from './stale.ts';

type UpkeepDeps = {
  gateway: Gateway;
  leftOut: LeftOut;
  startTimer: PublishTimer;
  store: Pick<Store, 'mayReplace' | 'markOwner'>;
  /** The set that is accepted and stored. */
  stored: () => SiteSet;
  /** Until what was refused as a whole is tried again, as for a vhost. */
  pace: Pick<LeftOutPace, 'first' | 'longest'>;
  /** Milliseconds of any clock that does not jump. */
  clock: () => number;
};

/** Call one at a time, and not during a publish. */
export type Upkeep = {
  /** Publishes the stored set, without the vhosts that the proxy refuses. @throws Failure */
  confirm(): Promise<void>;
  /**
   * Confirms the stored set unless it is live, and publishes vhosts that are left out if the proxy
   * accepts them now. @param how of the first of these two @throws Failure
   */
  look(isInStep: () => boolean, how: Replacing): Promise<void>;
  /** From now on, what is live counts as unknown until the agent confirms it. */
  markUnknown(): void;
  isUnsure(): boolean;
  /** What is stored went live by a change. */
  settle(): void;
  /** Why the last `confirm` failed; null if it did not, or what is stored went live since. */
  failure(): Failure | null;
};

export function createUpkeep(deps: UpkeepDeps): Upkeep {
  const { gateway, leftOut, startTimer, store, stored, pace, clock } = deps;
  /** The agent did not say how a publish ended: it may still go live. */
  let unsure = false;
  let failure: Failure | null = null;
  /** What was refused last, and until when it is not tried again. */
  let refused: { digest: string; until: number; pause: number } | null = null;

  /** @throws Failure */
  async function publish(set: SiteSet, how: PublishOptions): Promise<void> {
    const report = startTimer(0);
    try {
      await gateway.publish(set, { ...how, partial: true, replace: store.mayReplace() });
      store.markOwner();
    } catch (error) {
      report({ thrown: error });
      throw error;
    }
    report();
    unsure = false;
  }

  /** That it refuses a set does not change from one look to the next. @throws Failure of the last time */
  function assertWorthIt(set: SiteSet): void {
    if (failure === null || refused === null || clock() >= refused.until) return;
    if (refused.digest === gateway.digestOf(set)) throw failure;
  }

  /** The next attempt is twice as far away as this one was. */
  function noteRefused(set: SiteSet): void {
    const digest = gateway.digestOf(set);
    const pause =
      refused?.digest === digest ? Math.min(refused.pause * 2, pace.longest) : pace.first;
    refused = { digest, until: clock() + pause, pause };
  }

  async function confirm(isInStep = () => false, how: Replacing = {}): Promise<void> {
    // Each round leaves out more.
    while (unsure || !isInStep()) {
      const set = leftOut.of(stored());
      try {
        await publish(set, how);
        break;
      } catch (error) {
        failure = error instanceof Failure ? error : null;
        if (!isRejection(error)) throw error;
        leftOut.add(
          await findBlamable(gateway, set, error).catch((nobodys: unknown) => {
            noteRefused(set);
            throw nobodys;
          }),
        );
      }
    }
    failure = null;
    refused = null;
  }

  /** Publishes those of the vhosts that are due which the proxy accepts now. */
  async function retryLeftOut(): Promise<void> {
    const due = leftOut.due();
    if (due.length === 0) return;
    const found = await gateway.findBroken(stored(), due);
    const still = new Set([...found.broken.map(({ vhost }) => vhost), ...found.unexamined]);
    const good = due.filter((vhost) => !still.has(vhost));
    leftOut.add(found);
    if (good.length === 0) return;
    const out = new Set(leftOut.list().map(({ vhost }) => vhost));
    for (const vhost of good) out.delete(vhost);
    const { vhosts, ...rest } = stored();
    const set = { ...rest, vhosts: vhosts.filter((vhost) => !out.has(vhost)) };
    try {
      await publish(set, { changed: good });
      leftOut.remove(good);
    } catch (error) {
      if (!isRejection(error)) throw error;
      const all = good.map((vhost) => ({ vhost, failure: error, byLoad: true as const }));
      const { broken } = await findBlamable(gateway, set, error).catch(() => ({ broken: all }));
      const own = broken.filter(({ vhost }) => good.includes(vhost));
      leftOut.add({ broken: own.length > 0 ? own : all, unexamined: [] });
    }
  }

  return {
    confirm: () => confirm(),
    async look(isInStep, how) {
      if (!unsure && !isInStep()) assertWorthIt(leftOut.of(stored()));
      await confirm(isInStep, how);
      await retryLeftOut();
    },
    markUnknown() {
      unsure = true;
    },
    isUnsure: () => unsure,
    settle() {
      failure = null;
    },
    failure: () => failure,
  };
}
