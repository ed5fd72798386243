/** A form made from the fields of a recipe. */
import { useEffect, useRef } from 'preact/hooks';
import {
  type Fault,
  faultIn,
  fieldsOf,
  type JsonSchema,
  type Values,
  withValue,
} from './schema.ts';
import { SchemaField } from './schema-field.tsx';

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
