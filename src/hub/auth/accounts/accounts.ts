/** Signing up, signing in and changing the password. */
import { and, eq } from 'drizzle-orm';
import { Failure } from '../../../shared/failure.ts';
import type { Role } from '../../../shared/roles.ts';
import { users } from '../../db/accounts-schema.ts';
import { inTransaction } from '../../db/open.ts';
import type { BeginSecondHalf } from '../beside-passwords.ts';
import { networkOf } from '../client.ts';
import { recordSecurity } from '../security-log.ts';
import {
  assertFresh,
  type Client,
  createSessions,
  type Person,
  type Session,
  type SessionInfo,
  type Sessions,
  type SignedIn,
  USER,
  type User,
  unauthenticated,
} from '../sessions/sessions.ts';
import { type AttemptLimits, createSeldom } from './attempt-limits.ts';
import { findByEmail, readEmail } from './emails.ts';
import { checkPassword, createPasswords, isWeak } from './password.ts';
import {
  createSignUp,
  type Maker,
  type NewAccount,
  type SignUp,
  type SignUpDeps,
} from './sign-up.ts';

type PasswordChange = {
  currentPassword: string;
  newPassword: string;
  /** Also replaces the session that makes the request. */
  revokeOtherSessions?: boolean | null | undefined;
};

/** Whose sign-ins are refused for now, because too many failed. */
export type Locked = Readonly<{
  /** The email addresses of accounts that there are. */
  emails: readonly string[];
  /** Whether there are others, whose addresses are nobody's business. */
  isUnknown: boolean;
  /** The addresses of clients. */
  networks: readonly string[];
}>;

/** Before the id of a user, in what is counted; no email address has a space. */
const BY_ID = 'id ';

export type Accounts = Pick<SignUp, 'any' | 'door' | 'assertOpen' | 'createInvited'> &
  Pick<Sessions, 'find' | 'roleOf'> & {
    /**
     * @param client `owner`: who is signed in; `isLocal`: the request must have come from this machine
     * @throws Failure SIGN_UP_CLOSED, SESSION_NOT_FRESH, SETUP_CODE_REQUIRED, INVITATION_INVALID,
     * VALIDATION_ERROR, PASSWORD_…, USER_ALREADY_EXISTS_…, RATE_LIMITED
     */
    signUp(
      input: NewAccount & { setupCode?: string | undefined; invitation?: string | undefined },
      client: Client & { owner: Person | null; isLocal: boolean },
    ): Promise<SignedIn>;
    /** Creates an account for someone else. @throws Failure as `signUp` */
    create(input: NewAccount & { role: Role }, by: Maker): Promise<User>;
    /**
     * @param client `previous`: the token of a session to end
     * @returns a challenge instead of a session, if the account has a second factor
     * @throws Failure INVALID_EMAIL, INVALID_EMAIL_OR_PASSWORD, RATE_LIMITED, SECRET_KEY_UNUSABLE
     */
    signIn(
      input: { email: string; password: string },
      client: Client & { previous: string | null },
    ): Promise<SignedIn | { challenge: string }>;
    /** The same for somebody whom a sign-in service vouches for. @throws Failure SECRET_KEY_UNUSABLE */
    signInAs(
      user: User,
      client: Client & { previous: string | null },
    ): SignedIn | { challenge: string };
    locked(): Locked;
    /** Ends the session with this token, if there is one. */
    signOut(token: string | null, client: Client): void;
    /** The valid sessions of an account, most recently used first. @throws Failure NOT_FOUND */
    listOf(userId: string): SessionInfo[];
    /**
     * Ends one of the person's sessions or, if they are an owner, anybody's.
     * @throws Failure NOT_FOUND, also for another user's session; SESSION_NOT_FRESH for that of an owner
     */
    endSession(who: Person, id: string): void;
    /** @throws Failure INVALID_PASSWORD, RATE_LIMITED, UNAUTHENTICATED if the session ended meanwhile */
    assertPassword(who: Person, password: string): Promise<void>;
    /** Notes that whoever has the session just proved who they are. @returns until when that counts */
    prove(who: Person): Date;
    /**
     * Ends all other sessions.
     * @returns the session that replaces this one, if that was requested; else null
     * @throws Failure PASSWORD_…, INVALID_PASSWORD, RATE_LIMITED, UNAUTHENTICATED
     */
    changePassword(who: SignedIn, input: PasswordChange, client: Client): Promise<Session | null>;
  };

/** @param elapsed milliseconds from a clock that is never set */
export function createAccounts(
  deps: SignUpDeps,
  limits: AttemptLimits,
  elapsed: () => number,
  beginSecondHalf: BeginSecondHalf,
): Accounts {
  const { db, now } = deps;
  const sessions = createSessions({ db, now });
  const passwords = createPasswords();
  const isFirst = createSeldom(elapsed);
  const signUp = createSignUp(deps, passwords);
  const { any, door, assertOpen, assertMayBeFirst, create, createInvited } = signUp;

  /**
   * One guess at a password, counted unless it is right. The limit is checked before waiting, so
   * that a flood does not fill the queue, and again when its turn comes.
   * @throws Failure RATE_LIMITED
   */
  async function guess(
    account: string,
    ip: string,
    user: User | undefined,
    password: string,
  ): Promise<boolean> {
    limits.checkPassword(account, ip);
    let undo = () => {};
    const matches = await passwords.matches(user?.passwordHash ?? null, password, () => {
      undo = limits.takePassword(account, ip);
    });
    if (matches) undo();
    return matches;
  }

  function begin(
    user: User,
    client: Client & { previous: string | null },
    method: 'password' | 'oidc',
  ): SignedIn | { challenge: string } {
    return inTransaction(db, (tx) => {
      const challenge = beginSecondHalf(user, client, method);
      sessions.end(client.previous);
      if (challenge !== null) return { challenge };
      const event = { kind: 'sign-in', target: user.email, detail: method } as const;
      recordSecurity(tx, now(), { user, via: null, client }, event);
      return { user, session: sessions.start(user.id, client) };
    });
  }

  /** @throws Failure INVALID_PASSWORD, RATE_LIMITED */
  async function assertPassword(user: User, client: Client, password: string, field: string) {
    // A separate counter: a stranger's guesses at sign-in must not block the owner here.
    if (await guess(`${BY_ID}${user.id}`, client.ip, user, password)) return;
    const event = { kind: 'password', target: user.email, outcome: 'refused' } as const;
    recordSecurity(db, now(), { user, via: null, client }, event);
    throw new Failure('INVALID_PASSWORD', 'The current password is wrong.', { at: { field } });
  }

  const byId = (id: string) => db.select(USER).from(users).where(eq(users.id, id)).get();

  /** @throws Failure NOT_FOUND */
  function findById(id: string): User {
    const user = byId(id);
    if (user) return user;
    throw new Failure('NOT_FOUND', 'There is no such account.');
  }

  /** @param account as `guess` counts it */
  const findByAccount = (account: string): User | undefined =>
    account.startsWith(BY_ID) ? byId(account.slice(BY_ID.length)) : findByEmail(db, account);

  /** Rehashes with today's parameters while the password is known. */
  async function strengthen(user: User, password: string): Promise<void> {
    if (!isWeak(user.passwordHash)) return;
    const passwordHash = await passwords.hash(password);
    const unchanged = and(eq(users.id, user.id), eq(users.passwordHash, user.passwordHash));
    db.update(users).set({ passwordHash }).where(unchanged).run();
  }

  return {
    any,
    door,
    assertOpen,
    find: sessions.find,
    roleOf: sessions.roleOf,

    signOut(token, client) {
      const { user } = sessions.find(token) ?? {};
      if (!user) return;
      inTransaction(db, (tx) => {
        sessions.end(token);
        const event = { kind: 'sign-out', target: user.email } as const;
        recordSecurity(tx, now(), { user, via: null, client }, event);
      });
    },

    createInvited,
    create: (input, by) => create(input, { by, client: by.client, byOwner: true }),

    locked() {
      const { accounts, networks } = limits.exhausted();
      const found = accounts.map((account) => findByAccount(account)?.email);
      const emails = [...new Set(found.flatMap((email) => email ?? []))];
      return { emails, isUnknown: found.includes(undefined), networks };
    },

    async signUp(input, client) {
      assertMayBeFirst(client.isLocal, input.setupCode);
      const invitation = input.invitation === undefined ? undefined : { token: input.invitation };
      // Whom an invitation lets in needs no owner.
      const owner = invitation ? null : client.owner;
      if (owner) assertFresh(owner.session, now());
      const by = { ...(owner && { by: owner }), client, byOwner: owner !== null, invitation };
      const user = await create(input, by, () => limits.takeSignUp(client.ip));
      return { user, session: sessions.start(user.id, client) };
    },

    async signIn(input, client) {
      const email = readEmail(input.email);
      const user = findByEmail(db, email);
      const actor = { user: user ?? { id: null, name: email }, via: null, client };
      const record = (outcome: 'refused' | 'locked') => {
        const event = { kind: 'sign-in', target: email, outcome, detail: 'password' } as const;
        recordSecurity(db, now(), actor, event);
      };
      const matches = await guess(email, client.ip, user, input.password).catch((error) => {
        // Nobody fills the log with what is refused anyway.
        if (isRateLimited(error) && isFirst(networkOf(client.ip))) record('locked');
        throw error;
      });
      // The password may have changed, or the account may be gone, while this verified.
      if (!user || !matches || findByEmail(db, email)?.passwordHash !== user.passwordHash) {
        record('refused');
        throw wrongCredentials();
      }
      const begun = begin(user, client, 'password');
      await strengthen(user, input.password);
      return begun;
    },

    signInAs: (user, client) => begin(user, client, 'oidc'),

    listOf(userId) {
      findById(userId);
      return sessions.list(userId);
    },

    endSession(who, id) {
      inTransaction(db, (tx) => {
        const { user, session } = who;
        const owner =
          sessions.endOne(id, user.id) ?? (user.role === 'owner' ? sessions.endOne(id) : null);
        if (owner === null) throw new Failure('NOT_FOUND', 'There is no such session.');
        if (owner !== user.id) assertFresh(session, now());
        const { email } = findById(owner);
        recordSecurity(tx, now(), who, { kind: 'session', target: email, detail: 'ended' });
      });
    },

    async assertPassword({ user, session, client }, password) {
      await assertPassword(user, client, password, 'password');
      if (!sessions.find(session.token)) throw unauthenticated();
    },

    prove: ({ session }) => sessions.prove(session.token),

    async changePassword({ user, session }, input, client) {
      await checkPassword(input.newPassword, 'newPassword');
      await assertPassword(user, client, input.currentPassword, 'currentPassword');
      const passwordHash = await passwords.hash(input.newPassword);
      // This session may have been ended while this hashed.
      if (!sessions.find(session.token)) throw unauthenticated();
      return inTransaction(db, (tx) => {
        const at = now();
        tx.update(users).set({ passwordHash, updatedAt: at }).where(eq(users.id, user.id)).run();
        const event = { kind: 'password', target: user.email, detail: 'changed' } as const;
        recordSecurity(tx, at, { user, via: null, client }, event);
        if (input.revokeOtherSessions !== true) {
          sessions.endOthers(user.id, session.id);
          return null;
        }
        sessions.endOthers(user.id, '');
        return sessions.start(user.id, client);
      });
    },
  };
}

const isRateLimited = (error: unknown): boolean =>
  error instanceof Failure && error.code === 'RATE_LIMITED';

const wrongCredentials = () =>
  new Failure('INVALID_EMAIL_OR_PASSWORD', 'The email address or password is wrong.');
