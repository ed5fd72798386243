/** What the sign-in page has besides the password: passkeys, the sign-in service, and the second step. */
import type { SignInButtons, SignInWay, SecondStep as Step } from '../../../web/feature.ts';
import { sentenceOf } from '../../../web/lib/api.ts';
import { useSubmit } from '../../../web/lib/use-form.ts';
import { lazy } from '../../../web/parts/loading.tsx';
import { Notice } from '../../../web/parts/notice.tsx';
import { canUsePasskeys, hasUsedPasskey, signInWithPasskey } from './passkeys.ts';
import { SERVICE, takeReturn, visitService } from './service.ts';

const seldom = () => import('./seldom.ts');
const ServiceProblem = lazy(async () => (await seldom()).ServiceProblem);

export const SecondStep: Step = lazy(async () => (await seldom()).SecondStep);

export const otherWays: SignInWay = {
  isUsual: hasUsedPasskey,
  Buttons,
  takeReturn() {
    const { problem, isHalf } = takeReturn();
    return { isHalf, notice: problem && <ServiceProblem code={problem} /> };
  },
};

function Buttons({ signUp, invitation, onSignedIn }: SignInButtons) {
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
    <div class="stack below">
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
