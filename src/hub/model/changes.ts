/** The changes that people make to the published set. Pure. */
import { Failure } from '../../shared/failure.ts';
import type { Policy } from '../recipes/policy.ts';
import type { StoredAgent } from './agent.ts';
import { spliced } from './draft.ts';
import { policiesNamed, tagsOf } from './labels.ts';
import { agentNamed, agentsNamed } from './placement.ts';
import {
  assertFree,
  changedFields,
  follows,
  normalize,
  type SiteSet,
  type Vhost,
  type VhostInput,
} from './vhost.ts';

/** Who makes a change; `via` is the name of the API token they used, null for a session. */
export type Author = { userId: string; userName: string; via: string | null };

/**
 * One vhost, a preamble, a policy or an agent, before and after: what is stored and recorded. With a
 * policy come the vhosts that have it, as they are afterwards.
 */
export type Step =
  | { kind: 'create'; after: Vhost }
  | { kind: 'update' | 'toggle'; before: Vhost; after: Vhost }
  | { kind: 'delete'; before: Vhost }
  | PreambleStep
  | AgentStep
  | PolicyStep;

/** `agent`: whose own it is, null for the common one. An agent has none of its own where it is null. */
export type PreambleStep = { kind: 'preamble' } & (
  | { agent: null; before: string; after: string }
  | { agent: Pick<StoredAgent, 'id' | 'name'>; before: string | null; after: string | null }
);

/** Created if there is nothing before, removed if there is nothing after. */
export type AgentStep = { kind: 'agent'; before: StoredAgent | null; after: StoredAgent | null };

/** Created if there is nothing before, deleted if there is nothing after. */
export type PolicyStep = {
  kind: 'policy';
  before: Policy | null;
  after: Policy | null;
  vhosts: readonly Vhost[];
};

/** The vhosts that a step creates or changes, afterwards. */
export function vhostsAfter(step: Step): readonly Vhost[] {
  switch (step.kind) {
    case 'delete':
    case 'preamble':
    case 'agent':
      return [];
    case 'policy':
      return step.vhosts;
    default:
      return [step.after];
  }
}

/** The ids of those vhosts. */
export const idsAfter = (steps: readonly Step[]): Set<number> =>
  new Set(steps.flatMap((step) => vhostsAfter(step).map(({ id }) => id)));

/** Whether a step changes what the proxy gets. */
export function isPublished(step: Step): boolean {
  if (step.kind === 'policy') return step.vhosts.length > 0;
  if (step.kind === 'agent') return false;
  if (step.kind !== 'update') return true;
  const { before, after } = step;
  // A site that is served is asked as soon as it has a check.
  const isAsked = after.enabled && after.check !== null;
  return changedFields(before, after).some(
    (field) => field !== 'tags' && (field !== 'check' || isAsked),
  );
}

/** A planned change: the candidate set, the steps that lead to it, and what the caller gets. */
export type Plan<T> = { next: SiteSet; steps: readonly Step[]; result: T };

/** What planning brings; `done` if there is nothing to publish. */
export type Outcome<T> = Plan<T> | { done: T };

/** Plans a change on top of a set, at once or in several turns. @throws Failure */
export type Change<T> = (set: SiteSet, time: Date) => Outcome<T> | Promise<Outcome<T>>;

/** Passes if a vhost is still as the client last saw it. @throws Failure PRECONDITION_FAILED */
export type Precondition = (vhost: Vhost) => void;

/** @throws Failure NOT_FOUND, and as `expected` */
export const findVhost = (set: SiteSet, id: number, expected?: Precondition): Vhost =>
  findPlace(set, id, expected).vhost;

/** The vhost and its index. @throws as `findVhost` */
function findPlace(set: SiteSet, id: number, expected?: Precondition) {
  const at = set.vhosts.findIndex((vhost) => vhost.id === id);
  const vhost = set.vhosts[at];
  if (!vhost) throw new Failure('NOT_FOUND', 'There is no such site.');
  expected?.(vhost);
  return { at, vhost };
}

/** The vhost that would be added at the end. @throws Failure INVALID_REQUEST */
export const newVhost = (input: VhostInput, set: SiteSet, time: Date): Vhost => ({
  id: set.nextId,
  position: (set.vhosts.at(-1)?.position ?? 0) + 1,
  ...normalize(input.domain ?? '', input.config ?? '', input.upstream ?? ''),
  enabled: input.enabled ?? true,
  policies: policiesNamed(input.policies ?? [], set),
  tags: tagsOf(input.tags ?? []),
  agents: agentsNamed(input.agents ?? [], set),
  check: input.check ?? null,
  createdAt: time,
  updatedAt: time,
});

/** Adds a vhost at the end. @throws Failure INVALID_REQUEST, DOMAIN_TAKEN */
export const createChange =
  (input: VhostInput) =>
  (set: SiteSet, time: Date): Plan<Vhost> =>
    added(set, newVhost(input, set, time), { ...set, nextId: set.nextId + 1 });

/** Restores a deleted vhost, with its id and position. @throws Failure DOMAIN_TAKEN */
export const recreateChange =
  (vhost: Vhost): Change<Vhost> =>
  (set, time) =>
    added(set, { ...vhost, updatedAt: time }, set);

/** Adds a vhost as it is, to a set that it was taken from. @throws Failure DOMAIN_TAKEN */
export const keepChange =
  (vhost: Vhost): Change<Vhost> =>
  (set) =>
    added(set, vhost, set);

function added(set: SiteSet, vhost: Vhost, rest: SiteSet): Plan<Vhost> {
  assertFree(vhost, set);
  const isLast = (set.vhosts.at(-1)?.position ?? 0) <= vhost.position;
  const at = isLast
    ? set.vhosts.length
    : set.vhosts.findIndex(({ position }) => position > vhost.position);
  const next = { ...rest, vhosts: spliced(set.vhosts, at, 0, vhost) };
  follows(set, next, undefined, vhost);
  return {
    next,
    steps: [{ kind: 'create', after: vhost }],
    result: vhost,
  };
}

/**
 * Changes the given fields of a vhost.
 * @throws Failure NOT_FOUND, PRECONDITION_FAILED, INVALID_REQUEST, DOMAIN_TAKEN
 */
export const updateChange =
  (id: number, input: VhostInput, expected?: Precondition): Change<Vhost> =>
  (set, time) => {
    const { at, vhost: before } = findPlace(set, id, expected);
    const vhost: Vhost = {
      ...before,
      ...normalize(
        input.domain ?? before.domain,
        input.config ?? before.config,
        input.upstream ?? before.upstream,
      ),
      enabled: input.enabled ?? before.enabled,
      policies: input.policies ? policiesNamed(input.policies, set) : before.policies,
      tags: input.tags ? tagsOf(input.tags) : before.tags,
      agents: input.agents ? agentsNamed(input.agents, set) : before.agents,
      check: input.check === undefined ? before.check : input.check,
      updatedAt: time,
    };
    if (changedFields(before, vhost).length === 0) return { done: before };
    assertFree(vhost, set);
    return changed(set, 'update', at, before, vhost);
  };

/** Enables a disabled vhost, and disables an enabled one. @throws as `findVhost` */
export const toggleChange =
  (id: number, expected?: Precondition): Change<Vhost> =>
  (set, time) => {
    const { at, vhost } = findPlace(set, id, expected);
    const after = { ...vhost, enabled: !vhost.enabled, updatedAt: time };
    return changed(set, 'toggle', at, vhost, after);
  };

function changed(
  set: SiteSet,
  kind: 'update' | 'toggle',
  at: number,
  before: Vhost,
  after: Vhost,
): Plan<Vhost> {
  const next = { ...set, vhosts: spliced(set.vhosts, at, 1, after) };
  follows(set, next, before, after);
  return { next, steps: [{ kind, before, after }], result: after };
}

/** @throws as `findVhost` */
export const deleteChange =
  (id: number, expected?: Precondition): Change<{ success: true }> =>
  (set) => {
    const { at, vhost: before } = findPlace(set, id, expected);
    const next = { ...set, vhosts: spliced(set.vhosts, at, 1) };
    follows(set, next, before);
    return {
      next,
      steps: [{ kind: 'delete', before }],
      result: { success: true },
    };
  };

/** @throws Failure INVALID_REQUEST */
export const preambleChange =
  (config: string): Change<{ success: true }> =>
  (set) => {
    assertText(config);
    if (config === set.preamble) return { done: { success: true } };
    return {
      next: { ...set, preamble: config },
      steps: [{ kind: 'preamble', agent: null, before: set.preamble, after: config }],
      result: { success: true },
    };
  };

/**
 * Gives an agent a preamble of its own, or with null the common one again.
 * @throws Failure INVALID_REQUEST, NOT_FOUND
 */
export const agentPreambleChange =
  (name: string, config: string | null): Change<{ success: true }> =>
  (set) => {
    if (config !== null) assertText(config);
    const agent = agentNamed(name, set);
    if (config === agent.preamble) return { done: { success: true } };
    const after = { ...agent, preamble: config };
    return {
      next: { ...set, agents: set.agents.map((one) => (one === agent ? after : one)) },
      steps: [{ kind: 'preamble', agent, before: agent.preamble, after: config }],
      result: { success: true },
    };
  };

function assertText(preamble: string): void {
  if (preamble.isWellFormed()) return;
  const at = { field: 'config' };
  throw new Failure('INVALID_REQUEST', 'The preamble is not valid Unicode.', { at });
}
