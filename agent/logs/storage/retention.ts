/** Which rolled segments a setting no longer keeps. Pure. */
import type { Segment } from '../files/segments.ts';

/** How much of the access log to keep; null: as much as there is. */
export type Limits = {
  /** Number of rolled segments. */
  keep: number | null;
  days: number | null;
  /** Of all segments as stored, in MiB. */
  megabytes: number | null;
};

const DAY_MS = 86_400_000;
const MIB = 2 ** 20;

/**
 * The segments that are beyond a limit, oldest first. The live one is never among them.
 * @param segments newest first
 * @param now milliseconds since 1970
 */
export function expiredOf(segments: readonly Segment[], limits: Limits, now: number): Segment[] {
  const { keep, days, megabytes } = limits;
  const oldest = days === null ? Number.NEGATIVE_INFINITY : now - days * DAY_MS;
  const most = megabytes === null ? Number.POSITIVE_INFINITY : megabytes * MIB;
  let [count, bytes] = [0, 0];
  const expired = segments.filter(({ live, size, mtimeMs }) => {
    bytes += size;
    if (live) return false;
    return ++count > (keep ?? Number.POSITIVE_INFINITY) || mtimeMs < oldest || bytes > most;
  });
  return expired.reverse();
}
