/** Makes a set live on several proxies at once: on all of them, or on none. */
import type { Failure } from '../../shared/failure.ts';
import type { Step } from '../model/changes.ts';
import type { SiteSet } from '../model/vhost.ts';
import { isAway } from './last-seen.ts';
import type { Target } from './target.ts';

/** What became of it: where it is live, who did not answer, and who refused it. */
export type Spread = {
  live: readonly Target[];
  away: ReadonlyMap<Target, Failure>;
  refused: ReadonlyMap<Target, unknown>;
};

export type SpreadOptions = {
  /** Whether it may replace what others published. */
  replace: boolean;
  /** Whether nothing goes live unless all answer. */
  requireAll: boolean;
};

/**
 * With a single proxy there is nothing to take back, so that it is not asked first. With several, all
 * validate before any loads; where it is live although another one refused to load it, the caller has
 * to take it back.
 * @param set the whole set, and the steps that lead to it
 */
export async function spread(
  targets: readonly Target[],
  set: SiteSet,
  steps: readonly Step[],
  { replace, requireAll }: SpreadOptions,
): Promise<Spread> {
  const [only, ...others] = targets;
  if (only && others.length === 0) return collect([[only, only.load(set, steps, replace)]]);
  const asked = await collect(targets.map((one) => [one, one.prepare(set, steps)]));
  const isEnough = asked.refused.size === 0 && !(requireAll && asked.away.size > 0);
  if (!isEnough) return { ...asked, live: [] };
  const loaded = await collect(asked.live.map((one) => [one, one.load(set, steps, replace)]));
  return { ...loaded, away: new Map([...asked.away, ...loaded.away]) };
}

/** In the order of the calls, so that of several refusals the same one is reported each time. */
async function collect(calls: readonly (readonly [Target, Promise<void>])[]): Promise<Spread> {
  const live: Target[] = [];
  const away = new Map<Target, Failure>();
  const refused = new Map<Target, unknown>();
  const settled = await Promise.allSettled(calls.map(([, call]) => call));
  for (const [at, outcome] of settled.entries()) {
    const [target] = calls[at] as (typeof calls)[number];
    if (outcome.status === 'fulfilled') live.push(target);
    else if (isAway(outcome.reason)) away.set(target, outcome.reason);
    else refused.set(target, outcome.reason);
  }
  return { live, away, refused };
}
