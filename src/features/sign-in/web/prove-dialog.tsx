/** Asks users to prove again who they are: with the password, a code of their app, or a passkey. */
import { useState } from 'preact/hooks';
import type { ProveDialog as Prove } from '../../../web/feature.ts';
import { get, send, sentenceOf } from '../../../web/lib/api.ts';
import { useUser } from '../../../web/lib/hub.ts';
import { placeError, submitWith, useFields, useSubmit } from '../../../web/lib/use-form.ts';
import { useLoad } from '../../../web/lib/use-load.ts';
import { Dialog, FormActions } from '../../../web/parts/dialog.tsx';
import { CodeField, digitsOf, TextField } from '../../../web/parts/field.tsx';
import { Notice } from '../../../web/parts/notice.tsx';
import type { PasskeyView } from '../passkeys/views.ts';
import { answerPasskey, canUsePasskeys } from './passkeys.ts';
import { SERVICE, visitService } from './service.ts';

export const ProveDialog: Prove = ({ title, onDone, children }) => {
  const user = useUser();
  const passkeys = useLoad('passkeys', async (signal) =>
    canUsePasskeys() ? get<PasskeyView[]>('/auth/passkey/list-user-passkeys', signal) : [],
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
    <Dialog title={title} onClose={() => onDone(false)}>
      <form onSubmit={submitWith(() => run(false))}>
        <p>{children}</p>
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
};
