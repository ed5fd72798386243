/** What a person can do to the published set; each is planned against what is accepted by then. Pure. */
import { checkPreamble } from '../../shared/caddyfile/preamble.ts';
import { Failure } from '../../shared/failure.ts';
import { assertFree, normalize, type SiteSet, type Vhost, type VhostInput } from './vhost.ts';

/** Who makes a change, and the name of the API token it came with. */
export type Author = { userId: string; userName: string; via: string | null };

/** One vhost, or the preamble, as it was and as it will be: what is stored and recorded. */
export type Step =
  | { kind: 'create'; after: Vhost }
  | { kind: 'update' | 'toggle'; before: Vhost; after: Vhost }
  | { kind: 'delete'; before: Vhost }
  | { kind: 'preamble'; before: string; after: string };

/** The vhost as a step leaves it; undefined for one that deletes it, and for the preamble. */
export const vhostAfter = (step: Step): Vhost | undefined =>
  step.kind === 'delete' || step.kind === 'preamble' ? undefined : step.after;

/** A planned change: the candidate set, and the steps that lead to it. */
export type Plan<T> = { next: SiteSet; steps: readonly Step[]; result: T };

/** Plans a change of a set; `done` if there is nothing to publish. @throws Failure */
export type Change<T> = (set: SiteSet, time: Date) => Plan<T> | { done: T };

/** @throws Failure NOT_FOUND */
export function findVhost(set: SiteSet, id: number): Vhost {
  const found = set.vhosts.find((vhost) => vhost.id === id);
  if (!found) throw new Failure('NOT_FOUND', 'There is no such vhost.');
  return found;
}

/** Passes if a vhost is still what a client saw. @throws Failure PRECONDITION_FAILED */
export type Precondition = (vhost: Vhost) => void;
const anything: Precondition = () => {};

export const createChange =
  (input: VhostInput): Change<Vhost> =>
  (set, time) => {
    const vhost: Vhost = {
      id: set.nextId,
      position: (set.vhosts.at(-1)?.position ?? 0) + 1,
      ...normalize(input.domain ?? '', input.config ?? '', input.upstream ?? ''),
      enabled: input.enabled ?? true,
      createdAt: time,
      updatedAt: time,
    };
    return added(set, vhost, { ...set, nextId: set.nextId + 1 });
  };

/** Brings back a vhost that was deleted, as it was. @throws Failure DOMAIN_TAKEN */
export const recreateChange =
  (vhost: Vhost): Change<Vhost> =>
  (set, time) =>
    added(set, { ...vhost, updatedAt: time }, set);

function added(set: SiteSet, vhost: Vhost, rest: SiteSet): Plan<Vhost> {
  assertFree(vhost, set);
  const after = set.vhosts.findIndex(({ position }) => position > vhost.position);
  const vhosts = set.vhosts.toSpliced(after < 0 ? set.vhosts.length : after, 0, vhost);
  return {
    next: { ...rest, vhosts },
    steps: [{ kind: 'create', after: vhost }],
    result: vhost,
  };
}

const FIELDS = ['domain', 'config', 'upstream', 'enabled'] as const;

export const updateChange =
  (id: number, input: VhostInput, expected = anything): Change<Vhost> =>
  (set, time) => {
    const before = findVhost(set, id);
    expected(before);
    const fields = {
      ...normalize(
        input.domain ?? before.domain,
        input.config ?? before.config,
        input.upstream ?? before.upstream,
      ),
      enabled: input.enabled ?? before.enabled,
    };
    if (FIELDS.every((field) => fields[field] === before[field])) return { done: before };
    const vhost: Vhost = { ...before, ...fields, updatedAt: time };
    assertFree(vhost, set);
    return changed(set, 'update', before, vhost);
  };

export const toggleChange =
  (id: number, expected = anything): Change<Vhost> =>
  (set, time) => {
    const before = findVhost(set, id);
    expected(before);
    return changed(set, 'toggle', before, { ...before, enabled: !before.enabled, updatedAt: time });
  };

function changed(
  set: SiteSet,
  kind: 'update' | 'toggle',
  before: Vhost,
  after: Vhost,
): Plan<Vhost> {
  const vhosts = set.vhosts.map((one) => (one.id === after.id ? after : one));
  return {
    next: { ...set, vhosts },
    steps: [{ kind, before, after }],
    result: after,
  };
}

export const deleteChange =
  (id: number, expected = anything): Change<{ success: true }> =>
  (set) => {
    const before = findVhost(set, id);
    expected(before);
    return {
      next: { ...set, vhosts: set.vhosts.filter((vhost) => vhost.id !== id) },
      steps: [{ kind: 'delete', before }],
      result: { success: true },
    };
  };

/** @throws Failure PROXY_REJECTED for a text that cannot precede the sites */
export const preambleChange =
  (config: string): Change<{ success: true }> =>
  (set) => {
    if (!config.isWellFormed())
      throw new Failure('INVALID_REQUEST', 'The text is not valid Unicode.', {
        at: { field: 'config' },
      });
    const fault = checkPreamble(config, { heredocs: true });
    if (fault) {
      throw new Failure(
        'PROXY_REJECTED',
        'This preamble cannot be published; nothing was changed.',
        { detail: fault.message, at: { line: fault.line } },
      );
    }
    if (config === set.preamble) return { done: { success: true } };
    return {
      next: { ...set, preamble: config },
      steps: [{ kind: 'preamble', before: set.preamble, after: config }],
      result: { success: true },
    };
  };

/** Several changes as one, all or nothing, each planned after those before it. */
export const sequence =
  <T>(changes: readonly Change<T>[]): Change<T[]> =>
  (set, time) => {
    let next = set;
    const steps: Step[] = [];
    const results: T[] = [];
    for (const [index, change] of changes.entries()) {
      const plan = inOperation(index + 1, () => change(next, time));
      if ('done' in plan) {
        results.push(plan.done);
        continue;
      }
      next = plan.next;
      steps.push(...plan.steps);
      results.push(plan.result);
    }
    return steps.length === 0 ? { done: results } : { next, steps, result: results };
  };

/** @param operation counted from 1 */
function inOperation<T>(operation: number, plan: () => T): T {
  try {
    return plan();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw error.about({ ...error.at, operation });
  }
}
