/** The control for one value of a recipe, by its schema. */
import { ItemsField } from './items-field.tsx';
import { ListField } from './list-field.tsx';
import type { FieldProps } from './schema.ts';
import { SimpleField } from './simple-field.tsx';

export function SchemaField(props: FieldProps) {
  const { type, items } = props.schema;
  if (type !== 'array') return <SimpleField {...props} />;
  return items?.properties ? <ItemsField {...props} /> : <ListField {...props} />;
}
