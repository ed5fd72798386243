/** What was done to the selected sites, with an undo if there is one. */

import { useState } from 'preact/hooks';
import { sentenceOf } from '../../lib/api.ts';
import { useSubmit } from '../../lib/use-submit.ts';

export type Done = {
  words: string;
  /** Null: only the changelog has it. */
  undo: (() => Promise<void>) | null;
};

type Props = { done: Done; onUndone: () => Promise<void> };

export function DoneNote({ done: { words, undo }, onUndone }: Props) {
  const [isUndone, setUndone] = useState(false);
  const { busy, error, run } = useSubmit(async () => {
    await undo?.();
    setUndone(true);
    await onUndone();
  });
  return (
    <>
      {` · ${words}${isUndone ? ', and undone' : ''} `}
      {undo && !isUndone && (
        <button type="button" class="link" aria-disabled={busy} onClick={() => run()}>
          Undo
        </button>
      )}
      {error !== null && <span class="field-error"> {sentenceOf(error)}</span>}
    </>
  );
}
