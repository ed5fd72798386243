/** A box to tick, with its words. */
import type { ComponentChildren } from 'preact';

type Props = {
  checked: boolean;
  indeterminate?: boolean;
  disabled?: boolean;
  class?: string;
  /** What screen readers say instead of the words. */
  label?: string;
  isInvalid?: boolean;
  onTick: (isTicked: boolean) => void;
  children?: ComponentChildren;
};

export const Tick = ({ label, isInvalid, onTick, children, class: look, ...box }: Props) => (
  <label class={look}>
    <input
      type="checkbox"
      aria-label={label}
      aria-invalid={isInvalid || undefined}
      {...box}
      onChange={(event) => onTick(event.currentTarget.checked)}
    />
    {children}
  </label>
);
