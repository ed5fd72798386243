/** Changes the password of the signed-in user. */
import { useState } from 'preact/hooks';
import { send } from '../lib/api.ts';
import { useUser } from '../lib/hub.ts';
import { placeError, useFields } from '../lib/use-fields.ts';
import { submitWith, useSubmit } from '../lib/use-submit.ts';
import { Notice } from '../parts/notice.tsx';
import { NewPasswordField, TextField } from '../parts/text-field.tsx';

const EMPTY = { currentPassword: '', newPassword: '' };

/** @param onChanged called when all other sessions have ended */
export function PasswordCard({ onChanged }: { onChanged: () => void }) {
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
