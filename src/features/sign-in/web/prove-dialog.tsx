/** Asks users to prove again who they are: with the password, a code of their app, or a passkey. */
import { useState } from 'preact/hooks';
import type { ProveDialog as Prove } from '../../../web/feature.ts';
import { get, send, sentenceOf } from '../../../web/lib/api.ts';
import { useUser } from '../../../web/lib/hub.ts';
import { useSubmit } from '../../../web/lib/use-form.ts';
import { useLoad } from '../../../web/lib/use-load.ts';
import { CODE, digitsOf, PASSWORD_ALONE, Username } from '../../../web/parts/field-of.tsx';
import { FormDialog, type FormState } from '../../../web/parts/form-of.tsx';
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
  const service = useSubmit(() => visitService('/auth/sign-in/social'));
  const ways = ({ busy, submit }: FormState) => (
    <>
      {user?.twoFactorEnabled && (
        <p>
          <button type="button" class="link" onClick={() => setByCode(!byCode)}>
            {byCode ? 'Use the password' : 'Use a code from your app'}
          </button>
        </p>
      )}
      {(passkeys.data?.length ?? 0) > 0 && (
        <p>
          <button type="button" class="link" disabled={busy} onClick={() => submit('passkey')}>
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
    </>
  );
  return (
    <FormDialog<string>
      title={title}
      fields={byCode ? { code: { label: 'Code from your app', ...CODE } } : PASSWORD_ALONE}
      action={['Continue']}
      onSubmit={async ({ code, password }, way) => {
        const given = code === undefined ? { password } : { code: digitsOf(code) };
        const isPasskey = way === 'passkey';
        await send('POST', '/auth/prove', isPasskey ? { passkey: await answerPasskey() } : given);
        onDone(true);
      }}
      onClose={() => onDone(false)}
      more={ways}
    >
      <p>{children}</p>
      <Username />
    </FormDialog>
  );
};
