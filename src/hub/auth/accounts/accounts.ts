/** Accounts: who may make one, and who may come in. */
import { randomUUID } from 'node:crypto';
import { and, eq } from 'drizzle-orm';
import { Failure } from '../../../shared/failure.ts';
import type { Db } from '../../db/open.ts';
import { users } from '../../db/schema.ts';
import {
  type Client,
  createSessions,
  type Session,
  type User,
  type Who,
} from '../sessions/sessions.ts';
import { createGuesses } from './attempt-limits.ts';
import { checkPassword, createPasswords, isWeak } from './password.ts';
import type { SetupCode } from './setup-code.ts';

/** `first`: anyone makes the first account, then only a signed-in user; `open`: anyone; `closed`: nobody. */
export type SignUpPolicy = 'first' | 'open' | 'closed';

export type Accounts = ReturnType<typeof createAccounts>;
export type AccountsDeps = {
  db: Db;
  now: () => Date;
  signUp: SignUpPolicy;
  setupCode: SetupCode;
};
/** `setup`: the first account; `setup-code`: the first, with the code; `open`: anyone; `closed`: by who has one. */
export type SignUpDoor = 'setup' | 'setup-code' | 'open' | 'closed';
export type NewAccount = { name: string; email: string; password: string };
export type PasswordChange = {
  currentPassword: string;
  newPassword: string;
  /** Replaces the session that asks as well. */
  revokeOtherSessions?: boolean | null | undefined;
};
export type SignedIn = { user: User; session: Session };

/** RFC 5321 4.5.3.1.3 leaves 254 characters for an address. */
const LONGEST_EMAIL = 254;
/** It stands in every changelog entry. */
const LONGEST_NAME = 200;
const EMAIL = /^[^\s@"(),:;<>[\\\]]+@(?:[\p{L}\p{N}_-]+\.)*[\p{L}\p{N}_-]+$/u;

export function createAccounts({ db, now, signUp: policy, setupCode }: AccountsDeps) {
  const sessions = createSessions({ db, now });
  const passwords = createPasswords();
  const guesses = createGuesses(now);

  const byEmail = (email: string) => db.select().from(users).where(eq(users.email, email)).get();
  const any = () => db.select({ id: users.id }).from(users).limit(1).get() !== undefined;

  function assertOpen(signedIn: boolean): void {
    if (policy === 'open' || (policy === 'first' && (signedIn || !any()))) return;
    throw new Failure('SIGN_UP_CLOSED', 'New accounts are not open to the public here.');
  }

  /** The first account is a race on a hub that strangers can reach: only who started it may win. */
  function assertMayBeFirst(isNear: boolean, code: string | undefined): void {
    if (isNear || any() || setupCode.is(code)) return;
    throw new Failure(
      'SETUP_CODE_REQUIRED',
      'The first account needs the setupCode that the start-up printed.',
    );
  }

  function assertNew(email: string): void {
    if (!byEmail(email)) return;
    throw new Failure(
      'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL',
      'There is an account with this e-mail address already.',
    );
  }

  /**
   * One guess at a password, counted unless it is right. It is looked at once before waiting, so
   * that a flood does not fill the queue, and once more when its turn has come.
   * @throws Failure RATE_LIMITED
   */
  async function guess(
    account: string,
    ip: string,
    user: User | undefined,
    password: string,
  ): Promise<boolean> {
    guesses.check(account, ip);
    let giveBack = () => {};
    const matches = await passwords.matches(user?.passwordHash ?? null, password, () => {
      giveBack = guesses.take(account, ip);
    });
    if (matches) giveBack();
    return matches;
  }

  /** Brings a hash from weaker times up to today's parameters, while the password is known. */
  async function strengthen(user: User, password: string): Promise<void> {
    if (!isWeak(user.passwordHash)) return;
    const passwordHash = await passwords.hash(password);
    const unchanged = and(eq(users.id, user.id), eq(users.passwordHash, user.passwordHash));
    db.update(users).set({ passwordHash }).where(unchanged).run();
  }

  /** @param count what counts the attempt, once the input is well-formed */
  async function create(
    input: NewAccount,
    signedIn: boolean,
    count: () => void = () => {},
  ): Promise<User> {
    assertOpen(signedIn);
    const name = input.name.trim();
    const email = normalizeEmail(input.email);
    if (name === '') throw new Failure('VALIDATION_ERROR', 'A name is needed.');
    if (name.length > LONGEST_NAME) {
      throw new Failure('VALIDATION_ERROR', `A name has at most ${LONGEST_NAME} characters.`);
    }
    if (email === null) throw new Failure('VALIDATION_ERROR', 'The e-mail address is not valid.');
    await checkPassword(input.password);
    count();
    assertNew(email);
    const passwordHash = await passwords.hash(input.password);
    // Hashing took a while: somebody else may have been first.
    assertOpen(signedIn);
    assertNew(email);
    const at = now();
    const user = { id: randomUUID(), name, email, passwordHash, createdAt: at, updatedAt: at };
    db.insert(users).values(user).run();
    setupCode.forget();
    return user;
  }

  return {
    find: sessions.find,
    signOut: sessions.end,

    /** Whether there is an account at all. */
    any,

    /**
     * @param signedIn whether the request already carries a good session
     * @throws Failure SIGN_UP_CLOSED before any look at the input
     */
    assertOpen,

    /** How a stranger may make an account; `isNear`: he can only ask from this machine. */
    door(isNear: boolean): SignUpDoor {
      if (policy === 'closed' || (policy === 'first' && any())) return 'closed';
      if (any()) return 'open';
      return isNear ? 'setup' : 'setup-code';
    },

    /**
     * @param client `isNear`: the request can only have come from this machine
     * @throws Failure SIGN_UP_CLOSED, SETUP_CODE_REQUIRED, VALIDATION_ERROR, PASSWORD_…, USER_ALREADY_EXISTS_…, RATE_LIMITED
     */
    async signUp(
      input: NewAccount & { setupCode?: string | undefined },
      client: Client & { signedIn: boolean; isNear: boolean },
    ): Promise<SignedIn> {
      assertMayBeFirst(client.isNear, input.setupCode);
      const user = await create(input, client.signedIn, () => guesses.signUp(client.ip));
      return { user, session: sessions.start(user.id, client) };
    },

    /** An account for somebody else. @throws as signUp */
    make: (input: NewAccount): Promise<User> => create(input, true),

    sessionsOf: sessions.list,

    /** @throws Failure NOT_FOUND, also for somebody else's */
    endSession(userId: string, id: string): void {
      if (sessions.endOne(userId, id)) return;
      throw new Failure('NOT_FOUND', 'There is no such session.');
    },

    /**
     * All other sessions end. @returns a new session where this one shall be replaced too, else null
     * @throws Failure PASSWORD_…, INVALID_PASSWORD, RATE_LIMITED
     */
    async changePassword(
      { user, session }: Who,
      input: PasswordChange,
      client: Client,
    ): Promise<Session | null> {
      await checkPassword(input.newPassword);
      // A counter of its own: a stranger's guesses at sign-in keep nobody from changing it.
      if (!(await guess(`id ${user.id}`, client.ip, user, input.currentPassword))) {
        throw new Failure('INVALID_PASSWORD', 'The current password is not right.');
      }
      const passwordHash = await passwords.hash(input.newPassword);
      // Hashing took a while: this session may have been ended meanwhile.
      if (!sessions.find(session.token)) throw new Failure('UNAUTHENTICATED', 'Sign in first.');
      return db.transaction(
        (tx) => {
          tx.update(users)
            .set({ passwordHash, updatedAt: now() })
            .where(eq(users.id, user.id))
            .run();
          if (input.revokeOtherSessions !== true) {
            sessions.endOthers(user.id, session.id);
            return null;
          }
          sessions.endOthers(user.id, '');
          return sessions.start(user.id, client);
        },
        { behavior: 'immediate' },
      );
    },

    /** @throws Failure INVALID_EMAIL, INVALID_EMAIL_OR_PASSWORD, RATE_LIMITED */
    async signIn(
      input: { email: string; password: string },
      client: Client & { previous: string | null },
    ): Promise<SignedIn> {
      const email = normalizeEmail(input.email);
      if (email === null) throw new Failure('INVALID_EMAIL', 'The e-mail address is not valid.');
      const user = byEmail(email);
      const matches = await guess(email, client.ip, user, input.password);
      if (!user || !matches) throw notRight();
      // Verifying took a while: the password may be another by now, or the account be gone.
      if (byEmail(email)?.passwordHash !== user.passwordHash) throw notRight();
      sessions.end(client.previous);
      const session = sessions.start(user.id, client);
      await strengthen(user, input.password);
      return { user, session };
    },
  };
}

const notRight = () =>
  new Failure('INVALID_EMAIL_OR_PASSWORD', 'E-mail address or password is not right.');

function normalizeEmail(email: string): string | null {
  const normal = email.trim().toLowerCase();
  return normal.length <= LONGEST_EMAIL && EMAIL.test(normal) ? normal : null;
}
