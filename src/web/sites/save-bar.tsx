/** The bar below the form of a site: whether it is served, and its buttons. */
import { ConflictChoice } from './conflict.tsx';
import type { Draft } from './draft.ts';

type Props = {
  draft: Draft;
  isNew: boolean;
  /** Whether someone else has changed the site meanwhile. */
  isConflict: boolean;
  busy: boolean;
  canSave: boolean;
  onServe: (isServed: boolean) => void;
  onDelete: () => void;
  onDiscard: () => void;
  onKeep: () => void;
};

export function SaveBar({ draft, isNew, isConflict, busy, canSave, ...on }: Props) {
  return (
    <div class="save-bar">
      {isConflict ? (
        <ConflictChoice onDiscard={on.onDiscard} onKeep={on.onKeep} />
      ) : (
        <>
          <label class="check">
            <input
              type="checkbox"
              checked={draft.enabled}
              onChange={(event) => on.onServe(event.currentTarget.checked)}
            />
            Served
          </label>
          {!isNew && (
            <button type="button" onClick={on.onDelete}>
              Delete …
            </button>
          )}
          {/* Not `disabled`, which would lose the focus on every save. */}
          <button type="submit" class="primary" aria-disabled={!canSave}>
            {busy ? 'Publishing …' : isNew ? 'Create and publish' : 'Save and publish'}
          </button>
        </>
      )}
    </div>
  );
}
