/** Signs in with e-mail and password. */
import { send } from '../lib/api.ts';
import type { User } from '../lib/types.ts';
import { placeError, useFields } from '../lib/use-fields.ts';
import { submitWith, useSubmit } from '../lib/use-submit.ts';
import { Field } from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';
import { TextField } from '../parts/text-field.tsx';
import { focusOnce } from './focus-once.ts';

export function SignInForm({ onSignedIn }: { onSignedIn: (user: User) => void }) {
  const { values, input } = useFields({ email: '', password: '' });
  const { busy, error, run } = useSubmit(async () => {
    onSignedIn((await send<{ user: User }>('POST', '/auth/sign-in/email', values)).user);
  });
  const { at, notice } = placeError(error, ['email', 'password'], ({ code, field }) =>
    code === 'INVALID_EMAIL_OR_PASSWORD' ? 'password' : field,
  );

  return (
    <form onSubmit={submitWith(run)}>
      <Field label="E-mail" error={at('email')}>
        {(attributes) => (
          <input
            {...attributes}
            {...input('email')}
            type="email"
            ref={focusOnce}
            autocomplete="username"
          />
        )}
      </Field>
      <TextField
        label="Password"
        error={at('password') && 'Wrong e-mail address or password.'}
        {...input('password')}
        type="password"
        autocomplete="current-password"
      />
      {notice && <Notice kind="error">{notice}</Notice>}
      <button type="submit" class="primary wide" disabled={busy}>
        {busy ? 'Signing in …' : 'Sign in'}
      </button>
    </form>
  );
}
