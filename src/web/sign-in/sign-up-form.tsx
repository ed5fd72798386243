/** Creates an account: the hub's first one, one on an open hub, or that of somebody who was invited. */
import { ApiError, send } from '../lib/api.ts';
import { placeError, submitWith, useFields, useSubmit } from '../lib/use-form.ts';
import { Field, NewPasswordField, TextField } from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';
import { focusOnce } from './focus-once.ts';

type Props = {
  /** The hub's first account may need the setup code. */
  needsCode: boolean;
  setupCode: string;
  /** The token of an invitation; may be empty. */
  invitation: string;
  onSignedIn: () => Promise<void>;
};

export function SignUpForm({ needsCode, setupCode: given, invitation, onSignedIn }: Props) {
  const { values, input } = useFields({ name: '', email: '', password: '', setupCode: given });
  const { busy, error, run } = useSubmit(async () => {
    const { setupCode, ...account } = values;
    const more = { ...(setupCode && { setupCode }), ...(invitation && { invitation }) };
    await send('POST', '/auth/sign-up/email', { ...account, ...more });
    await onSignedIn();
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
