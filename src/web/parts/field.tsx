/** A form control with its label, help and error. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

export type Described = { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true };

export type FieldProps = {
  label: string;
  help?: ComponentChildren;
  error?: string | null | undefined;
  /** Of the control; by default one of its own. */
  id?: string;
  /** Renders the control with the attributes that tie it to label, help and error. */
  children: (attributes: Described) => ComponentChildren;
};

export function Field({ label, help, error, children, ...given }: FieldProps) {
  const own = useId();
  const id = given.id ?? own;
  const helpId = help ? `${id}-help` : '';
  const errorId = error ? `${id}-error` : '';
  const describedBy = [errorId, helpId].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        ...(describedBy ? { 'aria-describedby': describedBy } : {}),
        ...(error ? { 'aria-invalid': true } : {}),
      })}
      {error && (
        <p class="field-error" id={errorId}>
          {error}
        </p>
      )}
      {help && (
        <p class="field-help" id={helpId}>
          {help}
        </p>
      )}
    </div>
  );
}
