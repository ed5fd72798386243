/** Lists, adds and removes accounts, changes their roles, and ends their sessions. */
import { useState } from 'preact/hooks';
import { SessionItem } from '../account/session-item.tsx';
import { send, wordsOf } from '../lib/api.ts';
import { useHub, useUser } from '../lib/hub.ts';
import { ROLES, type Role } from '../lib/roles.ts';
import type { Session, User } from '../lib/types.ts';
import { useSubmit } from '../lib/use-form.ts';
import { useGet } from '../lib/use-load.ts';
import { Confirm, ConfirmButton, Dialog, DialogButton } from '../parts/dialog.tsx';
import { NEW_PASSWORD } from '../parts/field-of.tsx';
import { ListCard } from '../parts/list-card.tsx';
import { SkeletonRows } from '../parts/loading.tsx';
import { Notice } from '../parts/notice.tsx';
import { Time } from '../parts/time.tsx';

export function UsersCard() {
  const me = useUser();
  const { reloadUser } = useHub();
  const list = useGet<User[]>('/users');
  const owners = list.data?.filter(({ role }) => role === 'owner') ?? [];

  return (
    <ListCard
      title="Accounts"
      help="Viewers look, but see no configuration. Editors change sites, policies and the Caddy options. Owners change everything."
      list={list}
      add={{
        button: 'Add user',
        label: 'New user',
        action: ['Add this user', 'Adding …'],
        fields: {
          name: { label: 'Name' },
          email: { label: 'Email', type: 'email' },
          password: {
            label: 'Password',
            help: 'At least 8 characters. They can change it after signing in. With an invitation, they choose it themselves.',
            ...NEW_PASSWORD,
          },
          role: { label: 'Role', options: ROLES },
        },
        onSubmit: (user) => send('POST', '/users', user),
      }}
      item={(user) => {
        const { id, name, email } = user;
        const isMe = id === me?.id;
        const isLast = user.role === 'owner' && owners.length === 1;
        return (
          <li key={id}>
            <div>
              <strong>{name}</strong> {isMe && <span class="tag tag-good">you</span>}{' '}
              {user.twoFactorEnabled && <span class="tag">second factor</span>}
              <p class="muted">
                <span class="mono">{email}</span>, since <Time at={user.createdAt} />
              </p>
              {isLast && (
                <p class="muted" id={`last ${id}`}>
                  The last owner stays one: make somebody else an owner first.
                </p>
              )}
            </div>
            <RoleSelect
              user={user}
              isLast={isLast}
              onChanged={async () => {
                if (isMe) await reloadUser();
                else await list.reload();
              }}
            />
            {!isMe && (
              <DialogButton button="Sessions" label={`Sessions of ${email}`}>
                {(close) => <SessionsDialog user={user} onClose={close} />}
              </DialogButton>
            )}
            {!isLast && (
              <ConfirmButton
                button="Remove"
                label={`Remove ${email}`}
                title={isMe ? 'Remove your own account?' : 'Remove this user?'}
                action="Remove user"
                name={email}
                onConfirm={async () => {
                  await send('DELETE', `/users/${id}`);
                  await list.reload();
                }}
              >
                <p>
                  {isMe
                    ? 'You will be signed out at once, and your API tokens will stop working.'
                    : `${name} will be signed out at once, and their API tokens will stop working.`}{' '}
                  The changelog keeps their changes and their name.
                </p>
              </ConfirmButton>
            )}
          </li>
        );
      }}
    />
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
        {ROLES.map(({ value }) => (
          <option key={value}>{value}</option>
        ))}
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

function SessionsDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const list = useGet<Session[]>(`/sessions?user=${encodeURIComponent(user.id)}`);
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
