/** What a visitor who is not signed in sees: the first account is created here, later ones sign in. */
import { useState } from 'preact/hooks';
import { send } from '../lib/api.ts';
import { placeError, submitWith, useFields, useSubmit } from '../lib/use-form.ts';
import { Field, TextField } from '../parts/field.tsx';
import { Brand } from '../parts/icon.tsx';
import { Notice } from '../parts/notice.tsx';
import { SECOND_STEPS, SIGN_IN_WAYS } from '../sign-in-features.ts';
import { focusOnce } from './focus-once.ts';
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
    </main>
  );
}

type FormProps = {
  onSignedIn: () => Promise<void>;
  /** Called when the password was right, and a second factor is missing. */
  onHalf: () => void;
};

/** Signs in with e-mail and password. */
function SignInForm({ onSignedIn, onHalf }: FormProps) {
  const { values, input } = useFields({ email: '', password: '' });
  const { busy, error, run } = useSubmit(async () => {
    const path = '/auth/sign-in/email';
    const answer = await send<{ twoFactorRedirect?: true }>('POST', path, values);
    if (answer.twoFactorRedirect) onHalf();
    else await onSignedIn();
  });
  const { at, notice } = placeError(error, ['email', 'password'], ({ code, field }) =>
    code === 'INVALID_EMAIL_OR_PASSWORD' ? 'password' : field,
  );

  return (
    <form onSubmit={submitWith(run)}>
      <Field label="E-mail" error={at('email')}>
        {(attributes) => (
          <input
            {...attributes}
            {...input('email')}
            type="email"
            ref={focusOnce}
            autocomplete="username"
          />
        )}
      </Field>
      <TextField
        label="Password"
        error={at('password') && 'Wrong e-mail address or password.'}
        help={
          at('password') && (
            <>
              Forgotten? <code>signalbox passwd EMAIL</code>, run on the hub’s machine, sets a new
              password.
            </>
          )
        }
        {...input('password')}
        type="password"
        autocomplete="current-password"
      />
      {notice && <Notice kind="error">{notice}</Notice>}
      <button type="submit" class="primary wide" disabled={busy}>
        {busy ? 'Signing in …' : 'Sign in'}
      </button>
    </form>
  );
}

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
