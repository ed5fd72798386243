/** The dialog that marks a problem as known. */
import { useState } from 'preact/hooks';
import { send } from '../lib/api.ts';
import { useHub } from '../lib/hub.ts';
import type { Problem } from '../lib/types.ts';
import type { FieldSpec } from '../parts/field-of.tsx';
import { FormDialog } from '../parts/form-of.tsx';

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

/** As dates are written everywhere else. */
const DAY: FieldSpec = {
  label: 'Last day',
  placeholder: 'YYYY-MM-DD',
  pattern: '\\d{4}-\\d\\d-\\d\\d',
  title: 'A day such as 2026-12-31',
};

type Props = { problem: Problem; path: string; onClose: () => void };

/** @param path of the mark */
export function KnownDialog({ problem: { vhost, message }, path, onClose }: Props) {
  const { refresh } = useHub();
  const [isDay, setIsDay] = useState(false);
  const until: FieldSpec = {
    label: 'Until',
    options: CHOICES.map(({ label }, at) => ({ value: String(at), label })),
    onText: (choice) => setIsDay(CHOICES[Number(choice)]?.days === 0),
  };
  return (
    <FormDialog<string>
      title="Mark this problem as known"
      fields={isDay ? { until, day: DAY } : { until }}
      action={['Mark as known']}
      onSubmit={async ({ until: choice, day = '' }) => {
        await send('PUT', path, { until: endOf(Number(choice), day, new Date()) });
        refresh();
        onClose();
      }}
      onClose={onClose}
    >
      <p class="strong">{vhost ? `${vhost.domain}: ${message}` : message}</p>
      <p>It stays in the list, but is no longer counted, and no messages are sent about it.</p>
    </FormDialog>
  );
}
