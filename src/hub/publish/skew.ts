/** By how much an agent's clock differs from the hub's. Pure. */

/** Milliseconds from which on it is worth a warning: the merged log is out of order by as much. */
export const LARGE_SKEW_MS = 2_000;

/**
 * The least difference that explains an answer; positive if the agent's clock is ahead.
 * @param now what time it was for the agent, ISO 8601
 * @param sent and `received`: when the hub asked and had the answer, milliseconds since 1970
 * @returns milliseconds, null if `now` is no time
 */
export function skewOf(now: string, sent: number, received: number): number | null {
  const theirs = Date.parse(now);
  if (Number.isNaN(theirs)) return null;
  return Math.max(theirs - received, 0) + Math.min(theirs - sent, 0);
}
