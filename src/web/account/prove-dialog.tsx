/** Asks users to prove again who they are: with the password, a code of their app, or a passkey. */
import { useState } from 'preact/hooks';
import { get, send, sentenceOf } from '../lib/api.ts';
import { useUser } from '../lib/hub.ts';
import type { Passkey } from '../lib/types.ts';
import { placeError, submitWith, useFields, useSubmit } from '../lib/use-form.ts';
import { useLoad } from '../lib/use-load.ts';
import { Dialog, FormActions } from '../parts/dialog.tsx';
import { CodeField, digitsOf, TextField } from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';
import { answerPasskey, canUsePasskeys } from '../sign-in/passkeys.ts';
import { SERVICE, visitService } from '../sign-in/service.ts';

/** @param onDone called with whether they have */
export function ProveDialog({ onDone }: { onDone: (isProved: boolean) => void }) {
  const user = useUser();
  const passkeys = useLoad('passkeys', async (signal) =>
    canUsePasskeys() ? get<Passkey[]>('/auth/passkey/list-user-passkeys', signal) : [],
  );
  const [byCode, setByCode] = useState(false);
  const { values, input } = useFields({ password: '', code: '' });
  const { busy, error, run } = useSubmit(async (withPasskey: boolean) => {
    const { password, code } = values;
    const given = byCode ? { code: digitsOf(code) } : { password };
    await send('POST', '/auth/prove', withPasskey ? { passkey: await answerPasskey() } : given);
    onDone(true);
  });
  const { at, notice } = placeError(error, ['password', 'code'], ({ code }) =>
    code === 'INVALID_PASSWORD' ? 'password' : code === 'INVALID_CODE' ? 'code' : null,
  );
  const service = useSubmit(() => visitService('/auth/sign-in/social'));
  return (
    <Dialog title="Prove who you are" onClose={() => onDone(false)}>
      <form onSubmit={submitWith(() => run(false))}>
        <p>
          This changes who may do what, and you last proved who you are more than an hour ago. What
          you were doing continues after this.
        </p>
        <input type="hidden" name="username" autocomplete="username" value={user?.email ?? ''} />
        {byCode ? (
          <CodeField label="Code from your app" error={at('code')} {...input('code')} />
        ) : (
          <TextField
            label="Password"
            error={at('password') && 'Wrong password.'}
            {...input('password')}
            type="password"
            autocomplete="current-password"
          />
        )}
        {notice && <Notice kind="error">{notice}</Notice>}
        {user?.twoFactorEnabled && (
          <p>
            <button type="button" class="link" onClick={() => setByCode(!byCode)}>
              {byCode ? 'Use the password' : 'Use a code from your app'}
            </button>
          </p>
        )}
        {(passkeys.data?.length ?? 0) > 0 && (
          <p>
            <button type="button" class="link" disabled={busy} onClick={() => run(true)}>
              Use a passkey
            </button>
          </p>
        )}
        {SERVICE !== '' && (
          <p>
            <button type="button" class="link" disabled={service.busy} onClick={service.run}>
              Leave this page, and sign in with {SERVICE} again
            </button>
          </p>
        )}
        {service.error !== null && <Notice kind="error">{sentenceOf(service.error)}</Notice>}
        <FormActions action="Continue" disabled={busy} onClose={() => onDone(false)} />
      </form>
    </Dialog>
  );
}
