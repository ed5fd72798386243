/** A labelled input for a number that may be left out. */
import { Field, type FieldProps } from './field.tsx';

type Props = Omit<FieldProps, 'children'> & {
  value: number | undefined;
  min: number;
  max: number;
  /** `any` lets it have decimals. */
  step?: 'any';
  /** What holds if it is left out. */
  placeholder: string;
  onChange: (value: number | undefined) => void;
};

export const NumberField = ({ label, help, error, value, onChange, ...input }: Props) => (
  <Field label={label} help={help} error={error}>
    {(attributes) => (
      <input
        {...attributes}
        {...input}
        type="number"
        value={value ?? ''}
        onInput={({ currentTarget: { value: typed } }) =>
          onChange(typed === '' ? undefined : Number(typed))
        }
      />
    )}
  </Field>
);
