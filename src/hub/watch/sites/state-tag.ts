/** The ETag of the list of states, for clients that poll it. */
import { memoize } from '../../../shared/memoize.ts';
import type { VhostState } from './view.ts';

/**
 * A weak entity tag (RFC 9110, 8.8.3) over everything in a list but what is different at each look: when something was
 * last looked at, how long a connection took and how many requests are open.
 */
export const stateTag = memoize((states: readonly VhostState[]): string => {
  // One state after the other: the text of 10,000 at once has several megabytes.
  let hash: number | bigint = 0;
  for (const state of states) hash = Bun.hash(JSON.stringify(steadyOf(state)), hash);
  return `W/"${hash.toString(36)}"`;
});

const steadyOf = ({ agents, ...state }: VhostState): VhostState => ({
  ...steady(state),
  ...(agents && { agents: agents.map(steady) }),
});

const steady = <T extends Pick<VhostState, 'addresses' | 'upstreams'>>(state: T): T => ({
  ...state,
  addresses: state.addresses.map((one) => ({ ...one, checkedAt: null })),
  upstreams: state.upstreams.map((one) => ({ ...one, ...UNSTEADY })),
});
const UNSTEADY = { lastChecked: null, latencyMs: null, requests: null };
