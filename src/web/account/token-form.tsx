/** A new token: its name, its scope, its expiry. */
import { useState } from 'preact/hooks';
import { send } from '../lib/api.ts';
import type { NewToken, Token } from '../lib/types.ts';
import { placeError, useFields } from '../lib/use-fields.ts';
import { useSubmit } from '../lib/use-submit.ts';
import { Field } from '../parts/field.tsx';
import { TextField } from '../parts/text-field.tsx';
import { EXPIRIES, expiryAt } from './describe.ts';
import { InsetForm } from './inset-form.tsx';

const SCOPES: readonly { scope: Token['scope']; label: string; help: string }[] = [
  { scope: 'read', label: 'Read only', help: 'Can see sites, logs and the changelog.' },
  {
    scope: 'write',
    label: 'Read and write',
    help: 'Can also change sites and the preamble, and import. Never accounts or tokens.',
  },
];
const DEFAULT_DAYS = 90;

type Props = { onCreated: (token: NewToken) => void; onClose: () => void };

export function TokenForm({ onCreated, onClose }: Props) {
  const { values, input } = useFields({ name: '' });
  const [scope, setScope] = useState<Token['scope']>('read');
  const [days, setDays] = useState<number | null>(DEFAULT_DAYS);
  const { busy, error, run } = useSubmit(async () => {
    const body = { ...values, scope, expiresAt: expiryAt(days, new Date()) };
    onCreated(await send<NewToken>('POST', '/tokens', body));
  });
  const { at, notice } = placeError(error, ['name']);

  return (
    <InsetForm
      label="New token"
      action={['Create token', 'Creating …']}
      busy={busy}
      notice={notice}
      onSubmit={run}
      onClose={onClose}
    >
      <TextField
        label="Token name"
        help="What the token is for. The changelog shows it next to every change made with the token."
        error={at('name')}
        {...input('name')}
        type="text"
        maxLength={100}
        autocomplete="off"
      />
      <fieldset class="choices">
        <legend>Access</legend>
        {SCOPES.map(({ scope: option, label, help }) => (
          <label key={option}>
            <input
              type="radio"
              name="scope"
              checked={scope === option}
              onChange={() => setScope(option)}
            />
            <span>
              {label} <small class="muted">{help}</small>
            </span>
          </label>
        ))}
      </fieldset>
      <Field label="Expires after">
        {(attributes) => (
          <select
            {...attributes}
            onChange={(event) => {
              const chosen = EXPIRIES.find(({ label }) => label === event.currentTarget.value);
              setDays(chosen ? chosen.days : DEFAULT_DAYS);
            }}
          >
            {EXPIRIES.map(({ label, days: option }) => (
              <option key={label} value={label} selected={option === days}>
                {label}
              </option>
            ))}
          </select>
        )}
      </Field>
    </InsetForm>
  );
}
