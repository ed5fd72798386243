/** Fields of forms: label, input, help and error belong together. */
import type { ComponentChildren, PartialInputHTMLAttributes } from 'preact';
import { useId } from 'preact/hooks';

export type Described = { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true };

export type FieldProps = {
  label: string;
  help?: ComponentChildren;
  error?: string | null | undefined;
  /** Renders the control with the attributes that tie it to label, help and error. */
  children: (attributes: Described) => ComponentChildren;
};

export function Field({ label, help, error, children }: FieldProps) {
  const id = useId();
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

type Attributes = Pick<
  PartialInputHTMLAttributes<HTMLInputElement>,
  | ('name' | 'class' | 'value' | 'defaultValue' | 'required' | 'maxLength')
  | ('onInput' | 'onChange' | 'onKeyDown' | 'onBlur' | 'placeholder' | 'aria-invalid')
  | ('autocomplete' | 'inputMode' | 'autocapitalize' | 'spellcheck' | 'pattern' | 'title')
>;
type Props = Omit<FieldProps, 'children'> & Attributes;
// Preact declares an input's attributes per type, so this has to be a union as well.
type Typed = Props & ({ type: 'text' } | { type: 'password' });

/** @param props those of the field; all others are the input's attributes */
export const TextField = ({ label, help, error, ...input }: Typed) => (
  <Field label={label} help={help} error={error}>
    {(attributes) => <input {...attributes} {...input} />}
  </Field>
);

type ProxySelectProps = Partial<Described> & {
  class?: string;
  'aria-label'?: string;
  names: readonly string[];
  /** A name; empty: all. */
  value: string;
  onPick: (name: string) => void;
};

/** Picks one of several proxies, or all of them. */
export const ProxySelect = ({ names, value, onPick, ...attributes }: ProxySelectProps) => (
  <select {...attributes} value={value} onChange={(event) => onPick(event.currentTarget.value)}>
    <option value="">All proxies</option>
    {/* One that was removed may still be in an address. */}
    {[...new Set([...names, ...(value === '' ? [] : [value])])].map((name) => (
      <option key={name}>{name}</option>
    ))}
  </select>
);
