/** A form made from the fields of a recipe. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Field } from '../parts/field.tsx';
import { ItemsField } from './items-field.tsx';
import {
  type Fault,
  type FieldProps,
  faultIn,
  fieldsOf,
  type JsonSchema,
  linesOf,
  placeholderOf,
  sentence,
  type Values,
  withValue,
  wordsInList,
} from './schema.ts';
import { SimpleField } from './simple-field.tsx';

type Props = {
  fields: JsonSchema;
  values: Values;
  onChange: (values: Values) => void;
  /** What was refused; the focus moves to its field. */
  fault: Fault | null;
  /** The values as the hub has them: their secrets stay if they are left empty. */
  stored?: Values | undefined;
};

/** What may be left out is folded away, unless that is everything or it has a value. */
export function RecipeForm({ fields, values, onChange, fault, stored = {} }: Props) {
  const all = fieldsOf(fields);
  const required = all.filter(({ isRequired }) => isRequired);
  const optional = all.filter(({ isRequired }) => !isRequired);
  const area = useRef<HTMLDivElement>(null);
  const open = useRef(optional.some(({ name }) => values[name] !== undefined));
  if (optional.some(({ name }) => faultIn(fault, name))) open.current = true;

  useEffect(() => {
    if (fault) area.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [fault]);

  const drawn = (some: typeof all) =>
    some.map(({ name, schema, isRequired }) => (
      <SchemaField
        key={name}
        schema={schema}
        name={schema.title ?? name}
        isRequired={isRequired}
        value={values[name]}
        stored={stored[name]}
        fault={faultIn(fault, name)}
        onChange={(value) => onChange(withValue(values, name, value))}
      />
    ));
  return (
    <div class="recipe-form" ref={area}>
      {drawn(required)}
      {required.length === 0 && drawn(optional)}
      {required.length > 0 && optional.length > 0 && (
        <details open={open.current}>
          <summary>Optional</summary>
          {drawn(optional)}
        </details>
      )}
    </div>
  );
}

/** The control for one value of a recipe, by its schema. */
function SchemaField(props: FieldProps) {
  const { type, items } = props.schema;
  if (type !== 'array') return <SimpleField {...props} />;
  return items?.properties ? <ItemsField {...props} /> : <ListField {...props} />;
}

/** Lines. */
const ROWS = { least: 3, most: 10 };

/** A list of texts, one per line, so that lists can be pasted. */
function ListField({ schema, name, isRequired, value, fault, onChange }: FieldProps) {
  const list = Array.isArray(value) ? value.map(String) : [];
  const [typed, setTyped] = useState(list.join('\n'));
  // What is typed has empty lines and spaces that the list does not have.
  const isSame = linesOf(typed, schema.items).join('\n') === list.join('\n');
  const placeholder = placeholderOf(schema);
  const rows = Math.max(list.length, placeholder.split('\n').length) + 1;
  return (
    <Field
      label={name}
      help={`${sentence(schema.description ?? '')} One per line.`.trim()}
      error={fault && wordsInList(fault, list)}
    >
      {(attributes) => (
        <textarea
          {...attributes}
          class="mono"
          required={isRequired}
          rows={Math.min(Math.max(rows, ROWS.least), ROWS.most)}
          placeholder={placeholder}
          autocapitalize="off"
          spellcheck={false}
          value={isSame ? typed : list.join('\n')}
          onInput={({ currentTarget: { value: text } }) => {
            setTyped(text);
            const lines = linesOf(text, schema.items);
            onChange(lines.length > 0 || isRequired ? lines : undefined);
          }}
        />
      )}
    </Field>
  );
}
