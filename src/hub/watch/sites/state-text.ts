/** The list of states as text, and its ETag for clients that poll it. */
import { memoize } from '../../../shared/memoize.ts';
import type { VhostState } from './view.ts';

/** Each of a list as JSON: written once, for the answer and its tag. */
const textsOf = memoize((states: readonly VhostState[]) =>
  states.map((state) => JSON.stringify(state)),
);

/** A list as JSON. */
export const stateText = (states: readonly VhostState[]): string => `[${textsOf(states).join()}]`;

/**
 * What is different at each look: when something was last looked at, how long a connection took and how many requests
 * are open. In JSON, quotes within a string are escaped, so that only a member is like this.
 */
const UNSTEADY = /"(?:checkedAt|lastChecked|latencyMs|requests)":(?:"[^"]*"|[^,}]+)/g;

/** A weak entity tag (RFC 9110, 8.8.3) over everything else in a list. */
export const stateTag = memoize((states: readonly VhostState[]): string => {
  let hash: number | bigint = 0;
  for (const text of textsOf(states)) hash = Bun.hash(text.replaceAll(UNSTEADY, ''), hash);
  return `W/"${hash.toString(36)}"`;
});
