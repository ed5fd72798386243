/** A passkey as a proof of who one is. */
import type { Proof } from '../../../hub/auth/beside-passwords.ts';
import type { PasskeySignIn } from './passkey-sign-in.ts';
import { AUTHENTICATION, AuthenticationResponse, WRONG_PASSKEY } from './views.ts';

type ByPasskey = Proof<typeof AuthenticationResponse>;

export const byPasskey = ({ prove }: Pick<PasskeySignIn, 'prove'>): ByPasskey => ({
  field: 'passkey',
  schema: AuthenticationResponse,
  name: 'a passkey’s response',
  example: { value: AUTHENTICATION },
  refusals: WRONG_PASSKEY,
  async check(who, response, ownCookie) {
    const cookie = ownCookie('passkey');
    await prove(who, { response, challenge: cookie.value });
    cookie.expire();
  },
});
