/** The mark of a problem that somebody knows of, and the way to set and remove it. */
import { send, wordsOf } from '../lib/api.ts';
import { clockTime } from '../lib/format.ts';
import { useHub } from '../lib/hub.ts';
import { useCan } from '../lib/roles.ts';
import type { Problem } from '../lib/types.ts';
import { useSubmit } from '../lib/use-form.ts';
import { DialogButton } from '../parts/dialog.tsx';
import { lazy } from '../parts/loading.tsx';
import { Notice } from '../parts/notice.tsx';

const KnownDialog = lazy(async () => (await import('./known-dialog.tsx')).KnownDialog);

/** `Known until 2026-12-01 08:00 (Ann)`. */
export const knownWords = ({ until, by }: NonNullable<Problem['known']>): string =>
  `Known until ${until === null ? 'it is over' : clockTime(until)} (${by})`;

export function Known({ problem }: { problem: Problem }) {
  const { key, known } = problem;
  const { refresh } = useHub();
  const canEdit = useCan('editor');
  const path = `/problems/${key}/known`;
  const forget = useSubmit(async () => {
    await send('DELETE', path);
    refresh();
  });
  if (known) {
    return (
      <>
        <span class="tag">{knownWords(known)}</span>{' '}
        {canEdit && (
          <button
            type="button"
            class="link"
            disabled={forget.busy}
            onClick={() => void forget.run()}
          >
            Count it again
          </button>
        )}
        {forget.error !== null && <Notice kind="error">{wordsOf(forget.error)}</Notice>}
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
