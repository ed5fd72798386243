/** Signing in with a passkey. As it verifies its user, it is both factors. */
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import { and, eq } from 'drizzle-orm';
import { recordSecurity } from '../../../hub/auth/security-log.ts';
import {
  type Client,
  createSessions,
  type Person,
  type SignedIn,
  USER,
  type User,
} from '../../../hub/auth/sessions/sessions.ts';
import type { ApiCore } from '../../../hub/core.ts';
import { users } from '../../../hub/db/accounts-schema.ts';
import { inTransaction } from '../../../hub/db/open.ts';
import { Failure } from '../../../shared/failure.ts';
import type { Challenges } from '../challenges.ts';
import { passkeys } from '../tables.ts';
import { credentialsOf, handleOf } from './passkeys.ts';
import {
  type Answer,
  type Begun,
  expectedOf,
  loadWebAuthn,
  partyOf,
  takeChallenge,
} from './webauthn.ts';

export type PasskeySignIn = {
  /** @param userId whose passkeys to ask for; null: any that the browser has */
  begin(userId: string | null): Promise<Begun<PublicKeyCredentialRequestOptionsJSON>>;
  /**
   * @param client `previous`: the token of a session to end
   * @throws Failure CHALLENGE_NOT_FOUND, PASSKEY_NOT_FOUND, AUTHENTICATION_FAILED, RATE_LIMITED
   */
  signIn(
    answer: Answer<AuthenticationResponseJSON>,
    client: Client & { previous: string | null },
  ): Promise<SignedIn>;
  /** Checks that the person has one of their passkeys. @throws Failure as `signIn` */
  prove(who: Person, answer: Answer<AuthenticationResponseJSON>): Promise<void>;
};

export function createPasskeySignIn(
  { db, now, limits, origins }: ApiCore,
  challenges: Challenges,
): PasskeySignIn {
  const sessions = createSessions({ db, now });

  /**
   * The account whose passkey this is.
   * @param who of whom it has to be; without, of anyone
   * @param use called in the transaction that notes the use
   * @throws Failure CHALLENGE_NOT_FOUND, PASSKEY_NOT_FOUND, AUTHENTICATION_FAILED, RATE_LIMITED
   */
  async function authenticate<T>(
    { response, challenge: id }: Answer<AuthenticationResponseJSON>,
    { client, who }: { client: Client; who?: Person },
    use: (user: User) => T,
  ): Promise<T> {
    const { verifyAuthenticationResponse } = await loadWebAuthn();
    limits.checkAddress(client.ip);
    const { expectedChallenge, userId } = takeChallenge(challenges, 'passkey', id);
    const byCredential = eq(passkeys.credentialId, response.id);
    const passkey = db.select().from(passkeys).where(byCredential).get();
    if (!passkey) {
      limits.takeAddress(client.ip);
      throw new Failure('PASSKEY_NOT_FOUND', 'This hub does not know this passkey.');
    }
    const handle = response.response.userHandle;
    const isOwn =
      [userId, who?.user.id].every((one) => (one ?? passkey.userId) === passkey.userId) &&
      (handle ?? handleOf(passkey.userId)) === handleOf(passkey.userId);
    const verified = isOwn
      ? await verifyAuthenticationResponse({
          ...expectedOf(partyOf(origins())),
          response: { ...response, clientExtensionResults: {} },
          expectedChallenge,
          credential: {
            id: passkey.credentialId,
            publicKey: new Uint8Array(passkey.publicKey),
            counter: passkey.counter,
          },
        }).catch(() => null)
      : null;
    const done = inTransaction(db, () => {
      const user = db.select(USER).from(users).where(eq(users.id, passkey.userId)).get();
      // Removed, or used meanwhile: by a copy of it, if it counts.
      const unchanged = and(byCredential, eq(passkeys.counter, passkey.counter));
      const info = verified?.verified === true ? verified.authenticationInfo : null;
      const used = info && { counter: info.newCounter, backedUp: info.credentialBackedUp };
      const noted =
        used &&
        db
          .update(passkeys)
          .set({ ...used, lastUsedAt: now() })
          .where(unchanged)
          .returning({ id: passkeys.id })
          .get();
      if (user && noted) return { value: use(user) };
      if (user) {
        const kind = who ? 'refusal' : 'sign-in';
        const actor = who ?? { user, via: null, client };
        const event = { kind, target: user.email, detail: 'passkey' } as const;
        recordSecurity(db, now(), actor, { ...event, outcome: 'refused' });
      }
      return null;
    });
    if (done) return done.value;
    limits.takeAddress(client.ip);
    throw new Failure('AUTHENTICATION_FAILED', 'The passkey was not accepted.');
  }

  return {
    async begin(userId) {
      const { generateAuthenticationOptions } = await loadWebAuthn();
      const options = await generateAuthenticationOptions({
        rpID: partyOf(origins()).id,
        userVerification: 'required',
        ...(userId !== null && { allowCredentials: credentialsOf(db, userId) }),
      });
      const data = { challenge: options.challenge };
      return { options, challenge: challenges.begin('passkey', { userId, data }) };
    },

    signIn: (answer, client) =>
      authenticate(answer, { client }, (user) => {
        sessions.end(client.previous);
        const actor = { user, via: null, client };
        const event = { kind: 'sign-in', target: user.email, detail: 'passkey' } as const;
        recordSecurity(db, now(), actor, event);
        return { user, session: sessions.start(user.id, client) };
      }),

    prove: (who, answer) => authenticate(answer, { client: who.client, who }, () => {}),
  };
}
