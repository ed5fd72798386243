/**
 * Numbers what the list of states was at each look, so that a client that polls it gets what has changed since. A
 * version is of one list and one run of the hub: any other one is unknown, and answered with the whole list.
 */
import type { Static } from 'elysia';
import type { VhostState, VhostStateChanges } from './view.ts';

/** By the vhost's id: the version that brought its state, or with null, in which it was gone. */
type Known = Map<number, { hash: number | bigint | null; at: number }>;

type Changes = (since: string) => Static<typeof VhostStateChanges>;
type List = {
  id: string;
  first: number;
  last: number;
  known: Known;
  /** The last look, which many may ask for. */
  noted?: { states: readonly VhostState[]; changes: Changes };
};

/** Each of a role, some of one agent only; one of 10,000 states takes 1 MB. */
const MOST_LISTS = 8;
/** With more that are gone, older versions are unknown. */
const MOST_GONE = 1_000;

/** @returns a function that notes what a list is now, and returns what has changed in it since a version */
export function createVersions() {
  const lists = new Map<string, List>();

  return (name: string, states: readonly VhostState[]) => {
    const made: List = { id: crypto.randomUUID(), first: 1, last: 0, known: new Map() };
    const list = lists.get(name) ?? made;
    // The one that was asked for last comes last.
    lists.delete(name);
    lists.set(name, list);
    for (const oldest of [...lists.keys()].slice(0, -MOST_LISTS)) lists.delete(oldest);
    if (list.noted?.states === states) return list.noted.changes;
    const { id, known } = list;
    const next = list.last + 1;
    const note = (vhost: number, hash: number | bigint | null) => {
      if (known.get(vhost)?.hash === hash) return;
      known.set(vhost, { hash, at: next });
      list.last = next;
    };
    const all = new Map(states.map((state) => [state.id, stillOf(state)]));
    for (const [vhost, state] of all) note(vhost, Bun.hash(JSON.stringify(state)));
    for (const vhost of known.keys()) if (!all.has(vhost)) note(vhost, null);
    const gone = [...known].flatMap(([vhost, { hash }]) => (hash === null ? vhost : []));
    if (gone.length > MOST_GONE) {
      for (const vhost of gone) known.delete(vhost);
      list.first = next;
    }
    const { first, last } = list;
    const version = `${id}.${last}`;
    const whole = { version, whole: true, states: [...all.values()], removed: [] };
    const changes: Changes = (since) => {
      const from = Number(since.slice(id.length + 1));
      if (since !== `${id}.${from}` || !(from >= first && from <= last)) return whole;
      const isNew = (vhost: number) => (known.get(vhost)?.at ?? 0) > from;
      const changed = whole.states.filter((state) => isNew(state.id));
      return { version, whole: false, states: changed, removed: gone.filter(isNew) };
    };
    list.noted = { states, changes };
    return changes;
  };
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
