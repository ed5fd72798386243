/** The passkeys of an account: added, renamed and removed. */
import { randomUUID } from 'node:crypto';
import type {
  AuthenticatorAttachment,
  PublicKeyCredentialCreationOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { and, asc, eq } from 'drizzle-orm';
import { recordSecurity } from '../../../hub/auth/security-log.ts';
import {
  createSessions,
  type Person,
  unauthenticated,
} from '../../../hub/auth/sessions/sessions.ts';
import type { ApiCore } from '../../../hub/core.ts';
import { type Db, inTransaction } from '../../../hub/db/open.ts';
import { Failure } from '../../../shared/failure.ts';
import type { Challenges } from '../challenges.ts';
import { passkeys } from '../tables.ts';
import {
  type Answer,
  type Begun,
  expectedOf,
  loadWebAuthn,
  partyOf,
  takeChallenge,
} from './webauthn.ts';

export type Passkey = typeof passkeys.$inferSelect;

export type Passkeys = {
  /** Oldest first. */
  list(userId: string): Passkey[];
  beginRegistration(
    who: Person,
    attachment: AuthenticatorAttachment | undefined,
  ): Promise<Begun<PublicKeyCredentialCreationOptionsJSON>>;
  /**
   * Adds a passkey, in the session that began this.
   * @throws Failure CHALLENGE_NOT_FOUND, FAILED_TO_VERIFY_REGISTRATION, PREVIOUSLY_REGISTERED
   */
  register(who: Person, answer: Answer<RegistrationResponseJSON>, name: string): Promise<Passkey>;
  /** @throws Failure NOT_FOUND, also for another account's */
  rename(who: Person, id: string, name: string): Passkey;
  /** Ends the account's other sessions. @throws Failure NOT_FOUND, also for another account's */
  remove(who: Person, id: string): void;
};

const NAME = 'Passkey';

export function createPasskeys({ db, now, origins }: ApiCore, challenges: Challenges): Passkeys {
  const sessions = createSessions({ db, now });

  const record = (who: Person, detail: string) =>
    recordSecurity(db, now(), who, { kind: 'factor', target: who.user.email, detail });

  /** @throws Failure NOT_FOUND */
  function change(who: Person, id: string, work: (passkey: Passkey) => void): Passkey {
    return inTransaction(db, () => {
      const own = and(eq(passkeys.id, id), eq(passkeys.userId, who.user.id));
      const passkey = db.select().from(passkeys).where(own).get();
      if (!passkey) throw new Failure('NOT_FOUND', 'There is no such passkey.');
      work(passkey);
      return passkey;
    });
  }

  return {
    list: (userId) => listOf(db, userId),

    async beginRegistration({ user, session }, attachment) {
      const { generateRegistrationOptions } = await loadWebAuthn();
      const options = await generateRegistrationOptions({
        rpName: 'signalbox',
        rpID: partyOf(origins()).id,
        userID: Buffer.from(user.id),
        userName: user.email,
        userDisplayName: user.name,
        attestationType: 'none',
        excludeCredentials: credentialsOf(db, user.id),
        authenticatorSelection: {
          residentKey: 'required',
          userVerification: 'required',
          ...(attachment && { authenticatorAttachment: attachment }),
        },
      });
      const data = { challenge: options.challenge, session: session.id };
      return { options, challenge: challenges.begin('passkey_new', { userId: user.id, data }) };
    },

    async register(who, { response, challenge: id }, name) {
      const { verifyRegistrationResponse } = await loadWebAuthn();
      const { expectedChallenge, userId, data } = takeChallenge(challenges, 'passkey_new', id);
      const isOwn = userId === who.user.id && data.session === who.session.id;
      const verified = isOwn
        ? await verifyRegistrationResponse({
            ...expectedOf(partyOf(origins())),
            response: { ...response, clientExtensionResults: {} },
            expectedChallenge,
          }).catch(() => null)
        : null;
      if (!verified?.verified) {
        const message = 'The passkey was not accepted: its page or its challenge is not the hub’s.';
        throw new Failure('FAILED_TO_VERIFY_REGISTRATION', message);
      }
      const { credential, ...info } = verified.registrationInfo;
      const passkey: Passkey = {
        id: randomUUID(),
        userId: who.user.id,
        name: name.trim() || NAME,
        credentialId: credential.id,
        publicKey: Buffer.from(credential.publicKey),
        counter: credential.counter,
        deviceType: info.credentialDeviceType,
        backedUp: info.credentialBackedUp,
        transports: response.response.transports ?? [],
        aaguid: info.aaguid,
        createdAt: now(),
        lastUsedAt: null,
      };
      return inTransaction(db, () => {
        // The session may have ended while this verified.
        if (!sessions.find(who.session.token)) {
          throw unauthenticated();
        }
        const isNew = db.insert(passkeys).values(passkey).onConflictDoNothing().returning().get();
        if (!isNew) throw new Failure('PREVIOUSLY_REGISTERED', 'This passkey is already in use.');
        record(who, 'passkey added');
        return passkey;
      });
    },

    rename(who, id, name) {
      const renamed = { name: name.trim() || NAME };
      const passkey = change(who, id, () => {
        db.update(passkeys).set(renamed).where(eq(passkeys.id, id)).run();
        record(who, 'passkey renamed');
      });
      return { ...passkey, ...renamed };
    },

    remove(who, id) {
      change(who, id, () => {
        db.delete(passkeys).where(eq(passkeys.id, id)).run();
        sessions.endOthers(who.user.id, who.session.id);
        record(who, 'passkey removed');
      });
    },
  };
}

const listOf = (db: Db, userId: string): Passkey[] =>
  db
    .select()
    .from(passkeys)
    .where(eq(passkeys.userId, userId))
    .orderBy(asc(passkeys.createdAt), asc(passkeys.id))
    .all();

/** Those of an account, for its browser. */
export const credentialsOf = (db: Db, userId: string) =>
  listOf(db, userId).map((one) => ({ id: one.credentialId, transports: [...one.transports] }));

/** What an authenticator knows an account by. */
export const handleOf = (userId: string): string => Buffer.from(userId).toString('base64url');
