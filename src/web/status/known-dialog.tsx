/** The dialog that marks a problem as known. */
import { useState } from 'preact/hooks';
import { send, wordsOf } from '../lib/api.ts';
import { useHub } from '../lib/hub.ts';
import type { Problem } from '../lib/types.ts';
import { submitWith, useSubmit } from '../lib/use-form.ts';
import { Dialog, FormActions } from '../parts/dialog.tsx';
import { Field, TextField } from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';

const DAY_MS = 86_400_000;

/** Until when, in days; null: until it is over. */
const CHOICES = [
  { label: 'it is over', days: null },
  { label: 'tomorrow', days: 1 },
  { label: 'in a week', days: 7 },
  { label: 'in a month', days: 30 },
  { label: 'a day that you choose', days: 0 },
] as const;

/** The end of a choice, ISO 8601; null: until it is over. @param day `2026-12-01`, if it was chosen */
export function endOf(choice: number, day: string, now: Date): string | null {
  const { days } = CHOICES[choice] ?? CHOICES[0];
  if (days === null) return null;
  return (days > 0 ? new Date(now.getTime() + days * DAY_MS) : endOfDay(day)).toISOString();
}

/** In local time. */
const endOfDay = (day: string): Date => new Date(`${day}T23:59:59`);

type Props = { problem: Problem; path: string; onClose: () => void };

/** @param path of the mark */
export function KnownDialog({ problem: { vhost, message }, path, onClose }: Props) {
  const { refresh } = useHub();
  const [choice, setChoice] = useState(0);
  const [day, setDay] = useState('');
  const { busy, error, run } = useSubmit(async () => {
    await send('PUT', path, { until: endOf(choice, day, new Date()) });
    refresh();
    onClose();
  });
  const isDay = CHOICES[choice]?.days === 0;
  return (
    <Dialog title="Mark this problem as known" onClose={onClose}>
      <form onSubmit={submitWith(() => run())}>
        <p class="strong">{vhost ? `${vhost.domain}: ${message}` : message}</p>
        <p>It stays in the list, but is no longer counted, and no messages are sent about it.</p>
        <Field label="Until">
          {(attributes) => (
            <select
              {...attributes}
              value={String(choice)}
              onChange={(event) => setChoice(Number(event.currentTarget.value))}
            >
              {CHOICES.map(({ label }, at) => (
                <option key={label} value={String(at)}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Field>
        {isDay && (
          <TextField
            label="Last day"
            type="date"
            required
            value={day}
            onInput={(event) => setDay(event.currentTarget.value)}
          />
        )}
        {error !== null && <Notice kind="error">{wordsOf(error)}</Notice>}
        <FormActions action="Mark as known" disabled={busy} onClose={onClose} />
      </form>
    </Dialog>
  );
}
