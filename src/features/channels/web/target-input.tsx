/** The input for a field of a channel's target; what is secret is shown as a mask, and stays if untouched. */

import { Field } from '../../../web/parts/field.tsx';
import type { ChannelView } from '../schema.ts';
import { isKept, shownIn, type TargetField } from './kinds.ts';

type Props = {
  field: TargetField;
  /** As it is shown; null for a new channel. */
  target: ChannelView['target'] | null;
  /** Null: what is stored is to be removed. */
  typed: string | null;
  error: string | null;
  onChange: (typed: string | null) => void;
};

export function TargetInput({ field, target, typed, error, onChange }: Props) {
  const { name, label, type, required, removable, placeholder = '', choices = [] } = field;
  const kept = isKept(target, name);
  const isRemoved = kept && typed === null;
  const input = {
    value: typed ?? '',
    onInput: (event: { currentTarget: HTMLInputElement }) => onChange(event.currentTarget.value),
  };
  const help = kept ? (
    <>
      {isRemoved ? 'It will be removed.' : 'Leave it empty to keep it.'}{' '}
      {removable && (
        <button type="button" class="link" onClick={() => onChange(isRemoved ? '' : null)}>
          {isRemoved ? 'Keep it' : 'Remove it'}
        </button>
      )}
    </>
  ) : (
    field.help
  );
  return (
    <Field label={required ? label : `${label} (optional)`} help={help} error={error}>
      {(attributes) => {
        const common = {
          ...attributes,
          ...input,
          required: required && !kept,
          placeholder: isRemoved || !kept || !target ? placeholder : shownIn(target, name),
        };
        if (type === 'choice') {
          return (
            <select
              {...attributes}
              value={typed || choices[0]?.[0]}
              onChange={(event) => onChange(event.currentTarget.value)}
            >
              {choices.map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </select>
          );
        }
        if (type === 'port') return <input {...common} type="number" min={1} max={65_535} />;
        if (type === 'password') {
          return <input {...common} type="password" autocomplete="new-password" />;
        }
        return (
          <input
            {...common}
            type="text"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
          />
        );
      }}
    </Field>
  );
}
