/** A new account; the first of a hub may need the code that its start-up printed. */
import { useState } from 'preact/hooks';
import { ApiError, send, sentenceOf } from '../lib/api.ts';
import type { User } from '../lib/types.ts';
import { Field } from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';
import { focusOnce } from './focus-once.ts';
import { waitOf } from './wait.ts';

type Props = { needsCode: boolean; onSignedIn: (user: User) => void };
type FieldName = 'name' | 'email' | 'password' | 'setupCode';

/** Beside which field an error stands; null: below them all. */
export function fieldOf(error: unknown): FieldName | null {
  if (!(error instanceof ApiError)) return null;
  if (error.code.startsWith('PASSWORD_')) return 'password';
  if (error.code.startsWith('USER_ALREADY_EXISTS')) return 'email';
  if (error.code === 'SETUP_CODE_REQUIRED') return 'setupCode';
  if (error.code !== 'VALIDATION_ERROR' && error.code !== 'INVALID_EMAIL') return null;
  return /name/i.test(error.message) ? 'name' : 'email';
}

export function SignUpForm({ needsCode, onSignedIn }: Props) {
  const [values, setValues] = useState({ name: '', email: '', password: '', setupCode: '' });
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const at = fieldOf(error);
  const errorAt = (field: FieldName) => (at === field ? sentenceOf(error) : null);
  const input = (field: FieldName) => ({
    name: field,
    required: true,
    value: values[field],
    onInput: (event: { currentTarget: HTMLInputElement }) =>
      setValues({ ...values, [field]: event.currentTarget.value }),
  });
  const asksCode = needsCode || at === 'setupCode';

  const submit = async (event: Event) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setError(null);
    const { setupCode, ...account } = values;
    try {
      const { user } = await send<{ user: User }>('POST', '/auth/sign-up/email', {
        ...account,
        ...(setupCode ? { setupCode } : {}),
      });
      onSignedIn(user);
    } catch (reason) {
      setError(reason);
      setBusy(false);
    }
  };

  return (
    <form onSubmit={submit}>
      <Field label="Name" error={errorAt('name')}>
        {(attributes) => (
          <input {...attributes} {...input('name')} ref={focusOnce} autocomplete="name" />
        )}
      </Field>
      <Field label="E-mail" error={errorAt('email')}>
        {(attributes) => (
          <input {...attributes} {...input('email')} type="email" autocomplete="username" />
        )}
      </Field>
      <Field label="Password" error={errorAt('password')} help="At least 8 characters.">
        {(attributes) => (
          <input
            {...attributes}
            {...input('password')}
            type="password"
            minLength={8}
            maxLength={128}
            autocomplete="new-password"
          />
        )}
      </Field>
      {asksCode && (
        <Field
          label="Setup code"
          error={errorAt('setupCode')}
          help="The hub printed it at its start; it is also in the file setup-code of its data folder."
        >
          {(attributes) => (
            <input {...attributes} {...input('setupCode')} class="mono" autocomplete="off" />
          )}
        </Field>
      )}
      {error !== null && at === null && (
        <Notice kind="error">{waitOf(error) ?? sentenceOf(error)}</Notice>
      )}
      <button type="submit" class="primary wide" disabled={busy}>
        {busy ? 'Making the account …' : 'Make the account'}
      </button>
    </form>
  );
}
