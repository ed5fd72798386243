/** The bar below the form of a site or a policy: its buttons, or the choice after someone else's change. */
import type { ComponentChildren } from 'preact';
import type { Editor } from '../lib/use-editor.ts';

type Props = {
  editor: Pick<
    Editor<unknown, object>,
    'stored' | 'theirs' | 'busy' | 'canSave' | 'discard' | 'keep'
  >;
  onDelete: () => void;
  /** Shown before the buttons. */
  children?: ComponentChildren;
};

export function SaveBar({ editor, onDelete, children }: Props) {
  const { stored, theirs, busy, canSave, discard, keep } = editor;
  const isNew = stored === null;
  return (
    <div class="save-bar row">
      {theirs !== null ? (
        <>
          <button type="button" onClick={discard}>
            Discard my changes
          </button>
          <button type="button" class="primary" onClick={keep}>
            Keep my changes
          </button>
        </>
      ) : (
        <>
          {children}
          {!isNew && (
            <button type="button" onClick={onDelete}>
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
