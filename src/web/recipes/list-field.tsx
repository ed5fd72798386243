/** A list of texts, one per line, so that lists can be pasted. */
import { useState } from 'preact/hooks';
import { Field } from '../parts/field.tsx';
import { type FieldProps, linesOf, placeholderOf, sentence, wordsInList } from './schema.ts';

/** Lines. */
const ROWS = { least: 3, most: 10 };

export function ListField({ schema, name, isRequired, value, fault, onChange }: FieldProps) {
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
