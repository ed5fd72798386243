/** Listing and deleting accounts, and their roles. */
import { and, asc, count, eq, ne } from 'drizzle-orm';
import { Failure } from '../../../shared/failure.ts';
import type { Role } from '../../../shared/roles.ts';
import { invitations, sessions, users } from '../../db/accounts-schema.ts';
import { type Db, inTransaction } from '../../db/open.ts';
import { type Actor, recordSecurity } from '../security-log.ts';
import { USER, type User } from '../sessions/sessions.ts';

export type Directory = {
  /** All accounts, oldest first. */
  list(): User[];
  /**
   * Deletes an account with its sessions and tokens. Its changelog entries keep its name.
   * @throws Failure NOT_FOUND, LAST_USER, LAST_OWNER
   */
  remove(id: string, by: Actor): void;
  /**
   * Gives an account a role, and ends its sessions; a person who changes their own keeps `session`.
   * @throws Failure NOT_FOUND, LAST_OWNER
   */
  setRole(id: string, role: Role, by: Actor & { session?: { id: string } }): User;
};

type Transaction = Parameters<Parameters<typeof inTransaction>[1]>[0];

export function createDirectory({ db, now }: { db: Db; now: () => Date }): Directory {
  /** @throws Failure NOT_FOUND */
  function find(tx: Transaction, id: string): User {
    const user = tx.select(USER).from(users).where(eq(users.id, id)).get();
    if (!user) throw new Failure('NOT_FOUND', 'There is no such account.');
    return user;
  }

  /** @throws Failure LAST_OWNER */
  function assertOtherOwner(tx: Transaction, user: User): void {
    if (user.role !== 'owner') return;
    const others = and(eq(users.role, 'owner'), ne(users.id, user.id));
    if (tx.select({ id: users.id }).from(users).where(others).get()) return;
    throw new Failure(
      'LAST_OWNER',
      'The last owner can neither be deleted nor be given another role.',
    );
  }

  return {
    list: () => db.select(USER).from(users).orderBy(asc(users.createdAt), asc(users.id)).all(),

    remove(id, by) {
      inTransaction(db, (tx) => {
        const user = find(tx, id);
        if (tx.select({ all: count() }).from(users).get()?.all === 1) {
          throw new Failure('LAST_USER', 'The last account cannot be deleted.');
        }
        assertOtherOwner(tx, user);
        tx.delete(users).where(eq(users.id, id)).run();
        recordSecurity(tx, now(), by, { kind: 'account', target: user.email, detail: 'deleted' });
      });
    },

    setRole: (id, role, by) =>
      inTransaction(db, (tx) => {
        const user = find(tx, id);
        if (user.role === role) return user;
        assertOtherOwner(tx, user);
        const changed = { role, updatedAt: now() };
        tx.update(users).set(changed).where(eq(users.id, id)).run();
        const others = and(eq(sessions.userId, id), ne(sessions.id, by.session?.id ?? ''));
        tx.delete(sessions).where(others).run();
        // An owner again has to invite again.
        tx.delete(invitations).where(eq(invitations.invitedBy, id)).run();
        recordSecurity(tx, now(), by, { kind: 'role', target: user.email, detail: role });
        return { ...user, ...changed };
      }),
  };
}
