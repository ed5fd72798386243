/** One look at everything that may be wrong: for the status, and for the watcher. */
import type { Disk } from '../../shared/wire/proxy.ts';
import type { Locked } from '../auth/accounts/accounts.ts';
import type { Publisher } from '../publish/publisher.ts';
import type { AgentFacts, createFactsReader } from './agent-facts.ts';
import { type Problem, sentence } from './problem.ts';
import { fullDisk, isFull, lockedOut, lostKey, oldAdvisories } from './problems/hub.ts';

type LookDeps = {
  publisher: Publisher;
  readFacts: ReturnType<typeof createFactsReader>;
  now: () => Date;
  /** Those that the hub writes to. */
  disks: () => Promise<readonly Disk[]>;
  /** Whose sign-ins are refused. */
  locked: () => Locked;
  /** What features find. */
  others: () => readonly Problem[];
  /** What is wrong with the key of what is sealed, and what to do; null: nothing. */
  keyFault: () => string | null;
  /** What else the operator should know of the hub. */
  warnings: readonly string[];
};

export type Look = {
  /** The first agent first. */
  agents: AgentFacts[];
  /** The hub's, with what agents on the same machine have on them. */
  disks: Disk[];
  /** What is wrong with the hub itself. */
  hub: Problem[];
};

/** @returns a function that never fails: if an agent does not respond, its facts say so */
export function createLook(deps: LookDeps): () => Promise<Look> {
  const { publisher, readFacts, disks, locked, keyFault, others, warnings, now } = deps;

  return async () => {
    const [own, read] = await Promise.all([
      disks(),
      Promise.all(publisher.agents.all().map(readFacts)),
    ]);
    const { shared, agents } = eachOnce(
      own,
      read.flatMap((one) => one ?? []),
    );
    const time = now();
    const lock = lockedOut(locked());
    const old = oldAdvisories(time);
    const fault = keyFault();
    const hub = [
      ...(fault === null ? [] : [lostKey(fault)]),
      ...shared.filter(isFull).map(fullDisk),
      ...(lock ? [lock] : []),
      ...others(),
      ...(old ? [old] : []),
      ...warnings.map(
        (one): Problem => ({
          code: 'WARNING',
          level: 'warn',
          message: sentence(one),
        }),
      ),
    ];
    return { agents, disks: shared, hub };
  };
}

/** Each disk only where it is seen first, the hub's with what the others say of it. */
function eachOnce(own: readonly Disk[], agents: readonly AgentFacts[]) {
  const seen = new Set(own.map(({ id }) => id));
  const theirs = agents.flatMap((one) => one.disks ?? []);
  const shared = own.map((disk) => {
    const same = theirs.filter(({ id }) => id === disk.id);
    return { ...disk, holds: [disk, ...same].flatMap(({ holds }) => holds) };
  });
  const others = agents.map((one) => {
    const first = (one.disks ?? []).filter(({ id }) => !seen.has(id));
    for (const { id } of first) seen.add(id);
    return { ...one, disks: first };
  });
  return { shared, agents: others };
}
