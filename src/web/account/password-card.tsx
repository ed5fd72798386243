/** Another password for one's own account. */
import { useState } from 'preact/hooks';
import { ApiError, send, sentenceOf } from '../lib/api.ts';
import { useUser } from '../lib/hub.ts';
import { Field } from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';
import { waitOf } from '../session/wait.ts';

const EMPTY = { currentPassword: '', newPassword: '' };
type FieldName = keyof typeof EMPTY;

/** Beside which field an error stands; null: below them. */
function fieldOf(error: unknown): FieldName | null {
  if (!(error instanceof ApiError)) return null;
  if (error.code === 'INVALID_PASSWORD') return 'currentPassword';
  return error.code.startsWith('PASSWORD_') ? 'newPassword' : null;
}

/** @param onChanged all other sessions have ended */
export function PasswordCard({ onChanged }: { onChanged: () => void }) {
  const user = useUser();
  const [values, setValues] = useState(EMPTY);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [done, setDone] = useState(false);
  const at = fieldOf(error);
  const errorAt = (field: FieldName) => (at === field ? sentenceOf(error) : null);
  const input = (field: FieldName) => ({
    name: field,
    type: 'password' as const,
    required: true,
    value: values[field],
    onInput: (event: { currentTarget: HTMLInputElement }) =>
      setValues({ ...values, [field]: event.currentTarget.value }),
  });

  const submit = async (event: Event) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setError(null);
    setDone(false);
    try {
      // This session is replaced as well: who has a copy of its cookie is out.
      await send('POST', '/auth/change-password', { ...values, revokeOtherSessions: true });
      setValues(EMPTY);
      setDone(true);
      onChanged();
    } catch (reason) {
      setError(reason);
    }
    setBusy(false);
  };

  return (
    <section class="card" aria-labelledby="password-title">
      <h2 id="password-title">Password</h2>
      <p class="muted">
        You are {user?.name}, <span class="mono">{user?.email}</span>. A new password signs out
        everywhere else; API tokens stay good.
      </p>
      <form class="narrow" onSubmit={submit}>
        <input type="hidden" name="username" autocomplete="username" value={user?.email ?? ''} />
        <Field label="Current password" error={errorAt('currentPassword')}>
          {(attributes) => (
            <input {...attributes} {...input('currentPassword')} autocomplete="current-password" />
          )}
        </Field>
        <Field
          label="New password"
          error={errorAt('newPassword')}
          help="At least 8 characters; several words are good."
        >
          {(attributes) => (
            <input
              {...attributes}
              {...input('newPassword')}
              minLength={8}
              maxLength={128}
              autocomplete="new-password"
            />
          )}
        </Field>
        {error !== null && at === null && (
          <Notice kind="error">{waitOf(error) ?? sentenceOf(error)}</Notice>
        )}
        {done && (
          <Notice kind="success">The password was changed. All other sessions have ended.</Notice>
        )}
        <div class="actions">
          <button type="submit" class="primary" disabled={busy}>
            {busy ? 'Changing …' : 'Change password'}
          </button>
        </div>
      </form>
    </section>
  );
}
