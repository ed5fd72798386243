/** Creating accounts, and who may do so. */
import { randomUUID } from 'node:crypto';
import { FAILURES, Failure } from '../../../shared/failure.ts';
import type { Role } from '../../../shared/roles.ts';
import { users } from '../../db/accounts-schema.ts';
import { type Db, inTransaction } from '../../db/open.ts';
import { type Actor, recordSecurity } from '../security-log.ts';
import type { Client, User } from '../sessions/sessions.ts';
import { assertNewEmail, normalizeEmail } from './emails.ts';
import type { InvitationKey, Invitations } from './invitations.ts';
import { checkPassword, NO_PASSWORD, type Passwords } from './password.ts';
import type { SetupCode } from './setup-code.ts';

/** `first`: anyone may create the first account, then only owners; `open`: anyone; `closed`: nobody. */
export type SignUpPolicy = 'first' | 'open' | 'closed';

/**
 * What a stranger needs to sign up. `setup`: nothing, for the first account; `setup-code`: the
 * setup code, for the first account; `open`: nothing; `closed`: strangers cannot sign up.
 */
export type SignUpDoor = 'setup' | 'setup-code' | 'open' | 'closed';

export type NewAccount = { name: string; email: string; password: string };

export type SignUpDeps = {
  db: Db;
  now: () => Date;
  signUp: SignUpPolicy;
  setupCode: SetupCode;
  invitations: Invitations;
};

/** Who makes accounts for others. `assertAllowed` throws a Failure if they may not any more: hashing takes a while. */
export type Maker = Actor & { assertAllowed: () => void };

/** Who makes an account, and what lets them. */
type Newcomer = {
  /** Who makes it for somebody else. */
  by?: Maker;
  client: Client;
  /** Whether an owner is signed in. */
  byOwner: boolean;
  /** Counts for more than the door. */
  invitation?: InvitationKey | undefined;
};

export type SignUp = {
  /** Whether there is any account. */
  any(): boolean;
  /** What a stranger needs to sign up. @param isLocal whether the request must have come from this machine */
  door(isLocal: boolean): SignUpDoor;
  /** @param byOwner whether an owner is signed in @throws Failure SIGN_UP_CLOSED */
  assertOpen(byOwner: boolean): void;
  /**
   * Only the person who started the hub may create the first account: with the setup code or, soon
   * after the first start, from this machine.
   * @throws Failure SETUP_CODE_REQUIRED
   */
  assertMayBeFirst(isLocal: boolean, code: string | undefined): void;
  /**
   * @param input `role`: else that of the invitation; else the first account is an owner, one that an
   * owner signs up an editor, any other a viewer
   * @param count counts the attempt, once the input is well-formed
   * @throws Failure SIGN_UP_CLOSED, INVITATION_INVALID, VALIDATION_ERROR, PASSWORD_…,
   * USER_ALREADY_EXISTS_…, RATE_LIMITED, and what `count` throws
   */
  create(input: NewAccount & { role?: Role }, by: Newcomer, count?: () => void): Promise<User>;
  /**
   * Creates an account without a password for somebody who is invited. In a transaction.
   * @throws Failure INVITATION_INVALID, VALIDATION_ERROR, USER_ALREADY_EXISTS_…
   */
  createInvited(
    input: Omit<NewAccount, 'password'>,
    by: { client: Client; invitation: InvitationKey },
  ): User;
};

/** Every changelog entry contains the name. */
const MAX_NAME = 200;

export function createSignUp(
  { db, now, signUp: policy, setupCode, invitations }: SignUpDeps,
  passwords: Passwords,
): SignUp {
  const any = () => db.select({ id: users.id }).from(users).limit(1).get() !== undefined;

  const mayDoWithout = (isLocal: boolean) => isLocal && setupCode.isFresh(now());

  function assertOpen(byOwner: boolean): void {
    if (policy === 'open' || (policy === 'first' && (byOwner || !any()))) return;
    throw new Failure('SIGN_UP_CLOSED', 'Sign-up is closed on this hub.');
  }

  /** Without an invitation. */
  const roleFor = (byOwner: boolean): Role => {
    if (!any()) return 'owner';
    return byOwner ? 'editor' : 'viewer';
  };

  /** @param email null: not known yet @throws Failure SIGN_UP_CLOSED, INVITATION_INVALID */
  const admit = ({ invitation, byOwner }: Newcomer, email: string | null) =>
    invitation === undefined ? assertOpen(byOwner) : invitations.check(invitation, email);

  /** @throws Failure VALIDATION_ERROR */
  function check(input: Omit<NewAccount, 'password'>): { name: string; email: string } {
    const name = input.name.trim();
    const email = normalizeEmail(input.email);
    if (name === '') throw invalid('name', 'A name is required.');
    if (name.length > MAX_NAME) {
      throw invalid('name', `A name can have at most ${MAX_NAME} characters.`);
    }
    if (email === null) throw invalid('email', FAILURES.INVALID_EMAIL.meaning);
    return { name, email };
  }

  /** In a transaction. */
  function insert(
    fields: Pick<User, 'name' | 'email' | 'passwordHash'> & { role?: Role | undefined },
    by: Newcomer,
  ): User {
    by.by?.assertAllowed();
    const invitation = admit(by, fields.email);
    assertNewEmail(db, fields.email);
    const at = now();
    const role = fields.role ?? invitation?.role ?? roleFor(by.byOwner);
    const user = { ...fields, id: randomUUID(), role, createdAt: at, updatedAt: at };
    db.insert(users).values(user).run();
    const own = { user, via: null, client: by.client };
    const event = { kind: 'account', target: user.email, detail: `created: ${role}` } as const;
    recordSecurity(db, at, by.by ?? own, event);
    if (invitation) invitations.use(invitation, own);
    return { ...user, twoFactorEnabled: false };
  }

  return {
    any,
    assertOpen,

    door(isLocal) {
      if (policy === 'closed' || (policy === 'first' && any())) return 'closed';
      if (any()) return 'open';
      return mayDoWithout(isLocal) ? 'setup' : 'setup-code';
    },

    assertMayBeFirst(isLocal, code) {
      if (any() || mayDoWithout(isLocal) || setupCode.matches(code)) return;
      throw new Failure(
        'SETUP_CODE_REQUIRED',
        'The first account requires the setup code that signalbox printed when it started.',
        { at: { field: 'setupCode' } },
      );
    },

    async create(input, by, count = () => {}) {
      admit(by, null);
      const { name, email } = check(input);
      admit(by, email);
      await checkPassword(input.password);
      count();
      assertNewEmail(db, email);
      const passwordHash = await passwords.hash(input.password);
      // Someone else may have been faster while this hashed.
      const user = inTransaction(db, () =>
        insert({ name, email, passwordHash, role: input.role }, by),
      );
      setupCode.forget();
      return { ...user, twoFactorEnabled: false };
    },

    createInvited: (input, { client, invitation }) =>
      insert(
        { ...check(input), passwordHash: NO_PASSWORD },
        { client, invitation, byOwner: false },
      ),
  };
}

const invalid = (field: keyof NewAccount, message: string) =>
  new Failure('VALIDATION_ERROR', message, { at: { field } });
