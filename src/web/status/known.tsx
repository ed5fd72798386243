/** The mark of a problem that somebody knows of, and the way to set and remove it. */
import { send } from '../lib/api.ts';
import { clockTime } from '../lib/format.ts';
import { useHub } from '../lib/hub.ts';
import { useCan } from '../lib/roles.ts';
import type { Problem } from '../lib/types.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { DialogButton } from '../parts/dialog.tsx';
import { lazy } from '../parts/loading.tsx';

const KnownDialog = lazy(async () => (await import('./known-dialog.tsx')).KnownDialog);

/** `Known until 2026-12-01 08:00 (Ann)`. */
export const knownWords = ({ until, by }: NonNullable<Problem['known']>): string =>
  `Known until ${until === null ? 'it is over' : clockTime(until)} (${by})`;

export function Known({ problem }: { problem: Problem }) {
  const { key, known } = problem;
  const { refresh } = useHub();
  const canEdit = useCan('editor');
  const path = `/problems/${key}/known`;
  if (known) {
    return (
      <>
        <span class="tag">{knownWords(known)}</span>{' '}
        {canEdit && (
          <ActionButton
            class="link"
            act={async () => {
              await send('DELETE', path);
              refresh();
            }}
          >
            Count it again
          </ActionButton>
        )}
      </>
    );
  }
  if (!canEdit) return null;
  return (
    <DialogButton button="Mark as known …" class="link">
      {(close) => <KnownDialog problem={problem} path={path} onClose={close} />}
    </DialogButton>
  );
}
