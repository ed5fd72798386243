/** Accounts of a sign-in service that sign in to an account here. */
import { randomUUID } from 'node:crypto';
import { and, asc, eq, ne } from 'drizzle-orm';
import { NO_PASSWORD } from '../../../hub/auth/accounts/password.ts';
import type { LinkedAccount } from '../../../hub/auth/beside-passwords.ts';
import { type Actor, recordSecurity } from '../../../hub/auth/security-log.ts';
import { type Person, USER, type User } from '../../../hub/auth/sessions/sessions.ts';
import { sessions, users } from '../../../hub/db/accounts-schema.ts';
import { type Db, inTransaction } from '../../../hub/db/open.ts';
import { FAILURES, Failure } from '../../../shared/failure.ts';
import { linkedAccounts } from '../tables.ts';
import type { Identity } from './service.ts';

/** The only one there is. */
export const PROVIDER = 'oidc';

export type LinkedAccounts = {
  /** The user's, oldest first. */
  list(userId: string): LinkedAccount[];
  /** Whose it is; null: nobody's. */
  find(identity: Identity): User | null;
  /** In a transaction. @param by also whose it is to be */
  add(identity: Identity, by: Actor & { user: Pick<User, 'id' | 'email'> }): void;
  /**
   * Ends the user's other sessions.
   * @throws Failure ACCOUNT_NOT_FOUND, FAILED_TO_UNLINK_LAST_ACCOUNT
   */
  remove(id: string, by: Person): void;
};

export function createLinkedAccounts({ db, now }: { db: Db; now: () => Date }): LinkedAccounts {
  const list = (userId: string) =>
    db
      .select()
      .from(linkedAccounts)
      .where(eq(linkedAccounts.userId, userId))
      .orderBy(asc(linkedAccounts.createdAt))
      .all();

  const record = (by: Actor & { user: Pick<User, 'email'> }, detail: string) =>
    recordSecurity(db, now(), by, { kind: 'account', target: by.user.email, detail });

  return {
    list,

    find({ issuer, subject }) {
      const one = and(eq(linkedAccounts.issuer, issuer), eq(linkedAccounts.subject, subject));
      const found = db
        .select(USER)
        .from(linkedAccounts)
        .innerJoin(users, eq(users.id, linkedAccounts.userId))
        .where(and(one, eq(linkedAccounts.provider, PROVIDER)))
        .get();
      return found ?? null;
    },

    add(identity, by) {
      db.insert(linkedAccounts)
        .values({
          id: randomUUID(),
          userId: by.user.id,
          provider: PROVIDER,
          createdAt: now(),
          issuer: identity.issuer,
          subject: identity.subject,
        })
        .run();
      record(by, 'linked');
    },

    remove: (id, by) =>
      inTransaction(db, () => {
        const { user, session } = by;
        const own = list(user.id);
        if (!own.some((one) => one.id === id)) {
          throw new Failure('ACCOUNT_NOT_FOUND', 'No such account is linked.');
        }
        // A passkey does not count: it could be removed next.
        if (own.length === 1 && user.passwordHash === NO_PASSWORD) {
          const code = 'FAILED_TO_UNLINK_LAST_ACCOUNT';
          throw new Failure(code, FAILURES[code].meaning);
        }
        db.delete(linkedAccounts).where(eq(linkedAccounts.id, id)).run();
        const others = and(eq(sessions.userId, user.id), ne(sessions.id, session.id));
        db.delete(sessions).where(others).run();
        // A sign-in of which half is done began with it, perhaps.
        db.update(users).set({ updatedAt: now() }).where(eq(users.id, user.id)).run();
        record(by, 'unlinked');
      }),
  };
}
