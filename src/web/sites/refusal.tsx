/** Explains why a change was refused, and offers what can be done about it. */
import { useState } from 'preact/hooks';
import { ApiError, sentenceOf } from '../lib/api.ts';
import { Notice } from '../parts/notice.tsx';
import { ConfirmReplace } from '../parts/replace-foreign.tsx';

type Props = { error: unknown; onReplace: () => Promise<void> };

export function Refusal({ error, onReplace }: Props) {
  const [asking, setAsking] = useState(false);
  const known = error instanceof ApiError ? error : null;
  return (
    <>
      <Notice kind="error" title={sentenceOf(error)} detail={known?.detail} hint={known?.hint}>
        {known?.code === 'IMPORT_FIRST' ? (
          <p>
            <a href="/import">Import them</a>, or{' '}
            <button type="button" class="link" onClick={() => setAsking(true)}>
              replace them
            </button>
            .
          </p>
        ) : (
          known?.line && <p>See line {known.line} of the config.</p>
        )}
      </Notice>
      {asking && <ConfirmReplace onReplace={onReplace} onClose={() => setAsking(false)} />}
    </>
  );
}
