/** One look at everything that may be wrong: for the status, and for whoever watches it. */
import type { Disk } from '../../shared/wire.ts';
import type { Locked } from '../auth/accounts/accounts.ts';
import { type AgentFacts, createFactsReader, type FactsDeps } from './agent-facts.ts';
import type { Finding } from './problem.ts';
import {
  type FailingChannel,
  failingChannels,
  fullDisk,
  isFull,
  lockedOut,
  oldAdvisories,
} from './problems/hub.ts';

export type LookDeps = FactsDeps & {
  /** Those that the hub writes to. */
  disks: () => Promise<readonly Disk[]>;
  /** Whose sign-ins are refused. */
  locked: () => Locked;
  failing: () => readonly FailingChannel[];
  /** `send.failing`: milliseconds after which a channel that takes nothing is a problem. */
  pace: FactsDeps['pace'] & { send: { failing: number } };
};

export type Look = {
  /** Whether the hub has no other agent. */
  isOnly: boolean;
  /** The first agent first. */
  agents: AgentFacts[];
  /** The hub's, with what agents on the same machine have on them. */
  disks: Disk[];
  /** What is wrong with the hub itself. */
  hub: Finding[];
};

/** @returns a function that never fails: if an agent does not respond, its facts say so */
export function createLook(deps: LookDeps): () => Promise<Look> {
  const { publisher, disks, locked, failing, pace, now } = deps;
  const readFacts = createFactsReader(deps);

  return async () => {
    const all = publisher.agents.all();
    const isOnly = all.length === 1;
    const [own, read] = await Promise.all([
      disks(),
      Promise.all(all.map((agent) => readFacts(agent, isOnly))),
    ]);
    const { shared, agents } = eachOnce(
      own,
      read.flatMap((one) => one ?? []),
    );
    const time = now();
    const lock = lockedOut(locked());
    const old = oldAdvisories(time);
    const hub = [
      ...shared.filter(isFull).map(fullDisk),
      ...(lock ? [lock] : []),
      ...failingChannels(failing(), time, pace.send.failing),
      ...(old ? [old] : []),
    ];
    return { isOnly, agents, disks: shared, hub };
  };
}

/** Each disk only where it is seen first, the hub's with what the others say of it. */
function eachOnce(own: readonly Disk[], agents: readonly AgentFacts[]) {
  const seen = new Set(own.map(({ id }) => id));
  const theirs = agents.flatMap(({ facts }) => facts.disks ?? []);
  const shared = own.map((disk) => {
    const same = theirs.filter(({ id }) => id === disk.id);
    return { ...disk, holds: [disk, ...same].flatMap(({ holds }) => holds) };
  });
  const others = agents.map((one) => {
    const first = (one.facts.disks ?? []).filter(({ id }) => !seen.has(id));
    for (const { id } of first) seen.add(id);
    return { ...one, facts: { ...one.facts, disks: first } };
  });
  return { shared, agents: others };
}
