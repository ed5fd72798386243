/** How often a log engine gets requests. */

/** Milliseconds. */
export const PACE = {
  /** From one batch to the next, once all has been shipped. */
  batch: 2_000,
  /** After a full batch, so that catching up leaves the machine to others. */
  rest: 50,
  /** After the first failure; doubled with each further one, up to the longest. */
  retry: 1_000,
  longestRetry: 60_000,
  /** After which the status says that it is offline: a restart is faster. */
  away: 300_000,
};

export type Pace = typeof PACE;
