/** A labelled text input. */
import type { PartialInputHTMLAttributes } from 'preact';
import { Field, type FieldProps } from './field.tsx';

type Attributes = Pick<
  PartialInputHTMLAttributes<HTMLInputElement>,
  | ('name' | 'class' | 'value' | 'required' | 'minLength' | 'maxLength' | 'onInput')
  | ('autocomplete' | 'autocapitalize' | 'spellcheck' | 'pattern' | 'title')
>;
type Props = Omit<FieldProps, 'children'> & Attributes;
// Preact declares an input's attributes per type, so this has to be a union as well.
type Typed = Props & ({ type: 'text' } | { type: 'email' } | { type: 'password' });

/** @param props those of the field; all others are the input's attributes */
export const TextField = ({ label, help, error, ...input }: Typed) => (
  <Field label={label} help={help} error={error}>
    {(attributes) => <input {...attributes} {...input} />}
  </Field>
);

/** An input for a new password, with the hub's limits. */
export const NewPasswordField = (props: Props) => (
  <TextField {...props} type="password" minLength={8} maxLength={128} autocomplete="new-password" />
);
