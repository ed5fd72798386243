/** A button that acts at once, without a question. */
import type { ComponentChildren } from 'preact';
import { wordsOf } from '../lib/api.ts';
import { useSubmit } from '../lib/use-form.ts';
import { Notice } from './notice.tsx';

type Props = {
  class?: string | undefined;
  /** What screen readers say instead of what is on it. */
  label?: string;
  /** What is on it meanwhile. */
  busy?: string;
  /** What it throws is shown below the button. */
  act: () => Promise<void>;
  children: ComponentChildren;
};

export function ActionButton({ label, busy: words, act, children, ...more }: Props) {
  const { busy, error, run } = useSubmit(act);
  return (
    <>
      <button type="button" {...more} disabled={busy} aria-label={label} onClick={() => run()}>
        {(busy && words) || children}
      </button>
      {error !== null && <Notice kind="error">{wordsOf(error)}</Notice>}
    </>
  );
}
