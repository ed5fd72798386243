/** The accounts there are, as those who have one see them. */
import { asc, count, eq } from 'drizzle-orm';
import { Failure } from '../../../shared/failure.ts';
import type { Db } from '../../db/open.ts';
import { users } from '../../db/schema.ts';
import type { User } from '../sessions/sessions.ts';

export type Directory = ReturnType<typeof createDirectory>;

export function createDirectory({ db }: { db: Db }) {
  return {
    /** Oldest first. */
    list: (): User[] => db.select().from(users).orderBy(asc(users.createdAt), asc(users.id)).all(),

    /**
     * The account goes with its sessions and tokens; what it changed keeps its name.
     * @throws Failure NOT_FOUND, LAST_USER
     */
    remove(id: string): void {
      db.transaction(
        (tx) => {
          if (!tx.select({ id: users.id }).from(users).where(eq(users.id, id)).get()) {
            throw new Failure('NOT_FOUND', 'There is no such account.');
          }
          if (tx.select({ all: count() }).from(users).get()?.all === 1) {
            throw new Failure('LAST_USER', 'The last account cannot be deleted.');
          }
          tx.delete(users).where(eq(users.id, id)).run();
        },
        { behavior: 'immediate' },
      );
    },
  };
}
