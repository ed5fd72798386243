/** What the changelog keeps of a step, and the change that undoes an entry. Pure. */
import { Failure } from '../../shared/failure.ts';
import {
  type Change,
  deleteChange,
  preambleChange,
  recreateChange,
  type Step,
  toggleChange,
  updateChange,
  vhostAfter,
} from './changes.ts';
import { changedFields, FIELDS, type Field, type Vhost } from './vhost.ts';

/** The preamble's name in the changelog. */
export const PREAMBLE = '(preamble)';

/** A changelog entry without author and time; `before` and `after` are never shown. */
export type ChangelogRecord = {
  action: 'create' | 'update' | 'delete' | 'toggle';
  domain: string;
  /** JSON text `{"old":{…},"new":{…}}` of the fields that changed; only for an update. */
  diff: string | null;
  /** The whole vhost or preamble, as JSON text; null if there was or is none. */
  before: string | null;
  after: string | null;
};

export function recordOf(step: Step): ChangelogRecord {
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
  const after = vhostAfter(step);
  return {
    action: step.kind,
    domain: step.kind === 'delete' ? step.before.domain : step.after.domain,
    diff: step.kind === 'update' ? diffOf(step.before, step.after) : null,
    before: before && JSON.stringify(before),
    after: after ? JSON.stringify(after) : null,
  };
}

function diffOf(before: Vhost, after: Vhost): string {
  const changed = changedFields(before, after);
  return JSON.stringify({ old: pick(before, changed), new: pick(after, changed) });
}

const pick = (vhost: Vhost, fields: readonly Field[]) =>
  Object.fromEntries(fields.map((field) => [field, vhost[field]]));

/** What an undo needs of a stored entry. */
export type Entry = Pick<ChangelogRecord, 'action' | 'domain' | 'before' | 'after'>;

/**
 * The change that undoes an entry and nothing else. It is refused if the same fields have changed
 * since.
 * @throws Failure REVERT_CONFLICT, here or when planned; DOMAIN_TAKEN when planned
 */
export function revertChange(entry: Entry): Change<unknown> {
  if (entry.domain === PREAMBLE) return revertPreamble(entry);
  if (entry.action === 'delete') {
    const deleted = revive(entry.before);
    return (set, time) => {
      if (set.vhosts.some(({ id }) => id === deleted.id)) throw conflict();
      return recreateChange(deleted)(set, time);
    };
  }
  const after = revive(entry.after);
  const { fields, undo } = undoOf(entry.action, entry.before, after);
  return (set, time) => {
    const now = set.vhosts.find(({ id }) => id === after.id);
    if (!now || fields.some((field) => now[field] !== after[field])) throw conflict();
    return undo(set, time);
  };
}

/** The change that undoes an entry, and the fields that must not have changed since. */
function undoOf(
  action: 'create' | 'update' | 'toggle',
  before: string | null,
  after: Vhost,
): { fields: readonly Field[]; undo: Change<unknown> } {
  if (action === 'create') return { fields: FIELDS, undo: deleteChange(after.id) };
  if (action === 'toggle') return { fields: ['enabled'], undo: toggleChange(after.id) };
  const old = revive(before);
  const fields = changedFields(old, after);
  return { fields, undo: updateChange(after.id, pick(old, fields)) };
}

function revertPreamble({ before, after }: Entry): Change<unknown> {
  if (before === null || after === null) throw tooOld();
  const [old, now] = [before, after].map((text) => (JSON.parse(text) as { config: string }).config);
  return (set, time) => {
    if (set.preamble !== now) throw conflict();
    return preambleChange(old ?? '')(set, time);
  };
}

/** The vhost that `before` or `after` holds. @throws Failure REVERT_CONFLICT if there is none */
function revive(text: string | null): Vhost {
  if (text === null) throw tooOld();
  const stored = JSON.parse(text) as Vhost & { createdAt: string; updatedAt: string };
  return {
    ...stored,
    createdAt: new Date(stored.createdAt),
    updatedAt: new Date(stored.updatedAt),
  };
}

const conflict = () =>
  new Failure('REVERT_CONFLICT', 'Later changes prevent this one from being undone.');

const tooOld = () =>
  new Failure(
    'REVERT_CONFLICT',
    'This entry was written by a version that could not undo changes.',
  );
