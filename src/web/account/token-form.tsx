/** A new token: its name, what it may, how long. */
import { useState } from 'preact/hooks';
import { ApiError, send, sentenceOf } from '../lib/api.ts';
import type { NewToken, Token } from '../lib/types.ts';
import { Field } from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';
import { EXPIRIES, expiryAt } from './describe.ts';

const SCOPES: readonly { scope: Token['scope']; label: string; help: string }[] = [
  { scope: 'read', label: 'Read only', help: 'Sees sites, logs and history; changes nothing.' },
  {
    scope: 'write',
    label: 'Read and write',
    help: 'Also changes sites, preamble and imports. Accounts and tokens stay closed to it.',
  },
];
const USUAL_DAYS = 90;

type Props = { onMade: (token: NewToken) => void; onClose: () => void };

export function TokenForm({ onMade, onClose }: Props) {
  const [name, setName] = useState('');
  const [scope, setScope] = useState<Token['scope']>('read');
  const [days, setDays] = useState<number | null>(USUAL_DAYS);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const ofName = error instanceof ApiError && error.code === 'INVALID_REQUEST';

  const submit = async (event: Event) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setError(null);
    try {
      const expiresAt = expiryAt(days, new Date());
      onMade(await send<NewToken>('POST', '/tokens', { name, scope, expiresAt }));
    } catch (reason) {
      setError(reason);
      setBusy(false);
    }
  };

  return (
    <form class="inset" aria-label="New token" onSubmit={submit}>
      <Field
        label="Token name"
        help="What it is for. It stands in the changelog with each change made with it."
        error={ofName ? sentenceOf(error) : null}
      >
        {(attributes) => (
          <input
            {...attributes}
            required
            maxLength={100}
            autocomplete="off"
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        )}
      </Field>
      <fieldset class="choices">
        <legend>What it may do</legend>
        {SCOPES.map(({ scope: one, label, help }) => (
          <label key={one}>
            <input
              type="radio"
              name="scope"
              checked={scope === one}
              onChange={() => setScope(one)}
            />
            <span>
              {label} <small class="muted">{help}</small>
            </span>
          </label>
        ))}
      </fieldset>
      <Field label="Good for">
        {(attributes) => (
          <select
            {...attributes}
            onChange={(event) => {
              const chosen = EXPIRIES.find(({ label }) => label === event.currentTarget.value);
              setDays(chosen ? chosen.days : USUAL_DAYS);
            }}
          >
            {EXPIRIES.map(({ label, days: one }) => (
              <option key={label} value={label} selected={one === days}>
                {label}
              </option>
            ))}
          </select>
        )}
      </Field>
      {error !== null && !ofName && <Notice kind="error">{sentenceOf(error)}</Notice>}
      <div class="actions">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" class="primary" disabled={busy}>
          {busy ? 'Making it …' : 'Make token'}
        </button>
      </div>
    </form>
  );
}
