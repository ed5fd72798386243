/** The account page: your password and what else you sign in with, your sessions and tokens. */
import { useState } from 'preact/hooks';
import { ACCOUNT_CARDS } from '../account-features.ts';
import { send } from '../lib/api.ts';
import { useUser } from '../lib/hub.ts';
import type { Linked, Session } from '../lib/types.ts';
import { useGet } from '../lib/use-load.ts';
import { ConfirmButton } from '../parts/dialog.tsx';
import { NEW_PASSWORD, Username } from '../parts/field-of.tsx';
import { FormOf } from '../parts/form-of.tsx';
import { ListCard } from '../parts/list-card.tsx';
import { endSession, SessionItem } from './session-item.tsx';
import { TokensCard } from './tokens-card.tsx';

export function AccountPage() {
  const [changes, setChanges] = useState(0);
  const ways = useGet<Linked[]>('/auth/list-accounts');
  const hasPassword = ways.data?.some(({ providerId }) => providerId === 'credential') ?? true;
  return (
    <>
      <h1>Account</h1>
      <div class="cards stack">
        {hasPassword && <PasswordCard onChanged={() => setChanges((count) => count + 1)} />}
        {ACCOUNT_CARDS.map((Card) => (
          <Card key={Card.name} ways={ways} hasPassword={hasPassword} />
        ))}
        <SessionsCard changes={changes} />
        <TokensCard />
      </div>
    </>
  );
}

/** @param onChanged called when all other sessions have ended */
function PasswordCard({ onChanged }: { onChanged: () => void }) {
  const user = useUser();
  return (
    <section class="card" aria-labelledby="password-title">
      <h2 id="password-title">Password</h2>
      <p class="muted">
        You are {user?.name}, <span class="mono">{user?.email}</span>. Changing the password signs
        you out everywhere else. API tokens keep working.
      </p>
      <div class="narrow">
        <FormOf
          fields={{
            currentPassword: {
              label: 'Current password',
              type: 'password',
              autocomplete: 'current-password',
            },
            newPassword: {
              label: 'New password',
              help: 'At least 8 characters. Several words make a good password.',
              ...NEW_PASSWORD,
            },
          }}
          action={['Change password', 'Changing …']}
          done="Password changed. All your other sessions have ended."
          onSubmit={async (passwords) => {
            // This session gets a new cookie as well, so a stolen copy of the old one is worthless.
            const change = { ...passwords, revokeOtherSessions: true };
            await send('POST', '/auth/change-password', change);
            onChanged();
          }}
        >
          <Username />
        </FormOf>
      </div>
    </section>
  );
}

/** @param changes how often the password was changed; each time ends sessions */
function SessionsCard({ changes }: { changes: number }) {
  const list = useGet<Session[]>('/sessions', changes);
  const others = list.data?.filter(({ current }) => !current) ?? [];

  const endOthers = async () => {
    try {
      for (const session of others) await endSession(session);
    } finally {
      await list.reload();
    }
  };

  return (
    <ListCard
      title="Sessions"
      help="Where you are signed in. A session ends after seven days without use, and after thirty in any case."
      list={list}
      action={
        others.length > 1 && (
          <ConfirmButton
            button="End all other sessions"
            title="End all other sessions?"
            action="End sessions"
            onConfirm={endOthers}
          >
            <p>You have to sign in again everywhere except here. API tokens keep working.</p>
          </ConfirmButton>
        )
      }
      item={(session) => <SessionItem key={session.id} session={session} list={list} />}
    />
  );
}
