/** Adds an account for someone else. */
import { send } from '../lib/api.ts';
import { placeError, useFields } from '../lib/use-fields.ts';
import { submitWith, useSubmit } from '../lib/use-submit.ts';
import { Field } from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';

type Props = { onAdded: () => void; onClose: () => void };

export function UserForm({ onAdded, onClose }: Props) {
  const { values, input } = useFields({ name: '', email: '', password: '' });
  const { busy, error, run } = useSubmit(async () => {
    await send('POST', '/users', values);
    onAdded();
  });
  const { at, notice } = placeError(error, ['name', 'email', 'password']);

  return (
    <form class="inset" aria-label="New user" onSubmit={submitWith(run)}>
      <Field label="Name" error={at('name')}>
        {(attributes) => <input {...attributes} {...input('name')} autocomplete="off" />}
      </Field>
      <Field label="E-mail" error={at('email')}>
        {(attributes) => (
          <input {...attributes} {...input('email')} type="email" autocomplete="off" />
        )}
      </Field>
      <Field
        label="Password"
        error={at('password')}
        help="At least 8 characters. They can change it after signing in."
      >
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
      {notice && <Notice kind="error">{notice}</Notice>}
      <div class="actions">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" class="primary" disabled={busy}>
          {busy ? 'Adding …' : 'Add this user'}
        </button>
      </div>
    </form>
  );
}
