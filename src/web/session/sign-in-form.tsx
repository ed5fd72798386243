/** E-mail and password. */
import { useState } from 'preact/hooks';
import { ApiError, send, sentenceOf } from '../lib/api.ts';
import type { User } from '../lib/types.ts';
import { Field } from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';
import { focusOnce } from './focus-once.ts';
import { waitOf } from './wait.ts';

export function SignInForm({ onSignedIn }: { onSignedIn: (user: User) => void }) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const code = error instanceof ApiError ? error.code : null;

  const submit = async (event: Event) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setError(null);
    try {
      const { user } = await send<{ user: User }>('POST', '/auth/sign-in/email', {
        email,
        password,
      });
      onSignedIn(user);
    } catch (reason) {
      setError(reason);
      setBusy(false);
    }
  };

  return (
    <form onSubmit={submit}>
      <Field
        label="E-mail"
        error={code === 'INVALID_EMAIL' ? 'This is not an e-mail address.' : null}
      >
        {(attributes) => (
          <input
            {...attributes}
            type="email"
            ref={focusOnce}
            name="email"
            autocomplete="username"
            required
            value={email}
            onInput={(event) => setEmail(event.currentTarget.value)}
          />
        )}
      </Field>
      <Field
        label="Password"
        error={
          code === 'INVALID_EMAIL_OR_PASSWORD' ? 'E-mail address or password are wrong.' : null
        }
      >
        {(attributes) => (
          <input
            {...attributes}
            type="password"
            name="password"
            autocomplete="current-password"
            required
            value={password}
            onInput={(event) => setPassword(event.currentTarget.value)}
          />
        )}
      </Field>
      {error !== null && code !== 'INVALID_EMAIL' && code !== 'INVALID_EMAIL_OR_PASSWORD' && (
        <Notice kind="error">{waitOf(error) ?? sentenceOf(error)}</Notice>
      )}
      <button type="submit" class="primary wide" disabled={busy}>
        {busy ? 'Signing in …' : 'Sign in'}
      </button>
    </form>
  );
}
