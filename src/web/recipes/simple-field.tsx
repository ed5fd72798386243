/** The control for a text, a number, a choice or a flag of a recipe. */
import { Field } from '../parts/field.tsx';
import { type FieldProps, placeholderOf, sentence, wordsAt } from './schema.ts';

export const SimpleField = (props: FieldProps) =>
  props.schema.type === 'boolean' ? <FlagField {...props} /> : <PlainField {...props} />;

function FlagField({ schema, name, value, fault, onChange }: FieldProps) {
  return (
    <div class="field recipe-flag">
      <label class="strong">
        <input
          type="checkbox"
          checked={Boolean(value ?? schema.default)}
          aria-invalid={fault ? true : undefined}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        {name}
      </label>
      {fault && <p class="field-error">{wordsAt(fault)}</p>}
      {schema.description && <p class="field-help">{sentence(schema.description)}</p>}
    </div>
  );
}

function PlainField({ schema, name, isRequired, value, stored, fault, onChange }: FieldProps) {
  const { type, format, description = '', minimum, maximum, maxLength, writeOnly } = schema;
  const isKept = writeOnly === true && stored !== undefined;
  const common = {
    required: isRequired,
    placeholder: isKept ? 'unchanged' : placeholderOf(schema),
    value: value === undefined ? '' : String(value),
    ...(maxLength === undefined ? {} : { maxLength }),
  };
  const text = (typed: string) => onChange(typed === '' ? undefined : typed);
  return (
    <Field
      label={name}
      help={isKept ? 'Leave it empty to keep it.' : sentence(description)}
      error={fault && wordsAt(fault)}
    >
      {(attributes) => {
        if (schema.enum) {
          return (
            <select
              {...attributes}
              value={String(value ?? schema.default ?? '')}
              onChange={(event) => text(event.currentTarget.value)}
            >
              {schema.enum.map((choice) => (
                <option key={String(choice)}>{String(choice)}</option>
              ))}
            </select>
          );
        }
        if (type === 'integer') {
          return (
            <input
              {...attributes}
              {...common}
              type="number"
              min={minimum}
              max={maximum}
              onInput={({ currentTarget: { value: typed } }) =>
                onChange(typed === '' ? undefined : Number(typed))
              }
            />
          );
        }
        if (format === 'textarea' || format === 'authorities') {
          return (
            <textarea
              {...attributes}
              {...common}
              rows={4}
              onInput={(event) => text(event.currentTarget.value)}
            />
          );
        }
        const input = {
          ...attributes,
          ...common,
          onInput: (event: { currentTarget: HTMLInputElement }) => text(event.currentTarget.value),
        };
        if (writeOnly) return <input {...input} type="password" autocomplete="new-password" />;
        return (
          <input
            {...input}
            type="text"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={format === 'text'}
          />
        );
      }}
    </Field>
  );
}
