/** The changes that people make to vhosts. Pure. */
import { Failure } from '../../shared/failure.ts';
import { agentsNamed, exceptNamed } from './applied.ts';
import { type Change, type Plan, type StepOf, spliced, vhostStep } from './changes.ts';
import { keptBy } from './source.ts';
import {
  assertFree,
  byPosition,
  changedFields,
  follows,
  normalize,
  policiesNamed,
  type SiteSet,
  tagsOf,
  type Vhost,
  type VhostInput,
} from './vhost.ts';

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
export function newVhost(input: VhostInput, set: SiteSet, time: Date): Vhost {
  const vhost = made(input, set, time);
  return input.source == null ? vhost : keptBy(vhost, input.source);
}

const made = (input: VhostInput, set: SiteSet, time: Date): Vhost => ({
  id: set.nextId,
  position: (set.vhosts.at(-1)?.position ?? 0) + 1,
  ...normalize(input.domain ?? '', input.config ?? '', input.upstream ?? ''),
  enabled: input.enabled ?? true,
  policies: policiesNamed(input.policies ?? [], set),
  except: exceptNamed(input.except ?? [], set),
  tags: tagsOf(input.tags ?? []),
  agents: agentsNamed(input.agents ?? [], set),
  check: input.check ?? null,
  source: null,
  applied: null,
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
  const last = set.vhosts.at(-1);
  const isLast = last === undefined || byPosition(last, vhost) < 0;
  const at = isLast
    ? set.vhosts.length
    : set.vhosts.findIndex((other) => byPosition(other, vhost) > 0);
  const next = { ...rest, vhosts: spliced(set.vhosts, at, 0, vhost) };
  follows(set, next, undefined, vhost);
  return {
    next,
    steps: [vhostStep(null, vhost)],
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
      except: input.except ? exceptNamed(input.except, set, before.except) : before.except,
      tags: input.tags ? tagsOf(input.tags) : before.tags,
      agents: input.agents ? agentsNamed(input.agents, set) : before.agents,
      check: input.check === undefined ? before.check : input.check,
      ...input.kept,
      updatedAt: time,
    };
    if (changedFields(before, vhost).length === 0) return { done: before };
    assertFree(vhost, set);
    return changed(set, at, before, vhost);
  };

/** Enables a disabled vhost, and disables an enabled one. @throws as `findVhost` */
export const toggleChange =
  (id: number, expected?: Precondition): Change<Vhost> =>
  (set, time) => {
    const { at, vhost } = findPlace(set, id, expected);
    const after = { ...vhost, enabled: !vhost.enabled, updatedAt: time };
    return changed(set, at, vhost, after, { isToggle: true });
  };

function changed(
  set: SiteSet,
  at: number,
  before: Vhost,
  after: Vhost,
  how: Pick<StepOf<'vhost'>, 'isToggle'> = {},
): Plan<Vhost> {
  const next = { ...set, vhosts: spliced(set.vhosts, at, 1, after) };
  follows(set, next, before, after);
  return { next, steps: [{ ...vhostStep(before, after), ...how }], result: after };
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
      steps: [vhostStep(before, null)],
      result: { success: true },
    };
  };
