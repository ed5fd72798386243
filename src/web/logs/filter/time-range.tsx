/** The inputs for the time range, shortcuts for common ones, and times as inputs and filters have them. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Field } from '../../parts/field.tsx';
import { filterBy } from './chips.tsx';

/** Long enough to type the next digit. */
const PAUSE_MS = 800;

export function TimeRange({ from, to }: { from: string; to: string }) {
  return (
    <div class="row bottom above">
      <TimeField name="from" label="From" value={from} />
      <TimeField name="to" label="Until" value={to} />
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out in a row */}
      <div class="row" role="group" aria-label="Time range">
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

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The shortcuts beside the inputs. */
const QUICK_RANGES = [
  { label: 'Last hour', milliseconds: HOUR_MS },
  { label: '24 hours', milliseconds: 24 * HOUR_MS },
  { label: '7 days', milliseconds: 7 * 24 * HOUR_MS },
] as const;

export type Range = { from: string; to: string };

/** From `milliseconds` ago, in whole seconds, until now. */
export const since = (milliseconds: number, now: Date): Range => ({
  from: new Date(Math.floor((now.getTime() - milliseconds) / 1000) * 1000).toISOString(),
  to: '',
});

/** The minute that contains a time; undefined if it is not a time. */
export function minuteOf(iso: string): Range | undefined {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return undefined;
  const start = Math.floor(at / MINUTE_MS) * MINUTE_MS;
  return {
    from: new Date(start).toISOString(),
    to: new Date(start + MINUTE_MS).toISOString(),
  };
}

/** The value of a `datetime-local` input: local time to the second; '' if it is not a time. */
export function toLocalInput(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return '';
  const two = (value: number) => String(value).padStart(2, '0');
  const day = [
    String(at.getFullYear()).padStart(4, '0'),
    two(at.getMonth() + 1),
    two(at.getDate()),
  ].join('-');
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** The reverse: ISO 8601 in UTC; '' for an empty input, undefined if it is not a time. */
export function fromLocalInput(text: string): string | undefined {
  if (text === '') return '';
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}
