/** A dialog that asks for the password of whoever is signed in. */
import type { ComponentChildren } from 'preact';
import { useUser } from '../lib/hub.ts';
import { placeError, submitWith, useFields, useSubmit } from '../lib/use-form.ts';
import { Dialog, FormActions } from './dialog.tsx';
import { TextField } from './field.tsx';
import { Notice } from './notice.tsx';

type Props = {
  title: string;
  action: string;
  kind?: 'primary' | 'danger';
  run: (password: string) => Promise<void>;
  onClose: () => void;
  children: ComponentChildren;
};

export function PasswordDialog({ title, action, kind = 'primary', onClose, ...props }: Props) {
  const user = useUser();
  const { values, input } = useFields({ password: '' });
  const { busy, error, run } = useSubmit(() => props.run(values.password));
  const { at, notice } = placeError(error, ['password'], ({ code }) =>
    code === 'INVALID_PASSWORD' ? 'password' : null,
  );
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submitWith(run)}>
        <p>{props.children}</p>
        <input type="hidden" name="username" autocomplete="username" value={user?.email ?? ''} />
        <TextField
          label="Password"
          error={at('password') && 'Wrong password.'}
          {...input('password')}
          type="password"
          autocomplete="current-password"
        />
        {notice && <Notice kind="error">{notice}</Notice>}
        <FormActions action={action} kind={kind} disabled={busy} onClose={onClose} />
      </form>
    </Dialog>
  );
}
