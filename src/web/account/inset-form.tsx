/** A form that opens inside a card, to add something to its list. */
import type { ComponentChildren } from 'preact';
import { submitWith } from '../lib/use-submit.ts';
import { Notice } from '../parts/notice.tsx';

type Props = {
  label: string;
  /** The submit button's label, and its label while busy. */
  action: readonly [idle: string, busy: string];
  busy: boolean;
  /** An error that belongs to no field. */
  notice: string | null;
  onSubmit: () => unknown;
  onClose: () => void;
  children: ComponentChildren;
};

export function InsetForm(props: Props) {
  const { label, action, busy, notice, onSubmit, onClose, children } = props;
  return (
    <form class="inset box" aria-label={label} onSubmit={submitWith(onSubmit)}>
      {children}
      {notice && <Notice kind="error">{notice}</Notice>}
      <div class="actions">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" class="primary" disabled={busy}>
          {action[busy ? 1 : 0]}
        </button>
      </div>
    </form>
  );
}
