/** The check of a site: how it has to answer, or a change of it is refused. */
import { useRef } from 'preact/hooks';
import { ApiError, wordsOf } from '../../lib/api.ts';
import { EVERY, type Fields, tidied, WITHIN } from '../../lib/check.ts';
import type { Check } from '../../lib/types.ts';
import { Field, type FieldProps, TextField } from '../../parts/field.tsx';
import { RefusedNotice } from '../../parts/notice.tsx';
import { Tick } from '../../parts/tick.tsx';
import { SuggestCheck } from './suggest-check.tsx';
import { TrialRow } from './trial.tsx';

type Props = {
  check: Check | null;
  /** Why the change was refused, if the check is at fault. */
  error: unknown;
  /** The change of the form, with that check; null while it is not complete. Without it, nothing is tried. */
  operationWith?: ((check: Check | null) => object) | null | undefined;
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
      {check ? (
        <Details check={check} operationWith={operationWith} onChange={onChange} />
      ) : (
        <SuggestCheck operation={operationWith?.(null) ?? null} onAccept={onChange} />
      )}
    </fieldset>
  );
}

const Refused = ({ error }: { error: unknown }) =>
  error instanceof ApiError && error.code === 'CHECK_FAILED' ? (
    <RefusedNotice error={error} />
  ) : (
    <p class="field-error">{wordsOf(error)}</p>
  );

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
        <NumberField
          label="Status"
          min={200}
          max={599}
          placeholder="any 2xx"
          value={check.status}
          onChange={(status) => set({ status })}
        />
        <NumberField
          label="Within (s)"
          min={0}
          max={15}
          step="any"
          placeholder={String(WITHIN)}
          value={check.within}
          onChange={(within) => set({ within })}
        />
        <NumberField
          label="Every (s)"
          min={0}
          max={3600}
          placeholder={String(EVERY)}
          value={check.every}
          onChange={(every) => set({ every })}
        />
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

type NumberFieldProps = Omit<FieldProps, 'children'> & {
  value: number | undefined;
  min: number;
  max: number;
  /** `any` lets it have decimals. */
  step?: 'any';
  /** What holds if it is left out. */
  placeholder: string;
  onChange: (value: number | undefined) => void;
};

/** A labelled input for a number that may be left out. */
const NumberField = ({ label, help, error, value, onChange, ...input }: NumberFieldProps) => (
  <Field label={label} help={help} error={error}>
    {(attributes) => (
      <input
        {...attributes}
        {...input}
        type="number"
        value={value ?? ''}
        onInput={({ currentTarget: { value: typed } }) =>
          onChange(typed === '' ? undefined : Number(typed))
        }
      />
    )}
  </Field>
);
