/** The change that undoes one entry of the changelog. Pure. */
import { Failure } from '../../../shared/failure.ts';
import type { Change, Kind } from '../changes.ts';
import { ENTITIES, kindOf, type Recorded } from '../entities.ts';
import type { ChangelogRecord } from './writes.ts';

/** What an undo needs of a stored entry. */
export type Entry = Pick<ChangelogRecord, 'action' | 'domain' | 'before' | 'after'>;

/**
 * The change that undoes an entry and nothing else. It is refused if the same fields have changed
 * since.
 * @throws Failure REVERT_CONFLICT, here or when planned; DOMAIN_TAKEN, POLICY_TAKEN or POLICY_IN_USE when planned
 */
export const revertChange = (entry: Entry): Change<unknown> =>
  reverting(kindOf(entry.domain), entry);

function reverting<K extends Kind>(kind: K, { action, ...entry }: Entry): Change<unknown> {
  const { undo } = ENTITIES[kind];
  if (undo === null) throw notUndoable();
  const old = action === 'create' ? null : revived<Recorded[K]>(entry.before);
  const made = action === 'delete' ? null : revived<Recorded[K]>(entry.after);
  return (set, time) => {
    const kept = made ?? old;
    const now = kept === null ? undefined : undo.find(set, kept);
    let change: Change<unknown> | null | undefined;
    if (made === null) {
      change = !now && old !== null ? undo.recreate?.(set, old) : null;
    } else if (now && undo.isAsMade(now, made, old)) {
      change =
        old === null
          ? undo.remove?.(made)
          : undo.restore(set, now, { old, made, isToggle: action === 'toggle' });
    }
    if (!change) throw conflict();
    return change(set, time);
  };
}

/** What `before` or `after` holds; entries of kinds that are no more have nothing. @throws Failure REVERT_CONFLICT */
export function revived<T>(text: string | null): T {
  if (text === null) throw new Failure('REVERT_CONFLICT', 'This change cannot be undone.');
  const held = JSON.parse(text);
  for (const time of ['createdAt', 'updatedAt'])
    if (time in held) held[time] = new Date(held[time]);
  return held;
}

const conflict = () =>
  new Failure('REVERT_CONFLICT', 'Later changes prevent this change from being undone.');

const notUndoable = () =>
  new Failure(
    'REVERT_CONFLICT',
    'Changes to agents cannot be undone; edit or re-invite the agent.',
  );
