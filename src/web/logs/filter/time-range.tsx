/** The inputs for the time range, and shortcuts for common ones. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Field } from '../../parts/field.tsx';
import { fromLocalInput, QUICK_RANGES, since, toLocalInput } from '../times.ts';
import { filterBy } from './navigation.ts';

/** Long enough to type the next digit. */
const PAUSE_MS = 800;

export function TimeRange({ from, to }: { from: string; to: string }) {
  return (
    <div class="log-range flow">
      <TimeField name="from" label="From" value={from} />
      <TimeField name="to" label="Until" value={to} />
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out in a row */}
      <div class="log-quick flow" role="group" aria-label="Time range">
        {QUICK_RANGES.map(({ label, milliseconds }) => (
          <button
            key={label}
            type="button"
            onClick={() => filterBy(since(milliseconds, new Date()))}
          >
            {label}
          </button>
        ))}
        <button
          type="button"
          disabled={from === '' && to === ''}
          onClick={() => filterBy({ from: '', to: '' })}
        >
          All time
        </button>
      </div>
    </div>
  );
}

function TimeField({ name, label, value }: { name: 'from' | 'to'; label: string; value: string }) {
  const local = toLocalInput(value);
  const [text, setText] = useState(local);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    setText(local);
    return () => clearTimeout(timer.current);
  }, [local]);
  const apply = (input: HTMLInputElement) => {
    clearTimeout(timer.current);
    const next = fromLocalInput(input.value);
    if (input.validity.badInput || next === undefined || input.value === local) return;
    filterBy({ [name]: next });
  };
  return (
    <Field label={label}>
      {(attributes) => (
        <input
          {...attributes}
          type="datetime-local"
          step="1"
          max="9999-12-31T23:59:59"
          value={text}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value);
            clearTimeout(timer.current);
            // A half-typed time has no value; it applies when the field is left.
            if (currentTarget.value === '') return;
            timer.current = setTimeout(() => apply(currentTarget), PAUSE_MS);
          }}
          onBlur={(event) => apply(event.currentTarget)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') apply(event.currentTarget);
          }}
        />
      )}
    </Field>
  );
}
