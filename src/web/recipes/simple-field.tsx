/** The control for a text, a number, a choice or a flag of a recipe. */
import { FieldOf, type FieldSpec } from '../parts/field-of.tsx';
import { Tick } from '../parts/tick.tsx';
import { type FieldProps, type JsonSchema, placeholderOf, sentence, wordsAt } from './schema.ts';

export const SimpleField = (props: FieldProps) =>
  props.schema.type === 'boolean' ? <FlagField {...props} /> : <PlainField {...props} />;

function FlagField({ schema, name, value, fault, onChange }: FieldProps) {
  return (
    <div class="field recipe-flag">
      <Tick
        class="strong"
        checked={Boolean(value ?? schema.default)}
        isInvalid={fault !== null}
        onTick={onChange}
      >
        {name}
      </Tick>
      {fault && <p class="field-error">{wordsAt(fault)}</p>}
      {schema.description && <p class="field-help">{sentence(schema.description)}</p>}
    </div>
  );
}

function PlainField({ schema, name, isRequired, value, stored, fault, onChange }: FieldProps) {
  const { description = '', maxLength, writeOnly } = schema;
  const isKept = writeOnly === true && stored !== undefined;
  const field: FieldSpec = {
    ...controlOf(schema),
    label: name,
    help: isKept ? 'Leave it empty to keep it.' : sentence(description),
    required: isRequired,
    placeholder: isKept ? 'unchanged' : placeholderOf(schema),
    maxLength,
    typed: String(value ?? (schema.enum && schema.default) ?? ''),
    onText: (typed) => {
      const given = schema.type === 'integer' ? Number(typed) : typed;
      onChange(typed === '' ? undefined : given);
    },
  };
  return <FieldOf name={name} field={field} error={fault && wordsAt(fault)} />;
}

/** What a value is typed into, or picked from. */
function controlOf(schema: JsonSchema): Partial<FieldSpec> {
  const { type, format = '', minimum, maximum, writeOnly } = schema;
  if (schema.enum) return { options: schema.enum.map((choice) => ({ value: String(choice) })) };
  if (type === 'integer') return { type: 'number', min: minimum, max: maximum };
  if (['textarea', 'authorities'].includes(format)) return { type: 'lines', rows: 4 };
  if (writeOnly) return { type: 'password' };
  return { autocapitalize: 'off', spellcheck: format === 'text' };
}
