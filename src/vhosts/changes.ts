/** What a person can do to the set of vhosts, each judged against what is accepted by then. Pure. */
import { Failure } from '../../agent/failure.ts';
import { assertFree, normalize, type SiteSet, type Vhost, type VhostInput } from './vhost.ts';

export type Action = 'create' | 'update' | 'delete' | 'toggle';

/** One change worked out: the candidate set, and what is recorded once the proxy has accepted it. */
export type Plan<T> = {
  next: SiteSet;
  /** The vhost as it will be, null where it goes. */
  vhost: Vhost | null;
  /** The vhost as it was, null where it is new. */
  before: Vhost | null;
  record: { action: Action; domain: string; diff: string | null };
  result: T;
};

/** Worked out against a set; `done` where there is nothing to publish. @throws Failure */
export type Change<T> = (set: SiteSet, at: Date) => Plan<T> | { done: T };

/** @throws Failure NOT_FOUND */
export function findVhost(set: SiteSet, id: number): Vhost {
  const found = set.vhosts.find((vhost) => vhost.id === id);
  if (!found) throw new Failure('NOT_FOUND', 'There is no such vhost.');
  return found;
}

export const createChange =
  (input: VhostInput): Change<Vhost> =>
  (set, at) => {
    const vhost: Vhost = {
      id: set.nextId,
      position: (set.vhosts.at(-1)?.position ?? 0) + 1,
      ...normalize(input.domain ?? '', input.config ?? '', input.upstream ?? ''),
      enabled: input.enabled ?? true,
      createdAt: at,
      updatedAt: at,
    };
    assertFree(vhost, set);
    return {
      next: { ...set, vhosts: [...set.vhosts, vhost], nextId: set.nextId + 1 },
      vhost,
      before: null,
      record: { action: 'create', domain: vhost.domain, diff: null },
      result: vhost,
    };
  };

const FIELDS = ['domain', 'config', 'upstream', 'enabled'] as const;

export const updateChange =
  (id: number, input: VhostInput): Change<Vhost> =>
  (set, at) => {
    const before = findVhost(set, id);
    const fields = {
      ...normalize(
        input.domain ?? before.domain,
        input.config ?? before.config,
        input.upstream ?? before.upstream,
      ),
      enabled: input.enabled ?? before.enabled,
    };
    const changed = FIELDS.filter((field) => fields[field] !== before[field]);
    if (changed.length === 0) return { done: before };
    const vhost: Vhost = { ...before, ...fields, updatedAt: at };
    assertFree(vhost, set);
    const only = (of: Vhost) => Object.fromEntries(changed.map((field) => [field, of[field]]));
    return {
      next: replaced(set, vhost),
      vhost,
      before,
      record: {
        action: 'update',
        domain: vhost.domain,
        diff: JSON.stringify({ old: only(before), new: only(vhost) }),
      },
      result: vhost,
    };
  };

export const toggleChange =
  (id: number): Change<Vhost> =>
  (set, at) => {
    const before = findVhost(set, id);
    const vhost: Vhost = { ...before, enabled: !before.enabled, updatedAt: at };
    return {
      next: replaced(set, vhost),
      vhost,
      before,
      record: { action: 'toggle', domain: vhost.domain, diff: null },
      result: vhost,
    };
  };

export const deleteChange =
  (id: number): Change<{ success: true }> =>
  (set) => {
    const before = findVhost(set, id);
    return {
      next: { ...set, vhosts: set.vhosts.filter((vhost) => vhost.id !== id) },
      vhost: null,
      before,
      record: { action: 'delete', domain: before.domain, diff: null },
      result: { success: true },
    };
  };

const replaced = (set: SiteSet, vhost: Vhost): SiteSet => ({
  ...set,
  vhosts: set.vhosts.map((one) => (one.id === vhost.id ? vhost : one)),
});
