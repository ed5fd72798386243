/** Explains why the preamble was not saved, and offers what can be done about it. */
import { useState } from 'preact/hooks';
import { ApiError, sentenceOf } from '../lib/api.ts';
import { Notice } from '../parts/notice.tsx';
import { ConfirmReplace } from '../parts/replace-foreign.tsx';

type Props = {
  error: unknown;
  /** Saves and replaces the sites that Caddy serves now. */
  onReplace: () => Promise<void>;
};

export function PreambleRefused({ error, onReplace }: Props) {
  const [asking, setAsking] = useState(false);
  const refusal = error instanceof ApiError ? error : null;
  if (refusal?.code !== 'IMPORT_FIRST') {
    return (
      <Notice kind="error" title={sentenceOf(error)} detail={refusal?.detail} hint={refusal?.hint}>
        Your text is still in the editor.
      </Notice>
    );
  }
  return (
    <>
      <Notice kind="warning" title="This would replace sites that signalbox does not manage">
        Caddy serves them now. <a href="/import">Import them first</a>, or{' '}
        <button type="button" class="link" onClick={() => setAsking(true)}>
          replace them anyway
        </button>
        .
      </Notice>
      {asking && <ConfirmReplace onReplace={onReplace} onClose={() => setAsking(false)} />}
    </>
  );
}
