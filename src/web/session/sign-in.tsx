/** What a visitor who is not signed in sees: the first account is created here, later ones sign in. */
import { useState } from 'preact/hooks';
import type { User } from '../lib/types.ts';
import { Brand } from '../parts/brand.tsx';
import { Notice } from '../parts/notice.tsx';
import { SignInForm } from './sign-in-form.tsx';
import { SignUpForm } from './sign-up-form.tsx';

type Props = {
  ended: boolean;
  /** From the link that the hub prints; may be empty. */
  setupCode: string;
  onSignedIn: (user: User) => void;
};

export function SignIn({ ended, setupCode, onSignedIn }: Props) {
  // The hub writes this into the page: the API tells strangers nothing about its accounts.
  const [door, setDoor] = useState(() => document.documentElement.dataset.door ?? 'closed');
  const isSetup = door === 'setup' || door === 'setup-code';
  const [signUp, setSignUp] = useState(isSetup);
  const title = signUp ? (isSetup ? 'Create the owner’s account' : 'Create an account') : 'Sign in';
  const arrived = (user: User) => {
    if (isSetup) {
      setDoor('closed');
      document.documentElement.dataset.door = 'closed';
    }
    onSignedIn(user);
  };

  return (
    <main class="door">
      <p class="brand">
        <Brand />
      </p>
      <div class="card">
        <h1>{title}</h1>
        {ended && <Notice kind="info">Your session has ended. Sign in to continue.</Notice>}
        {signUp && isSetup && (
          <p class="muted">This hub has no accounts yet. The first one becomes its owner.</p>
        )}
        {signUp ? (
          <SignUpForm
            needsCode={door === 'setup-code'}
            setupCode={setupCode}
            onSignedIn={arrived}
          />
        ) : (
          <SignInForm onSignedIn={arrived} />
        )}
        {(door === 'open' || isSetup) && (
          <p class="door-other">
            <button type="button" class="link" onClick={() => setSignUp(!signUp)}>
              {signUp ? 'I already have an account' : 'Create an account'}
            </button>
          </p>
        )}
      </div>
    </main>
  );
}
