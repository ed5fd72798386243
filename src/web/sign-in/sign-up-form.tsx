/** Creates an account: the hub's first one, one on an open hub, or that of somebody who was invited. */
import { useState } from 'preact/hooks';
import { ApiError, send } from '../lib/api.ts';
import { type FieldSpec, NEW_PASSWORD } from '../parts/field-of.tsx';
import { FormOf } from '../parts/form-of.tsx';

type Props = {
  /** The hub's first account may need the setup code. */
  needsCode: boolean;
  setupCode: string;
  /** The token of an invitation; may be empty. */
  invitation: string;
  onSignedIn: () => Promise<void>;
};

const ACCOUNT = {
  name: { label: 'Name', autocomplete: 'name', isFocused: true },
  email: { label: 'Email', type: 'email', autocomplete: 'username' },
  password: { label: 'Password', help: 'At least 8 characters.', ...NEW_PASSWORD },
} as const;

export function SignUpForm({ needsCode, setupCode: given, invitation, onSignedIn }: Props) {
  const [asksCode, setAsksCode] = useState(needsCode);
  const code: FieldSpec = {
    label: 'Setup code',
    help: 'The hub printed it when it started. It is also in the file setup-code in the hub’s data folder.',
    class: 'mono',
    value: given,
  };
  return (
    <FormOf<string>
      fields={asksCode ? { ...ACCOUNT, setupCode: code } : ACCOUNT}
      action={['Create account', 'Creating the account …']}
      onSubmit={async ({ setupCode = given, ...account }) => {
        const more = { ...(setupCode && { setupCode }), ...(invitation && { invitation }) };
        await send('POST', '/auth/sign-up/email', { ...account, ...more }).catch((reason) => {
          if (reason instanceof ApiError && reason.field === 'setupCode') setAsksCode(true);
          throw reason;
        });
        await onSignedIn();
      }}
    />
  );
}
