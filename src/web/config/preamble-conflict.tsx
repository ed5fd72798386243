/** Somebody else changed the preamble while it was edited here. */
import { useMemo, useState } from 'preact/hooks';
import { lineDiff } from '../changelog/line-diff.ts';
import { sentenceOf } from '../lib/api.ts';
import type { Preamble } from '../lib/types.ts';
import { DiffView } from '../parts/diff-view.tsx';
import { Notice } from '../parts/notice.tsx';
import { Time } from '../parts/time.tsx';

type Props = {
  theirs: Preamble;
  /** The text that was typed here. */
  mine: string;
  onTake: () => void;
  onForce: () => Promise<void>;
};

export function PreambleConflict({ theirs, mine, onTake, onForce }: Props) {
  const [error, setError] = useState<string | null>(null);
  const lines = useMemo(() => lineDiff(theirs.config, mine), [theirs, mine]);
  const force = () => onForce().catch((reason: unknown) => setError(sentenceOf(reason)));
  return (
    <>
      <Notice kind="warning" title="Somebody else changed the preamble meanwhile">
        They saved <Time at={theirs.updatedAt} />. Nothing of yours was saved, and your text is
        still in the editor.{' '}
        {lines.length === 0 ? 'Both texts are the same.' : 'From theirs to yours:'}
      </Notice>
      {lines.length > 0 && <DiffView lines={lines} label="From their text to yours" />}
      {error && <Notice kind="error">{error}</Notice>}
      <div class="actions">
        <button type="button" onClick={onTake}>
          Load theirs, drop mine
        </button>
        <button type="button" class="danger" onClick={force}>
          Save mine over theirs
        </button>
      </div>
    </>
  );
}
