/** Creates an account; the hub's first one may need the setup code. */
import { ApiError, send } from '../lib/api.ts';
import type { User } from '../lib/types.ts';
import { placeError, useFields } from '../lib/use-fields.ts';
import { submitWith, useSubmit } from '../lib/use-submit.ts';
import { Field } from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';
import { NewPasswordField, TextField } from '../parts/text-field.tsx';
import { focusOnce } from './focus-once.ts';

type Props = { needsCode: boolean; setupCode: string; onSignedIn: (user: User) => void };

export function SignUpForm({ needsCode, setupCode: given, onSignedIn }: Props) {
  const { values, input } = useFields({ name: '', email: '', password: '', setupCode: given });
  const { busy, error, run } = useSubmit(async () => {
    const { setupCode, ...account } = values;
    const body = setupCode ? values : account;
    onSignedIn((await send<{ user: User }>('POST', '/auth/sign-up/email', body)).user);
  });
  const { at, notice } = placeError(error, ['name', 'email', 'password', 'setupCode']);
  const asksCode = needsCode || (error instanceof ApiError && error.field === 'setupCode');

  return (
    <form onSubmit={submitWith(run)}>
      <Field label="Name" error={at('name')}>
        {(attributes) => (
          <input {...attributes} {...input('name')} ref={focusOnce} autocomplete="name" />
        )}
      </Field>
      <TextField
        label="E-mail"
        error={at('email')}
        {...input('email')}
        type="email"
        autocomplete="username"
      />
      <NewPasswordField
        label="Password"
        error={at('password')}
        help="At least 8 characters."
        {...input('password')}
      />
      {asksCode && (
        <TextField
          label="Setup code"
          error={at('setupCode')}
          help="The hub printed it when it started. It is also in the file setup-code in the hub’s data folder."
          {...input('setupCode')}
          type="text"
          class="mono"
          autocomplete="off"
        />
      )}
      {notice && <Notice kind="error">{notice}</Notice>}
      <button type="submit" class="primary wide" disabled={busy}>
        {busy ? 'Creating the account …' : 'Create account'}
      </button>
    </form>
  );
}
