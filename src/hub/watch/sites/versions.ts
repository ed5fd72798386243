/**
 * Numbers what the list of states was at each look, so that a client that polls it gets what has changed since. A
 * version is of one list and one run of the hub: any other one is unknown, and answered with the whole list.
 */
import { randomBytes } from 'node:crypto';
import type { Static } from 'elysia';
import type { VhostState, VhostStateChanges } from './view.ts';

type Changes = Static<typeof VhostStateChanges>;

/** `first` and `last`: the versions from which changes are known. */
type List = {
  id: string;
  first: number;
  last: number;
  /** `at`: the version that brought it, by the vhost's id. */
  states: Map<number, { hash: number | bigint; at: number }>;
  removed: Map<number, number>;
};

/** The lists of a role, some of one agent only; one of 10,000 states takes 1 MB. */
const MOST_LISTS = 8;
/** With more, older versions are unknown. */
const MOST_REMOVED = 1_000;
const SEED = randomBytes(8).readBigUInt64LE();

/** @returns a function that notes what a list is now, and returns what has changed in it since a version */
export function createVersions() {
  const lists = new Map<string, List>();

  function listOf(name: string): List {
    const id = randomBytes(12).toString('hex');
    const list = lists.get(name) ?? {
      id,
      first: 1,
      last: 0,
      states: new Map(),
      removed: new Map(),
    };
    // The one that was asked for last comes last.
    lists.delete(name);
    lists.set(name, list);
    for (const oldest of [...lists.keys()].slice(0, -MOST_LISTS)) lists.delete(oldest);
    return list;
  }

  return (name: string, states: readonly VhostState[]): ((since: string) => Changes) => {
    const list = listOf(name);
    const next = list.last + 1;
    const still = states.map(stillOf);
    for (const state of still) {
      const hash = Bun.hash(JSON.stringify(state), SEED);
      if (list.states.get(state.id)?.hash === hash) continue;
      list.states.set(state.id, { hash, at: next });
      list.removed.delete(state.id);
      list.last = next;
    }
    const ids = new Set(still.map(({ id }) => id));
    for (const id of list.states.keys()) {
      if (ids.has(id)) continue;
      list.states.delete(id);
      list.removed.set(id, next);
      list.last = next;
    }
    if (list.removed.size > MOST_REMOVED) {
      list.removed.clear();
      list.first = next;
    }
    const { id, first, last } = list;
    const versionOf = (number: number) => `${id}.${number}`;
    return (since) => {
      const from = Number(since.slice(id.length + 1));
      const whole = versionOf(from) !== since || !(from >= first && from <= last);
      const isNew = (at: number | undefined) => whole || (at ?? 0) > from;
      return {
        ...{ version: versionOf(last), whole },
        states: still.filter((state) => isNew(list.states.get(state.id)?.at)),
        removed: whole ? [] : [...list.removed].flatMap(([id, at]) => (at > from ? id : [])),
      };
    };
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
  upstreams: state.upstreams.map((one) => ({
    ...{ ...one, lastChecked: null, latencyMs: null, requests: null },
  })),
});
