/** The account page: your password and what else you sign in with, your sessions and tokens. */
import { useState } from 'preact/hooks';
import { ACCOUNT_CARDS } from '../account-features.ts';
import { get, send } from '../lib/api.ts';
import { useUser } from '../lib/hub.ts';
import type { Linked, Session } from '../lib/types.ts';
import { placeError, submitWith, useFields, useSubmit } from '../lib/use-form.ts';
import { useLoad } from '../lib/use-load.ts';
import { Confirm } from '../parts/dialog.tsx';
import { NewPasswordField, TextField } from '../parts/field.tsx';
import { ListCard } from '../parts/list-card.tsx';
import { Notice } from '../parts/notice.tsx';
import { endSession, SessionItem } from './session-item.tsx';
import { TokensCard } from './tokens-card.tsx';

export function AccountPage() {
  const [changes, setChanges] = useState(0);
  const ways = useLoad('ways', (signal) => get<Linked[]>('/auth/list-accounts', signal));
  const hasPassword = ways.data?.some(({ providerId }) => providerId === 'credential') ?? true;
  return (
    <>
      <div class="page-head row">
        <h1>Account</h1>
      </div>
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

const EMPTY = { currentPassword: '', newPassword: '' };

/** @param onChanged called when all other sessions have ended */
function PasswordCard({ onChanged }: { onChanged: () => void }) {
  const user = useUser();
  const { values, set, input } = useFields(EMPTY);
  const [done, setDone] = useState(false);
  const { busy, error, run } = useSubmit(async () => {
    setDone(false);
    // This session gets a new cookie as well, so a stolen copy of the old one is worthless.
    await send('POST', '/auth/change-password', { ...values, revokeOtherSessions: true });
    set(EMPTY);
    setDone(true);
    onChanged();
  });
  const { at, notice } = placeError(error, ['currentPassword', 'newPassword']);

  return (
    <section class="card" aria-labelledby="password-title">
      <h2 id="password-title">Password</h2>
      <p class="muted">
        You are {user?.name}, <span class="mono">{user?.email}</span>. Changing the password signs
        you out everywhere else. API tokens keep working.
      </p>
      <form class="narrow" onSubmit={submitWith(run)}>
        <input type="hidden" name="username" autocomplete="username" value={user?.email ?? ''} />
        <TextField
          label="Current password"
          error={at('currentPassword')}
          {...input('currentPassword')}
          type="password"
          autocomplete="current-password"
        />
        <NewPasswordField
          label="New password"
          error={at('newPassword')}
          help="At least 8 characters. Several words make a good password."
          {...input('newPassword')}
        />
        {notice && <Notice kind="error">{notice}</Notice>}
        {done && (
          <Notice kind="success">Password changed. All your other sessions have ended.</Notice>
        )}
        <div class="actions">
          <button type="submit" class="primary" disabled={busy}>
            {busy ? 'Changing …' : 'Change password'}
          </button>
        </div>
      </form>
    </section>
  );
}

/** @param changes how often the password was changed; each time ends sessions */
function SessionsCard({ changes }: { changes: number }) {
  const list = useLoad(`sessions ${changes}`, (signal) => get<Session[]>('/sessions', signal));
  const [asking, setAsking] = useState(false);
  const others = list.data?.filter(({ current }) => !current) ?? [];

  const endOthers = async () => {
    try {
      for (const session of others) await endSession(session);
      setAsking(false);
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
          <button type="button" onClick={() => setAsking(true)}>
            End all other sessions
          </button>
        )
      }
      item={(session) => <SessionItem key={session.id} session={session} list={list} />}
    >
      {asking && (
        <Confirm
          title="End all other sessions?"
          action="End sessions"
          onConfirm={endOthers}
          onClose={() => setAsking(false)}
        >
          <p>You have to sign in again everywhere except here. API tokens keep working.</p>
        </Confirm>
      )}
    </ListCard>
  );
}
