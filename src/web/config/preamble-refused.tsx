/** Why the preamble was not saved: it was refused, or someone else has changed it. */
import { useMemo, useState } from 'preact/hooks';
import { ApiError, sentenceOf } from '../lib/api.ts';
import type { Preamble } from '../lib/types.ts';
import { ConfirmReplace } from '../parts/dialog.tsx';
import { DiffView, lineDiff } from '../parts/diff-view.tsx';
import { Notice } from '../parts/notice.tsx';
import { Time } from '../parts/time.tsx';

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

type PreambleConflictProps = {
  theirs: Preamble;
  /** The user's own text. */
  mine: string;
  onDiscard: () => void;
  onOverwrite: () => void;
};

/** Lets the user choose when someone else changed the preamble they were editing. */
export function PreambleConflict({ theirs, mine, onDiscard, onOverwrite }: PreambleConflictProps) {
  const lines = useMemo(() => lineDiff(theirs.config, mine), [theirs, mine]);
  return (
    <>
      <Notice
        kind="warning"
        title="Someone else changed the Caddy options while you were editing it"
      >
        They saved it <Time at={theirs.updatedAt} />. Your changes are not saved, but still in the
        editor. {lines.length === 0 ? 'Both texts are the same.' : 'Changes from theirs to yours:'}
      </Notice>
      {lines.length > 0 && <DiffView lines={lines} label="Changes from their text to yours" />}
      <div class="actions">
        <button type="button" onClick={onDiscard}>
          Discard mine, load theirs
        </button>
        <button type="button" class="danger" onClick={onOverwrite}>
          Overwrite theirs with mine
        </button>
      </div>
    </>
  );
}
