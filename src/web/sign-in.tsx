/** What a visitor who is not signed in sees: the first account is created here, later ones sign in. */
import { useState } from 'preact/hooks';
import { ApiError, send } from './lib/api.ts';
import type { User } from './lib/types.ts';
import { placeError, submitWith, useFields, useSubmit } from './lib/use-form.ts';
import { Field, NewPasswordField, TextField } from './parts/field.tsx';
import { Brand } from './parts/icon.tsx';
import { Notice } from './parts/notice.tsx';

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
      <p class="brand line">
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

/** Signs in with e-mail and password. */
function SignInForm({ onSignedIn }: { onSignedIn: (user: User) => void }) {
  const { values, input } = useFields({ email: '', password: '' });
  const { busy, error, run } = useSubmit(async () => {
    onSignedIn((await send<{ user: User }>('POST', '/auth/sign-in/email', values)).user);
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

type SignUpFormProps = { needsCode: boolean; setupCode: string; onSignedIn: (user: User) => void };

/** Creates an account; the hub's first one may need the setup code. */
function SignUpForm({ needsCode, setupCode: given, onSignedIn }: SignUpFormProps) {
  const { values, input } = useFields({ name: '', email: '', password: '', setupCode: given });
  const { busy, error, run } = useSubmit(async () => {
    const { setupCode, ...account } = values;
    const body = setupCode ? values : account;
    onSignedIn((await send<{ user: User }>('POST', '/auth/sign-up/email', body)).user);
  });
  const { at, notice } = placeError(error, ['name', 'email', 'password', 'setupCode']);
  const asksCode = needsCode || (error instanceof ApiError && error.field === 'setupCode');

  return (
    <form onSubmit={submitWith(run)}>
      <Field label="Name" error={at('name')}>
        {(attributes) => (
          <input {...attributes} {...input('name')} ref={focusOnce} autocomplete="name" />
        )}
      </Field>
      <TextField
        label="E-mail"
        error={at('email')}
        {...input('email')}
        type="email"
        autocomplete="username"
      />
      <NewPasswordField
        label="Password"
        error={at('password')}
        help="At least 8 characters."
        {...input('password')}
      />
      {asksCode && (
        <TextField
          label="Setup code"
          error={at('setupCode')}
          help="The hub printed it when it started. It is also in the file setup-code in the hub’s data folder."
          {...input('setupCode')}
          type="text"
          class="mono"
          autocomplete="off"
        />
      )}
      {notice && <Notice kind="error">{notice}</Notice>}
      <button type="submit" class="primary wide" disabled={busy}>
        {busy ? 'Creating the account …' : 'Create account'}
      </button>
    </form>
  );
}

/**
 * The code in `#setup=…`, which never reaches the hub or a proxy's log; '' without one. Removes it
 * from the address bar and so from the history.
 */
export function takeSetupCode(): string {
  const code = new URLSearchParams(location.hash.slice(1)).get('setup');
  if (code === null) return '';
  history.replaceState(history.state, '', location.pathname + location.search);
  return code;
}

const seen = new WeakSet<HTMLElement>();

/** Focuses the first field of a page that is nothing but a form. As its `ref`. */
function focusOnce(element: HTMLElement | null): void {
  if (!element || seen.has(element)) return;
  seen.add(element);
  element.focus();
}
