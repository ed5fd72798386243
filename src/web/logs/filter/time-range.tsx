/** The inputs for the time range, shortcuts for common ones, and times as inputs and filters have them. */
import { localTime } from '../../lib/format.ts';
import { TextField } from '../../parts/field.tsx';
import { filterBy } from './chips.tsx';
import { useDraft } from './use-draft.ts';

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
  const draft = useDraft(name, value, {
    pause: PAUSE_MS,
    filterOf: fromLocalTime,
    textOf: localTime,
  });
  return (
    <TextField
      label={label}
      type="text"
      class="numeric"
      autocomplete="off"
      placeholder="YYYY-MM-DD HH:MM"
      aria-invalid={draft.isInvalid || undefined}
      value={draft.text}
      onInput={({ currentTarget: { value: typed } }) =>
        // A text that is half deleted applies when the field is left.
        draft.type(typed, typed === '')
      }
      onBlur={draft.finish}
      onKeyDown={(event) => {
        if (event.key === 'Enter') draft.finish();
      }}
    />
  );
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

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

/** A local time as `2026-11-21 10:34`, with or without seconds. */
const LOCAL_TIME = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d)?$/;

/** ISO 8601 in UTC of a local time as people type it; '' for an empty text, undefined if it is not a time. */
export function fromLocalTime(text: string): string | undefined {
  const typed = text.trim();
  if (typed === '') return '';
  const at = new Date(LOCAL_TIME.test(typed) ? typed.replace(' ', 'T') : Number.NaN);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}
