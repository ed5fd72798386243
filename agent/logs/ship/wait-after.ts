/** When a log engine that failed is asked again. */
import type { Pace } from '../../pace.ts';

/** An engine that asks for more time is asked again all the same; timers cannot wait for a month. */
const MOST_ASKED_MS = 3_600_000;

/**
 * Milliseconds to wait after a failure.
 * @param before how many attempts in a row failed before that
 * @param asked how long the engine asks to wait
 */
export function waitAfter(
  { retry, longestRetry }: Pick<Pace['ship'], 'retry' | 'longestRetry'>,
  before: number,
  asked: number,
): number {
  const longest = Math.min(longestRetry, retry * 2 ** before);
  // Many agents must not come back to an engine at the same moment.
  const own = longest * (0.5 + Math.random() / 2);
  return Math.max(own, Math.min(asked, MOST_ASKED_MS));
}
