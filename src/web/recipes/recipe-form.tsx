/** A form made from the fields of a recipe, lists of items included. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Field } from '../parts/field.tsx';
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
  wordsAt,
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

const listOf = (value: unknown): Values[] => (Array.isArray(value) ? value : []);

/** A list of things with fields of their own, such as users: a row of fields for each. */
function ItemsField({ schema, name, value, stored, fault, onChange }: FieldProps) {
  const { items = {}, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
  const list = listOf(value);
  const rows = list.length < minItems ? [...list, ...Array(minItems - list.length).fill({})] : list;
  const known = listOf(stored);
  const area = useRef<HTMLFieldSetElement>(null);
  const change = (at: number, row: Values) => onChange(rows.with(at, row));
  const add = () => {
    onChange([...rows, {}]);
    requestAnimationFrame(() =>
      area.current?.querySelector<HTMLElement>('.recipe-item:last-of-type input')?.focus(),
    );
  };
  return (
    <fieldset class="field" ref={area}>
      <legend>{name}</legend>
      {schema.description && <p class="field-help">{sentence(schema.description)}</p>}
      {fault && /^\d*$/.test(fault.field) && (
        <p class="field-error" role="alert">
          {wordsAt(fault)}
        </p>
      )}
      {rows.map((row, at) => (
        <fieldset class="recipe-item row top box" key={at}>
          <legend class="visually-hidden">{`${name}, ${at + 1}`}</legend>
          {fieldsOf(items).map(({ name: field, schema: inner, isRequired }) => {
            const before = known.find((item) => item.name === row.name);
            return (
              <SimpleField
                key={field}
                schema={inner}
                name={inner.title ?? field}
                isRequired={isRequired || (inner.writeOnly === true && !before)}
                value={row[field]}
                stored={before && (before[field] ?? '')}
                fault={faultIn(faultIn(fault, String(at)), field)}
                onChange={(next) => change(at, withValue(row, field, next))}
              />
            );
          })}
          {rows.length > minItems && (
            <button
              type="button"
              class="quiet"
              aria-label={`Remove ${String(row.name ?? row.path ?? at + 1)}`}
              onClick={() => onChange(rows.filter((_, other) => other !== at))}
            >
              Remove
            </button>
          )}
        </fieldset>
      ))}
      {rows.length < maxItems && (
        <button type="button" class="link" onClick={add}>
          Add one more
        </button>
      )}
    </fieldset>
  );
}
