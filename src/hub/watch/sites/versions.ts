/**
 * Numbers what the list of states was at each look, so that a client that polls it gets what has changed since. A
 * version is of one list and one run of the hub: any other one is unknown, and answered with the whole list.
 */
import type { Static } from 'elysia';
import { memoize } from '../../../shared/memoize.ts';
import type { VhostState, VhostStateChanges } from './view.ts';

/** With more that are gone, older versions are unknown. */
const MOST_GONE = 1_000;

/** @returns a function that notes what a list is now, and returns what has changed in it since a version */
export function createVersions() {
  let id = crypto.randomUUID();
  let last = 0;
  /** By the vhost's id: the version that brought its state, or with null, in which it was gone. */
  const known = new Map<number, { hash: number | bigint | null; at: number }>();

  return memoize((look: readonly VhostState[]) => {
    const states = look.map(stillOf);
    const hashes = new Map(states.map((state) => [state.id, Bun.hash(JSON.stringify(state))]));
    const next = last + 1;
    for (const vhost of new Set([...known.keys(), ...hashes.keys()])) {
      const hash = hashes.get(vhost) ?? null;
      if (known.get(vhost)?.hash === hash) continue;
      known.set(vhost, { hash, at: next });
      last = next;
    }
    const removed = [...known.keys()].filter((vhost) => !hashes.has(vhost));
    if (removed.length > MOST_GONE) {
      for (const vhost of removed.splice(0)) known.delete(vhost);
      id = crypto.randomUUID();
    }
    const [list, now] = [id, last];
    const version = `${list}.${now}`;
    const whole = { version, whole: true, states, removed: [] };
    return (since: string): Static<typeof VhostStateChanges> => {
      const from = Number(since.slice(list.length + 1));
      const isVersion = Number.isInteger(from) && from >= 1 && from <= now;
      if (since !== `${list}.${from}` || !isVersion) return whole;
      const isNew = (vhost: number) => (known.get(vhost)?.at ?? 0) > from;
      const changed = states.filter((state) => isNew(state.id));
      return { version, whole: false, states: changed, removed: removed.filter(isNew) };
    };
  });
}

/** Without what is another at each look. */
const stillOf = ({ agents, ...state }: VhostState): VhostState => ({
  ...still(state),
  ...(agents && { agents: agents.map(still) }),
});

const still = <T extends Pick<VhostState, 'addresses' | 'upstreams'>>(state: T): T => ({
  ...state,
  addresses: state.addresses.map((one) => ({ ...one, checkedAt: null })),
  upstreams: state.upstreams.map((one) => ({ ...one, ...MOVING })),
});
const MOVING = { lastChecked: null, latencyMs: null, requests: null };
