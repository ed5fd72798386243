/** Lists, makes and withdraws invitations: links with which others create their own accounts. */
import { useState } from 'preact/hooks';
import { send } from '../lib/api.ts';
import { ROLES } from '../lib/roles.ts';
import type { Invitation, NewInvitation } from '../lib/types.ts';
import { useGet } from '../lib/use-load.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { ShownOnce } from '../parts/dialog.tsx';
import { ListCard } from '../parts/list-card.tsx';
import { Time } from '../parts/time.tsx';

export function InvitationsCard() {
  const list = useGet<Invitation[]>('/invitations');
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
      item={({ id, email, role, invitedBy, createdAt, expiresAt }) => {
        const whom = email ?? 'anyone with the link';
        return (
          <li key={id}>
            <div>
              <strong class={email === null ? undefined : 'mono'}>{whom}</strong>{' '}
              <span class="tag">{role}</span>
              <p class="muted">
                by {invitedBy}, <Time at={createdAt} />, expires <Time at={expiresAt} />
              </p>
            </div>
            <ActionButton
              label={`Withdraw the invitation of ${whom}`}
              act={async () => {
                await send('DELETE', `/invitations/${id}`);
                await list.reload();
              }}
            >
              Withdraw
            </ActionButton>
          </li>
        );
      }}
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
