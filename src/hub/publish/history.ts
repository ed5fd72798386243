/** What the changelog keeps of a step, and how a step is undone. Pure. */
import { Failure } from '../../shared/failure.ts';
import {
  type Change,
  deleteChange,
  findVhost,
  preambleChange,
  recreateChange,
  type Step,
  toggleChange,
  updateChange,
} from './changes.ts';
import type { Vhost } from './vhost.ts';

/** The preamble's name in the changelog. */
export const PREAMBLE = '(preamble)';

/** A changelog row without its author and time; `before` and `after` are kept privately. */
export type Record = {
  action: 'create' | 'update' | 'delete' | 'toggle';
  domain: string;
  diff: string | null;
  before: string | null;
  after: string | null;
};

const FIELDS = ['domain', 'config', 'upstream', 'enabled'] as const;

export function recordOf(step: Step): Record {
  if (step.kind === 'preamble') {
    const [before, after] = [{ config: step.before }, { config: step.after }];
    return {
      action: 'update',
      domain: PREAMBLE,
      diff: JSON.stringify({ old: before, new: after }),
      before: JSON.stringify(before),
      after: JSON.stringify(after),
    };
  }
  const before = step.kind === 'create' ? null : step.before;
  const after = step.kind === 'delete' ? null : step.after;
  return {
    action: step.kind,
    domain: step.kind === 'delete' ? step.before.domain : step.after.domain,
    diff: step.kind === 'update' ? diffOf(step.before, step.after) : null,
    before: before && JSON.stringify(before),
    after: after && JSON.stringify(after),
  };
}

function diffOf(before: Vhost, after: Vhost): string {
  const changed = FIELDS.filter((field) => before[field] !== after[field]);
  const only = (of: Vhost) => Object.fromEntries(changed.map((field) => [field, of[field]]));
  return JSON.stringify({ old: only(before), new: only(after) });
}

/** What an undo needs of a stored entry. */
export type Entry = Pick<Record, 'action' | 'domain' | 'before' | 'after'>;

/**
 * The change that undoes an entry, and nothing else: later changes of the same fields prevent it.
 * @throws Failure REVERT_CONFLICT, here or when planned; DOMAIN_TAKEN when planned
 */
export function revertChange(entry: Entry): Change<unknown> {
  if (entry.domain === PREAMBLE) return revertPreamble(entry);
  const before = revive(entry.before);
  const after = revive(entry.after);
  switch (entry.action) {
    case 'create':
      if (!after) throw tooOld();
      return (set, time) => {
        assertUnchanged(set.vhosts, after, FIELDS);
        return deleteChange(after.id)(set, time);
      };
    case 'delete':
      if (!before) throw tooOld();
      return (set, time) => {
        if (set.vhosts.some(({ id }) => id === before.id)) throw conflict();
        return recreateChange(before)(set, time);
      };
    case 'toggle':
      if (!after) throw tooOld();
      return (set, time) => {
        assertUnchanged(set.vhosts, after, ['enabled']);
        return toggleChange(after.id)(set, time);
      };
    case 'update': {
      if (!before || !after) throw tooOld();
      const changed = FIELDS.filter((field) => before[field] !== after[field]);
      const old = Object.fromEntries(changed.map((field) => [field, before[field]]));
      return (set, time) => {
        assertUnchanged(set.vhosts, after, changed);
        return updateChange(after.id, old)(set, time);
      };
    }
  }
}

function revertPreamble({ before, after }: Entry): Change<unknown> {
  if (before === null || after === null) throw tooOld();
  const [old, now] = [before, after].map((text) => (JSON.parse(text) as { config: string }).config);
  return (set, time) => {
    if (set.preamble !== now) throw conflict();
    return preambleChange(old ?? '')(set, time);
  };
}

/** @throws Failure REVERT_CONFLICT */
function assertUnchanged(
  vhosts: readonly Vhost[],
  after: Vhost,
  fields: readonly (typeof FIELDS)[number][],
): void {
  let now: Vhost;
  try {
    now = findVhost({ vhosts, preamble: '', nextId: 0 }, after.id);
  } catch {
    throw conflict();
  }
  if (fields.some((field) => now[field] !== after[field])) throw conflict();
}

function revive(text: string | null): Vhost | null {
  if (text === null) return null;
  const stored = JSON.parse(text) as Vhost & { createdAt: string; updatedAt: string };
  return {
    ...stored,
    createdAt: new Date(stored.createdAt),
    updatedAt: new Date(stored.updatedAt),
  };
}

const conflict = () =>
  new Failure('REVERT_CONFLICT', 'Later changes prevent this one from being undone.');

const tooOld = () => new Failure('REVERT_CONFLICT', 'This entry is from a version without undo.');
