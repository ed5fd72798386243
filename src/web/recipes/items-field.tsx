/** A list of things with fields of their own, such as users: a row of fields for each. */
import { useRef } from 'preact/hooks';
import {
  type FieldProps,
  faultIn,
  fieldsOf,
  sentence,
  type Values,
  withValue,
  wordsAt,
} from './schema.ts';
import { SimpleField } from './simple-field.tsx';

const listOf = (value: unknown): Values[] => (Array.isArray(value) ? value : []);

export function ItemsField({ schema, name, value, stored, fault, onChange }: FieldProps) {
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
    <fieldset class="field recipe-items" ref={area}>
      <legend>{name}</legend>
      {schema.description && <p class="field-help">{sentence(schema.description)}</p>}
      {fault && /^\d*$/.test(fault.field) && (
        <p class="field-error" role="alert">
          {wordsAt(fault)}
        </p>
      )}
      {rows.map((row, at) => (
        <fieldset class="recipe-item flow box" key={at}>
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
