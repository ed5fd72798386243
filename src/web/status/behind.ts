/** Reads from an answer which proxies did not get a change. Pure. */

/** Their names; none if the answer names none. */
export function behindIn(body: unknown): string[] {
  if (typeof body !== 'object' || body === null || !('behind' in body)) return [];
  return Array.isArray(body.behind) ? body.behind.map(String) : [];
}
