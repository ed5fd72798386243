/** Lists, adds and removes accounts, changes their roles, and ends their sessions. */
import { useState } from 'preact/hooks';
import { SessionItem } from '../account/session-item.tsx';
import { get, send, wordsOf } from '../lib/api.ts';
import { useHub, useUser } from '../lib/hub.ts';
import type { Role } from '../lib/roles.ts';
import type { Session, User } from '../lib/types.ts';
import { placeError, useFields, useSubmit } from '../lib/use-form.ts';
import { useLoad } from '../lib/use-load.ts';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { NewPasswordField, TextField } from '../parts/field.tsx';
import { InsetForm, ListCard, useOpener } from '../parts/list-card.tsx';
import { SkeletonRows } from '../parts/loading.tsx';
import { Notice } from '../parts/notice.tsx';
import { Time } from '../parts/time.tsx';
import { RoleField, RoleOptions } from './role-field.tsx';

type Asked = { name: 'remove' | 'sessions'; user: User };

export function UsersCard() {
  const me = useUser();
  const { reloadUser } = useHub();
  const list = useLoad('users', (signal) => get<User[]>('/users', signal));
  const { isOpen, opener, close } = useOpener();
  const [asked, setAsked] = useState<Asked | null>(null);
  const owners = list.data?.filter(({ role }) => role === 'owner') ?? [];
  const stop = () => setAsked(null);
  const changed = async () => {
    stop();
    await list.reload();
  };

  return (
    <ListCard
      title="Accounts"
      help="Viewers look, but see no configuration. Editors change sites, policies and the preamble. Owners change everything."
      list={list}
      action={<button {...opener}>Add user</button>}
      item={(user) => {
        const isLast = user.role === 'owner' && owners.length === 1;
        return (
          <li key={user.id}>
            <div>
              <strong>{user.name}</strong>{' '}
              {user.id === me?.id && <span class="tag tag-good">you</span>}{' '}
              {user.twoFactorEnabled && <span class="tag">second factor</span>}
              <p class="muted">
                <span class="mono">{user.email}</span>, since <Time at={user.createdAt} />
              </p>
              {isLast && (
                <p class="muted" id={`last ${user.id}`}>
                  The last owner stays one: make somebody else an owner first.
                </p>
              )}
            </div>
            <RoleSelect
              user={user}
              isLast={isLast}
              onChanged={async () => {
                if (user.id === me?.id) await reloadUser();
                else await list.reload();
              }}
            />
            {user.id !== me?.id && (
              <button
                type="button"
                aria-label={`Sessions of ${user.email}`}
                onClick={() => setAsked({ name: 'sessions', user })}
              >
                Sessions
              </button>
            )}
            {!isLast && (
              <button
                type="button"
                aria-label={`Remove ${user.email}`}
                onClick={() => setAsked({ name: 'remove', user })}
              >
                Remove
              </button>
            )}
          </li>
        );
      }}
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
      {asked?.name === 'sessions' && <SessionsDialog user={asked.user} onClose={stop} />}
      {asked?.name === 'remove' && (
        <RemoveDialog
          user={asked.user}
          isMe={asked.user.id === me?.id}
          onRemoved={changed}
          onClose={stop}
        />
      )}
    </ListCard>
  );
}

type RoleProps = { user: User; isLast: boolean; onChanged: () => Promise<void> };

/** Gives an account another role; one’s own only after a question. */
function RoleSelect({ user, isLast, onChanged }: RoleProps) {
  const me = useUser();
  const [asking, setAsking] = useState<Role | null>(null);
  const change = async (role: Role) => {
    await send('POST', '/auth/admin/set-role', { userId: user.id, role });
    setAsking(null);
    await onChanged();
  };
  const { busy, error, run } = useSubmit(change);
  return (
    <>
      <select
        aria-label={`Role of ${user.email}`}
        aria-describedby={isLast ? `last ${user.id}` : undefined}
        disabled={isLast || busy}
        value={user.role}
        onChange={(event) => {
          const role = event.currentTarget.value as Role;
          // It shows what is stored until that has changed.
          event.currentTarget.value = user.role;
          if (user.id === me?.id) setAsking(role);
          else void run(role);
        }}
      >
        <RoleOptions />
      </select>
      {error !== null && <Notice kind="error">{wordsOf(error)}</Notice>}
      {asking && (
        <Confirm
          title="Give up your role?"
          action={`Become ${asking === 'editor' ? 'an editor' : 'a viewer'}`}
          onConfirm={() => change(asking)}
          onClose={() => setAsking(null)}
        >
          <p>Only another owner can make you an owner again.</p>
        </Confirm>
      )}
    </>
  );
}

/** Where somebody else is signed in. */
function SessionsDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const list = useLoad(`sessions of ${user.id}`, (signal) =>
    get<Session[]>(`/sessions?user=${encodeURIComponent(user.id)}`, signal),
  );
  return (
    <Dialog title={`Sessions of ${user.name}`} onClose={onClose}>
      {list.error && <Notice kind="error" title={list.error} />}
      {!list.data && !list.error && <SkeletonRows rows={2} label="Loading sessions" />}
      {list.data?.length === 0 && <p class="muted">Not signed in anywhere.</p>}
      <ul class="entries plain">
        {list.data?.map((session) => (
          <SessionItem key={session.id} session={session} list={list} />
        ))}
      </ul>
      <div class="actions">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

type RemoveProps = {
  user: User;
  isMe: boolean;
  onRemoved: () => Promise<void>;
  onClose: () => void;
};

function RemoveDialog({ user: { id, name, email }, isMe, onRemoved, onClose }: RemoveProps) {
  return (
    <Confirm
      title={isMe ? 'Remove your own account?' : 'Remove this user?'}
      action="Remove user"
      name={email}
      onConfirm={async () => {
        await send('DELETE', `/users/${id}`);
        await onRemoved();
      }}
      onClose={onClose}
    >
      <p>
        {isMe
          ? 'You will be signed out at once, and your API tokens will stop working.'
          : `${name} will be signed out at once, and their API tokens will stop working.`}{' '}
        The changelog keeps their changes and their name.
      </p>
    </Confirm>
  );
}

type Props = { onAdded: () => void; onClose: () => void };

/** Adds an account for someone else. */
function UserForm({ onAdded, onClose }: Props) {
  const { values, input } = useFields({ name: '', email: '', password: '' });
  const [role, setRole] = useState<Role>('viewer');
  const { busy, error, run } = useSubmit(async () => {
    await send('POST', '/users', { ...values, role });
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
        help="At least 8 characters. They can change it after signing in. With an invitation, they choose it themselves."
        {...input('password')}
      />
      <RoleField role={role} onPick={setRole} />
    </InsetForm>
  );
}
