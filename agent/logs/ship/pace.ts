/** How often a log engine gets requests. */

/** In milliseconds. */
export type Pace = {
  /** From one batch to the next, once all has been shipped. */
  batch: number;
  /** After a full batch, so that catching up leaves the machine to others. */
  rest: number;
  /** After the first failure; doubled with each further one, up to the longest. */
  retry: number;
  longestRetry: number;
};

export const PACE: Pace = { batch: 2_000, rest: 50, retry: 1_000, longestRetry: 60_000 };

/** An engine that asks for more time is asked again all the same; timers cannot wait for a month. */
const MOST_ASKED_MS = 3_600_000;

/**
 * Milliseconds to wait after a failure.
 * @param before how many attempts in a row failed before that
 * @param asked how long the engine asks to wait
 */
export function waitAfter(pace: Pace, before: number, asked: number): number {
  const longest = Math.min(pace.longestRetry, pace.retry * 2 ** before);
  // Many agents must not come back to an engine at the same moment.
  const own = longest * (0.5 + Math.random() / 2);
  return Math.max(own, Math.min(asked, MOST_ASKED_MS));
}
