/** What a visitor who is not signed in sees: the first account is created here, later ones sign in. */
import { useState } from 'preact/hooks';
import { send, sentenceOf } from '../lib/api.ts';
import { placeError, submitWith, useFields, useSubmit } from '../lib/use-form.ts';
import { Field, TextField } from '../parts/field.tsx';
import { Brand } from '../parts/icon.tsx';
import { lazy } from '../parts/loading.tsx';
import { Notice } from '../parts/notice.tsx';
import { focusOnce } from './focus-once.ts';
import { canUsePasskeys, hasUsedPasskey, signInWithPasskey } from './passkeys.ts';
import { SERVICE, takeReturn, visitService } from './service.ts';
import { SignUpForm } from './sign-up-form.tsx';

const ServiceProblem = lazy(async () => (await import('./service-problem.tsx')).ServiceProblem);
const SecondStep = lazy(async () => (await import('./second-step.tsx')).SecondStep);

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
  const [returned] = useState(takeReturn);
  const [isHalf, setHalf] = useState(returned.isHalf);
  const title = signUp ? (isSetup ? 'Create the owner’s account' : 'Create an account') : 'Sign in';
  const arrived = async () => {
    await onSignedIn();
    if (isSetup) page.door = 'closed';
  };

  const usesPasskeys = hasUsedPasskey();
  const others = !isHalf && !isSetup && (
    <OtherWays signUp={signUp} invitation={invitation} onSignedIn={arrived} />
  );

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
        {returned.problem && <ServiceProblem code={returned.problem} />}
        {usesPasskeys && others}
        {isHalf && <SecondStep onSignedIn={arrived} onBack={() => setHalf(false)} />}
        {!isHalf && signUp && (
          <SignUpForm
            needsCode={door === 'setup-code'}
            setupCode={setup}
            invitation={invitation}
            onSignedIn={arrived}
          />
        )}
        {!isHalf && !signUp && <SignInForm onSignedIn={arrived} onHalf={() => setHalf(true)} />}
        {!usesPasskeys && others}
        {!isHalf && (door === 'open' || isSetup || invitation !== '') && (
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

type OtherProps = { signUp: boolean; invitation: string; onSignedIn: () => Promise<void> };

/** Signs in with a passkey, or at the sign-in service. */
function OtherWays({ signUp, invitation, onSignedIn }: OtherProps) {
  const passkey = useSubmit(async () => {
    await signInWithPasskey();
    await onSignedIn();
  });
  const service = useSubmit(() =>
    visitService('/auth/sign-in/social', invitation && signUp ? { invitation } : {}),
  );
  const error = passkey.error ?? service.error;
  const hasPasskeys = canUsePasskeys() && !signUp;
  if (!hasPasskeys && SERVICE === '') return null;
  return (
    <div class="door-ways">
      {hasPasskeys && (
        <button
          type="button"
          class={hasUsedPasskey() ? 'wide primary' : 'wide'}
          disabled={passkey.busy}
          onClick={passkey.run}
        >
          Sign in with a passkey
        </button>
      )}
      {SERVICE !== '' && (
        <button type="button" class="wide" disabled={service.busy} onClick={service.run}>
          {signUp ? 'Continue' : 'Sign in'} with {SERVICE}
        </button>
      )}
      {error !== null && <Notice kind="error">{sentenceOf(error)}</Notice>}
    </div>
  );
}

/** From a link of the hub or of an owner; may be empty. */
export type Given = { setup: string; invitation: string };

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
