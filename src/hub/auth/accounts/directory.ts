/** Listing and deleting accounts. */
import { asc, count, eq } from 'drizzle-orm';
import { Failure } from '../../../shared/failure.ts';
import { type Db, inTransaction } from '../../db/open.ts';
import { users } from '../../db/schema.ts';
import type { User } from '../sessions/sessions.ts';

export type Directory = {
  /** All accounts, oldest first. */
  list(): User[];
  /**
   * Deletes an account with its sessions and tokens. Its changelog entries keep its name.
   * @throws Failure NOT_FOUND, LAST_USER
   */
  remove(id: string): void;
};

export function createDirectory({ db }: { db: Db }): Directory {
  return {
    list: () => db.select().from(users).orderBy(asc(users.createdAt), asc(users.id)).all(),

    remove(id) {
      inTransaction(db, (tx) => {
        if (!tx.select({ id: users.id }).from(users).where(eq(users.id, id)).get()) {
          throw new Failure('NOT_FOUND', 'There is no such account.');
        }
        if (tx.select({ all: count() }).from(users).get()?.all === 1) {
          throw new Failure('LAST_USER', 'The last account cannot be deleted.');
        }
        tx.delete(users).where(eq(users.id, id)).run();
      });
    },
  };
}
