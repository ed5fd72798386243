/** What a visitor who is not signed in sees: the first account is created here, later ones sign in. */
import { useState } from 'preact/hooks';
import { send } from '../lib/api.ts';
import { Railway } from '../parts/empty.tsx';
import { PASSWORD } from '../parts/field-of.tsx';
import { FormOf } from '../parts/form-of.tsx';
import { Brand } from '../parts/icon.tsx';
import { Notice } from '../parts/notice.tsx';
import { SECOND_STEPS, SIGN_IN_WAYS } from '../sign-in-features.ts';
import { SignUpForm } from './sign-up-form.tsx';

const [SecondStep] = SECOND_STEPS;

type Props = {
  ended: boolean;
  given: Given;
  /** Called when there is a session. */
  onSignedIn: () => Promise<void>;
};

export function SignIn({ ended, given: { setup, invitation }, onSignedIn }: Props) {
  // The hub writes this into the page: the API tells strangers nothing about its accounts.
  const page = document.documentElement.dataset;
  const [door] = useState(page.door ?? 'closed');
  const isSetup = door === 'setup' || door === 'setup-code';
  const [signUp, setSignUp] = useState(isSetup || invitation !== '');
  const [returns] = useState(() => SIGN_IN_WAYS.map((way) => way.takeReturn()));
  const [isHalf, setHalf] = useState(returns.some((one) => one.isHalf));
  const title = signUp ? (isSetup ? 'Create the owner’s account' : 'Create an account') : 'Sign in';
  const arrived = async () => {
    await onSignedIn();
    if (isSetup) page.door = 'closed';
  };

  const areUsual = SIGN_IN_WAYS.some(({ isUsual }) => isUsual());
  const others =
    !isHalf &&
    !isSetup &&
    SIGN_IN_WAYS.map(({ Buttons }) => (
      <Buttons key={Buttons.name} signUp={signUp} invitation={invitation} onSignedIn={arrived} />
    ));

  return (
    <main class="door">
      <p class="brand line">
        <Brand />
      </p>
      <div class="card">
        <h1>{title}</h1>
        {ended && <Notice kind="info">Your session has ended. Sign in to continue.</Notice>}
        {signUp && isSetup && (
          <p class="muted">This hub has no accounts yet. The first one becomes its owner.</p>
        )}
        {signUp && invitation !== '' && (
          <p class="muted">You are invited to this hub. The invitation works once.</p>
        )}
        {returns.map(({ notice }) => notice)}
        {areUsual && others}
        {isHalf && SecondStep && <SecondStep onSignedIn={arrived} onBack={() => setHalf(false)} />}
        {!isHalf && signUp && (
          <SignUpForm
            needsCode={door === 'setup-code'}
            setupCode={setup}
            invitation={invitation}
            onSignedIn={arrived}
          />
        )}
        {!isHalf && !signUp && <SignInForm onSignedIn={arrived} onHalf={() => setHalf(true)} />}
        {!areUsual && others}
        {!isHalf && (door === 'open' || isSetup || invitation !== '') && (
          <p class="above center">
            <button type="button" class="link" onClick={() => setSignUp(!signUp)}>
              {signUp ? 'I already have an account' : 'Create an account'}
            </button>
          </p>
        )}
      </div>
      <Railway />
    </main>
  );
}

type FormProps = {
  onSignedIn: () => Promise<void>;
  /** Called when the password was right, and a second factor is missing. */
  onHalf: () => void;
};

const SignInForm = ({ onSignedIn, onHalf }: FormProps) => (
  <FormOf
    fields={{
      email: { label: 'Email', type: 'email', autocomplete: 'username', isFocused: true },
      password: {
        label: 'Password',
        ...PASSWORD,
        codes: /^INVALID_EMAIL_OR_PASSWORD$/,
        wrong: 'Wrong email address or password.',
        remedy: (
          <>
            Forgotten? <code>signalbox passwd EMAIL</code>, run on the hub’s machine, sets a new
            password.
          </>
        ),
      },
    }}
    action={['Sign in', 'Signing in …']}
    onSubmit={async (values) => {
      const path = '/auth/sign-in/email';
      const answer = await send<{ twoFactorRedirect?: true }>('POST', path, values);
      if (answer.twoFactorRedirect) onHalf();
      else await onSignedIn();
    }}
  />
);

/** From a link of the hub or of an owner; may be empty. */
type Given = { setup: string; invitation: string };

/**
 * What is in `#setup=…` or `#invitation=…`, which never reaches the hub or a proxy's log. Removes it
 * from the address bar and so from the history.
 */
export function takeGiven(): Given {
  const hash = new URLSearchParams(location.hash.slice(1));
  const given = { setup: hash.get('setup') ?? '', invitation: hash.get('invitation') ?? '' };
  if (given.setup !== '' || given.invitation !== '') {
    history.replaceState(history.state, '', location.pathname + location.search);
  }
  return given;
}
