/** The hours in which a channel gets nothing, in a time zone. */
import { useRef } from 'preact/hooks';
import { Field } from '../../../web/parts/field.tsx';
import type { ChannelView } from '../schema.ts';

type Quiet = NonNullable<ChannelView['quiet']>;
type Props = {
  quiet: Quiet | null;
  error: string | null;
  onChange: (quiet: Quiet | null) => void;
};

const here = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

export function QuietField({ quiet, error, onChange }: Props) {
  // Comes back if the box is ticked again.
  const last = useRef<Quiet>({ from: '22:00', to: '07:00', timeZone: here() });
  if (quiet) last.current = quiet;
  const time = (field: 'from' | 'to', label: string, { [field]: value }: Quiet) => (
    <Field label={label}>
      {(attributes) => (
        <input
          {...attributes}
          type="time"
          required
          value={value}
          onInput={(event) => onChange({ ...last.current, [field]: event.currentTarget.value })}
        />
      )}
    </Field>
  );
  return (
    <fieldset class="choices" aria-invalid={error ? true : undefined}>
      <legend>Quiet hours</legend>
      {error && <p class="field-error">{error}</p>}
      <label class="strong">
        <input
          type="checkbox"
          checked={quiet !== null}
          onChange={() => onChange(quiet ? null : last.current)}
        />
        <span>
          Hold messages back at night{' '}
          <small class="muted">Messages are held and arrive as one in the morning.</small>
        </span>
      </label>
      {quiet && (
        <div class="columns">
          {time('from', 'From', quiet)}
          {time('to', 'To', quiet)}
          <Field label="Time zone">
            {(attributes) => (
              <select
                {...attributes}
                value={quiet.timeZone}
                onChange={(event) => onChange({ ...quiet, timeZone: event.currentTarget.value })}
              >
                {[...new Set([quiet.timeZone, here(), ...Intl.supportedValuesOf('timeZone')])].map(
                  (zone) => (
                    <option key={zone}>{zone}</option>
                  ),
                )}
              </select>
            )}
          </Field>
        </div>
      )}
    </fieldset>
  );
}
