/** Lists, adds and removes accounts. */
import { useState } from 'preact/hooks';
import { get, send } from '../lib/api.ts';
import { useUser } from '../lib/hub.ts';
import type { User } from '../lib/types.ts';
import { placeError, useFields, useSubmit } from '../lib/use-form.ts';
import { useLoad } from '../lib/use-load.ts';
import { Confirm } from '../parts/dialog.tsx';
import { NewPasswordField, TextField } from '../parts/field.tsx';
import { InsetForm, ListCard, useOpener } from '../parts/list-card.tsx';
import { Time } from '../parts/time.tsx';

export function UsersCard() {
  const me = useUser();
  const list = useLoad('users', (signal) => get<User[]>('/users', signal));
  const { isOpen, opener, close } = useOpener();
  const [removing, setRemoving] = useState<User | null>(null);
  const isLast = list.data?.length === 1;

  const remove = async () => {
    await send('DELETE', `/users/${removing?.id}`);
    setRemoving(null);
    await list.reload();
  };

  return (
    <ListCard
      title="Users"
      help={
        isLast
          ? 'Everyone with an account can change everything. The last account cannot be removed.'
          : 'Everyone with an account can change everything.'
      }
      list={list}
      action={<button {...opener}>Add user</button>}
      item={(user) => (
        <li key={user.id}>
          <div>
            <strong>{user.name}</strong>{' '}
            {user.id === me?.id && <span class="tag tag-good">you</span>}
            <p class="muted">
              <span class="mono">{user.email}</span>, since <Time at={user.createdAt} />
            </p>
          </div>
          {!isLast && (
            <button
              type="button"
              aria-label={`Remove ${user.email}`}
              onClick={() => setRemoving(user)}
            >
              Remove
            </button>
          )}
        </li>
      )}
    >
      {isOpen && (
        <UserForm
          onAdded={() => {
            close();
            void list.reload();
          }}
          onClose={close}
        />
      )}
      {removing && (
        <Confirm
          title={removing.id === me?.id ? 'Remove your own account?' : 'Remove this user?'}
          action="Remove user"
          name={removing.email}
          onConfirm={remove}
          onClose={() => setRemoving(null)}
        >
          <p>
            {removing.id === me?.id
              ? 'You will be signed out at once, and your API tokens will stop working.'
              : `${removing.name} will be signed out at once, and their API tokens will stop working.`}{' '}
            The changelog keeps their changes and their name.
          </p>
        </Confirm>
      )}
    </ListCard>
  );
}

type Props = { onAdded: () => void; onClose: () => void };

/** Adds an account for someone else. */
function UserForm({ onAdded, onClose }: Props) {
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
