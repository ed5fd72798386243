/** The check of a site: how it has to answer, or a change of it is refused. */
import { useRef } from 'preact/hooks';
import { ApiError, wordsOf } from '../../lib/api.ts';
import { EVERY, type Fields, tidied, WITHIN } from '../../lib/check.ts';
import type { Check } from '../../lib/types.ts';
import { Field, TextField } from '../../parts/field.tsx';
import { RefusedNotice } from '../../parts/notice.tsx';
import { Tick } from '../../parts/tick.tsx';
import { TrialRow } from './trial.tsx';

type Props = {
  check: Check | null;
  /** Why the change was refused, if the check is at fault. */
  error: unknown;
  /** The change of the form, with that check; null while it is not complete. Without it, nothing is tried. */
  operationWith?: ((check: Check) => object) | null | undefined;
  onChange: (check: Check | null) => void;
};

export function CheckField({ check, error, operationWith, onChange }: Props) {
  // Comes back if the box is ticked again.
  const last = useRef<Check>({ path: '/' });
  if (check) last.current = check;
  return (
    <fieldset class="choices" aria-invalid={error ? true : undefined}>
      <legend>Check</legend>
      <Tick
        class="strong"
        checked={check !== null}
        onTick={(isChecked) => onChange(isChecked ? last.current : null)}
      >
        <span>
          Refuse changes that break this site{' '}
          <small class="muted">
            Each change is tried in a second Caddy first, and refused unless a path answers as
            expected. Between changes it is requested every minute; you hear if it fails twice in a
            row.
          </small>
        </span>
      </Tick>
      {error !== null && error !== undefined && <Refused error={error} />}
      {check && <Details check={check} operationWith={operationWith} onChange={onChange} />}
    </fieldset>
  );
}

const Refused = ({ error }: { error: unknown }) =>
  error instanceof ApiError && error.code === 'CHECK_FAILED' ? (
    <RefusedNotice error={error} />
  ) : (
    <p class="field-error">{wordsOf(error)}</p>
  );

/** The numbers of a check; each may be left out, and then holds as the placeholder says. */
const NUMBERS = [
  { name: 'status', label: 'Status', min: 200, max: 599, placeholder: 'any 2xx' },
  { name: 'within', label: 'Within (s)', min: 0, max: 15, step: 'any', placeholder: `${WITHIN}` },
  { name: 'every', label: 'Every (s)', min: 0, max: 3600, placeholder: `${EVERY}` },
] as const;

type DetailsProps = Pick<Props, 'operationWith' | 'onChange'> & { check: Check };

function Details({ check, operationWith, onChange }: DetailsProps) {
  const set = (change: Partial<Fields>) => onChange(tidied({ ...check, ...change }));
  return (
    <div class="check-details">
      <div class="check-fields">
        <TextField
          label="Path"
          type="text"
          class="mono"
          required
          pattern={'/[!-"$-~]*'}
          title="A path such as /health, without spaces"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          value={check.path}
          onInput={(event) => set({ path: event.currentTarget.value })}
        />
        {NUMBERS.map(({ name, label, ...input }) => (
          <Field key={name} label={label}>
            {(attributes) => (
              <input
                {...attributes}
                {...input}
                type="number"
                value={check[name] ?? ''}
                onInput={({ currentTarget: { value } }) =>
                  set({ [name]: value === '' ? undefined : Number(value) })
                }
              />
            )}
          </Field>
        ))}
      </div>
      <TextField
        label="Must contain"
        help="Optional. Text on the page that an error page would not contain"
        type="text"
        autocomplete="off"
        maxLength={1000}
        value={check.contains ?? ''}
        onInput={(event) => set({ contains: event.currentTarget.value || undefined })}
      />
      {operationWith !== undefined && (
        <TrialRow
          check={check}
          operationWith={operationWith}
          onStatus={(status) => set({ status })}
        />
      )}
    </div>
  );
}
