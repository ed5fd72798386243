/** The choice if someone else changed the Caddy options that a user was editing. */
import { useMemo } from 'preact/hooks';
import type { Preamble } from '../lib/types.ts';
import { DiffView, lineDiff } from '../parts/diff-view.tsx';
import { Notice } from '../parts/notice.tsx';
import { Time } from '../parts/time.tsx';

type Props = {
  theirs: Preamble;
  /** The user's own text. */
  mine: string;
  onDiscard: () => void;
  onOverwrite: () => void;
};

export function PreambleConflict({ theirs, mine, onDiscard, onOverwrite }: Props) {
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
