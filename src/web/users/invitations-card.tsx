/** Lists, makes and withdraws invitations: links with which others create their own accounts. */
import { useState } from 'preact/hooks';
import { get, send, sentenceOf } from '../lib/api.ts';
import type { Role } from '../lib/roles.ts';
import type { Invitation, NewInvitation } from '../lib/types.ts';
import { placeError, useFields, useSubmit } from '../lib/use-form.ts';
import { type Loaded, useLoad } from '../lib/use-load.ts';
import { ShownOnce } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { InsetForm, ListCard, useOpener } from '../parts/list-card.tsx';
import { Notice } from '../parts/notice.tsx';
import { Time } from '../parts/time.tsx';
import { RoleField } from './role-field.tsx';

export function InvitationsCard() {
  const list = useLoad('invitations', (signal) => get<Invitation[]>('/invitations', signal));
  const { isOpen, opener, close } = useOpener();
  const [made, setMade] = useState<NewInvitation | null>(null);
  return (
    <ListCard
      title="Invitations"
      help="Send somebody a link with which they create their own account. It works once, for seven days, even if sign-up is closed."
      list={list}
      empty="Nobody is invited."
      action={<button {...opener}>Invite somebody</button>}
      item={(invitation) => (
        <InvitationItem key={invitation.id} invitation={invitation} list={list} />
      )}
    >
      {isOpen && (
        <InvitationForm
          onMade={(next) => {
            close();
            setMade(next);
            void list.reload();
          }}
          onClose={close}
        />
      )}
      {made && (
        <ShownOnce
          title="Your invitation"
          name="link"
          secret={made.url}
          onClose={() => setMade(null)}
        >
          Whoever opens this link first becomes <strong>{made.role}</strong>. Copy it now. It will
          not be shown again.
        </ShownOnce>
      )}
    </ListCard>
  );
}

type ItemProps = { invitation: Invitation; list: Loaded<Invitation[]> };

function InvitationItem({ invitation, list }: ItemProps) {
  const { id, email, role, invitedBy, createdAt, expiresAt } = invitation;
  const { busy, error, run } = useSubmit(async () => {
    await send('DELETE', `/invitations/${id}`);
    await list.reload();
  });
  const whom = email ?? 'anyone with the link';
  return (
    <li>
      <div>
        <strong class={email === null ? undefined : 'mono'}>{whom}</strong>{' '}
        <span class="tag">{role}</span>
        <p class="muted">
          by {invitedBy}, <Time at={createdAt} />, expires <Time at={expiresAt} />
        </p>
        {error !== null && <Notice kind="error">{sentenceOf(error)}</Notice>}
      </div>
      <button
        type="button"
        disabled={busy}
        aria-label={`Withdraw the invitation of ${whom}`}
        onClick={run}
      >
        Withdraw
      </button>
    </li>
  );
}

type FormProps = { onMade: (made: NewInvitation) => void; onClose: () => void };

function InvitationForm({ onMade, onClose }: FormProps) {
  const { values, input } = useFields({ email: '' });
  const [role, setRole] = useState<Role>('viewer');
  const { busy, error, run } = useSubmit(async () => {
    const email = values.email.trim() || null;
    onMade(await send<NewInvitation>('POST', '/invitations', { role, email }));
  });
  const { at, notice } = placeError(error, ['email'], ({ code, field }) =>
    code === 'INVALID_EMAIL' || code.startsWith('USER_ALREADY_EXISTS') ? 'email' : field,
  );
  return (
    <InsetForm
      label="New invitation"
      action={['Make the link', 'Making …']}
      busy={busy}
      notice={notice}
      onSubmit={run}
      onClose={onClose}
    >
      <RoleField role={role} onPick={setRole} />
      <TextField
        label="E-mail (optional)"
        help="If you enter one, only an account with this address can use the link."
        error={at('email')}
        {...input('email')}
        required={false}
        type="email"
        autocomplete="off"
      />
    </InsetForm>
  );
}
