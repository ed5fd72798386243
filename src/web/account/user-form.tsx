/** Adds an account for someone else. */
import { send } from '../lib/api.ts';
import { placeError, useFields } from '../lib/use-fields.ts';
import { useSubmit } from '../lib/use-submit.ts';
import { NewPasswordField, TextField } from '../parts/text-field.tsx';
import { InsetForm } from './inset-form.tsx';

type Props = { onAdded: () => void; onClose: () => void };

export function UserForm({ onAdded, onClose }: Props) {
  const { values, input } = useFields({ name: '', email: '', password: '' });
  const { busy, error, run } = useSubmit(async () => {
    await send('POST', '/users', values);
    onAdded();
  });
  const { at, notice } = placeError(error, ['name', 'email', 'password']);

  return (
    <InsetForm
      label="New user"
      action={['Add this user', 'Adding …']}
      busy={busy}
      notice={notice}
      onSubmit={run}
      onClose={onClose}
    >
      <TextField
        label="Name"
        error={at('name')}
        {...input('name')}
        type="text"
        autocomplete="off"
      />
      <TextField
        label="E-mail"
        error={at('email')}
        {...input('email')}
        type="email"
        autocomplete="off"
      />
      <NewPasswordField
        label="Password"
        error={at('password')}
        help="At least 8 characters. They can change it after signing in."
        {...input('password')}
      />
    </InsetForm>
  );
}
