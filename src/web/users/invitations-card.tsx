/** Lists, makes and withdraws invitations: links with which others create their own accounts. */
import { useState } from 'preact/hooks';
import { get, send, sentenceOf } from '../lib/api.ts';
import { ROLES } from '../lib/roles.ts';
import type { Invitation, NewInvitation } from '../lib/types.ts';
import { useSubmit } from '../lib/use-form.ts';
import { type Loaded, useLoad } from '../lib/use-load.ts';
import { ShownOnce } from '../parts/dialog.tsx';
import { ListCard } from '../parts/list-card.tsx';
import { Notice } from '../parts/notice.tsx';
import { Time } from '../parts/time.tsx';

export function InvitationsCard() {
  const list = useLoad('invitations', (signal) => get<Invitation[]>('/invitations', signal));
  const [made, setMade] = useState<NewInvitation | null>(null);
  return (
    <ListCard
      title="Invitations"
      help="Send somebody a link with which they create their own account. It works once, for seven days, even if sign-up is closed."
      list={list}
      empty="Nobody is invited."
      add={{
        button: 'Invite somebody',
        label: 'New invitation',
        action: ['Make the link', 'Making …'],
        fields: {
          role: { label: 'Role', options: ROLES },
          email: {
            label: 'Email (optional)',
            help: 'If you enter one, only an account with this address can use the link.',
            type: 'email',
            required: false,
            codes: /^INVALID_EMAIL$|^USER_ALREADY_EXISTS/,
          },
        },
        onSubmit: async ({ role, email }) => {
          const invitation = { role, email: email.trim() || null };
          setMade(await send<NewInvitation>('POST', '/invitations', invitation));
        },
      }}
      item={(invitation) => (
        <InvitationItem key={invitation.id} invitation={invitation} list={list} />
      )}
    >
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
