/** The second step of a sign-in: a code of the app, or a recovery code. */
import { useState } from 'preact/hooks';
import { send } from '../../../web/lib/api.ts';
import { CODE, digitsOf } from '../../../web/parts/field-of.tsx';
import { FormOf } from '../../../web/parts/form-of.tsx';

type Props = {
  onSignedIn: () => Promise<void>;
  /** Called to begin again, with the password. */
  onBack: () => void;
};

const APP = { label: 'Code from your app', ...CODE, isFocused: true } as const;
const RECOVERY = {
  ...APP,
  label: 'Recovery code',
  inputMode: 'text',
  autocomplete: 'off',
  autocapitalize: 'off',
  spellcheck: false,
  wrong: 'Wrong code, or it was used before.',
  remedy: (
    <>
      All codes lost? <code>signalbox passwd EMAIL --reset-factors</code>, run on the hub’s machine,
      turns the second factor off.
    </>
  ),
} as const;

export function SecondStep({ onSignedIn, onBack }: Props) {
  const [isLost, setLost] = useState(false);
  return (
    <>
      <FormOf
        key={String(isLost)}
        fields={{ code: isLost ? RECOVERY : APP }}
        action={['Sign in', 'Signing in …']}
        onSubmit={async ({ code }) => {
          const path = `/auth/two-factor/verify-${isLost ? 'backup-code' : 'totp'}`;
          await send('POST', path, { code: digitsOf(code) });
          await onSignedIn();
        }}
      />
      <p class="above center">
        <button type="button" class="link" onClick={() => setLost(!isLost)}>
          {isLost ? 'Use a code from your app' : 'Use a recovery code'}
        </button>
      </p>
      <p class="above center">
        <button type="button" class="link" onClick={onBack}>
          Enter the password again
        </button>
      </p>
    </>
  );
}
