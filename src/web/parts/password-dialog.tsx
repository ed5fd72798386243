/** A dialog that asks for the password of whoever is signed in. */
import type { ComponentChildren } from 'preact';
import { useUser } from '../lib/hub.ts';
import { Dialog } from './dialog.tsx';
import { PASSWORD } from './field-of.tsx';
import { FormOf } from './form-of.tsx';

type Props = {
  title: string;
  action: string;
  kind?: 'primary' | 'danger';
  run: (password: string) => Promise<void>;
  onClose: () => void;
  children: ComponentChildren;
};

export function PasswordDialog({ title, action, kind, run, onClose, children }: Props) {
  return (
    <Dialog title={title} onClose={onClose}>
      <FormOf
        fields={{ password: { label: 'Password', ...PASSWORD } }}
        action={[action]}
        kind={kind}
        onSubmit={({ password }) => run(password)}
        onClose={onClose}
      >
        <p>{children}</p>
        <Username />
      </FormOf>
    </Dialog>
  );
}

/** For a password manager: whose password is asked for. */
export function Username() {
  const user = useUser();
  return <input type="hidden" autocomplete="username" value={user?.email ?? ''} />;
}
