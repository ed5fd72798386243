/** The second step of a sign-in: a code of the app, or a recovery code. */
import { useState } from 'preact/hooks';
import { send } from '../../../web/lib/api.ts';
import { placeError, submitWith, useFields, useSubmit } from '../../../web/lib/use-form.ts';
import { digitsOf, Field } from '../../../web/parts/field.tsx';
import { Notice } from '../../../web/parts/notice.tsx';
import { focusOnce } from '../../../web/sign-in/focus-once.ts';

type Props = {
  onSignedIn: () => Promise<void>;
  /** Called to begin again, with the password. */
  onBack: () => void;
};

export function SecondStep({ onSignedIn, onBack }: Props) {
  const [isLost, setLost] = useState(false);
  const { values, set, input } = useFields({ code: '' });
  const { busy, error, run, clear } = useSubmit(async () => {
    const path = `/auth/two-factor/verify-${isLost ? 'backup-code' : 'totp'}`;
    await send('POST', path, { code: digitsOf(values.code) });
    await onSignedIn();
  });
  const { at, notice } = placeError(error, ['code'], ({ code }) =>
    /^INVALID_(BACKUP_)?CODE$/.test(code) ? 'code' : null,
  );
  return (
    <form onSubmit={submitWith(run)}>
      <Field
        key={String(isLost)}
        label={isLost ? 'Recovery code' : 'Code from your app'}
        error={at('code') && (isLost ? 'Wrong code, or it was used before.' : 'Wrong code.')}
        help={
          isLost &&
          at('code') && (
            <>
              All codes lost? <code>signalbox passwd EMAIL --reset-factors</code>, run on the hub’s
              machine, turns the second factor off.
            </>
          )
        }
      >
        {(attributes) => (
          <input
            {...attributes}
            {...input('code')}
            ref={focusOnce}
            type="text"
            class="mono"
            inputMode={isLost ? 'text' : 'numeric'}
            autocomplete={isLost ? 'off' : 'one-time-code'}
            autocapitalize="off"
            spellcheck={false}
          />
        )}
      </Field>
      {notice && <Notice kind="error">{notice}</Notice>}
      <button type="submit" class="primary wide" disabled={busy}>
        {busy ? 'Signing in …' : 'Sign in'}
      </button>
      <p class="above center">
        <button
          type="button"
          class="link"
          onClick={() => {
            setLost(!isLost);
            set({ code: '' });
            clear();
          }}
        >
          {isLost ? 'Use a code from your app' : 'Use a recovery code'}
        </button>
      </p>
      <p class="above center">
        <button type="button" class="link" onClick={onBack}>
          Enter the password again
        </button>
      </p>
    </form>
  );
}
