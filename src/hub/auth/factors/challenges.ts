/** What a browser has to answer once, such as half a sign-in. It alone holds the id, in a cookie. */
import { randomBytes } from 'node:crypto';
import { and, desc, eq, inArray, isNull, lte, or, sql } from 'drizzle-orm';
import { challenges } from '../../db/accounts-schema.ts';
import { type Db, inTransaction } from '../../db/open.ts';
import { hashOf } from '../secret.ts';

/** How many seconds there are for an answer. */
export const SECONDS = { two_factor: 600, passkey: 300, passkey_new: 300, oidc: 600 } as const;

export type ChallengeKind = keyof typeof SECONDS;

export type Challenge = Pick<typeof challenges.$inferSelect, 'userId' | 'data' | 'failures'>;

export type Challenges = {
  /** @param of `userId`: whose; without, anyone's @returns the id, for the browser */
  begin(kind: ChallengeKind, of: Partial<Pick<Challenge, 'userId' | 'data'>>): string;
  /** Null for any id that is not valid, whatever the reason. */
  find(kind: ChallengeKind, id: string | null): Challenge | null;
  /** Finds it for the last time. */
  take(kind: ChallengeKind, id: string | null): Challenge | null;
  /** Counts a wrong answer. */
  fail(id: string): void;
};

const ID_BYTES = 32;
/** Who begins more of a kind at once loses the oldest of that kind. */
const PER_ACCOUNT = 20;
/** The same for those of nobody, which strangers can begin: a megabyte of passkeys’, of visits at most 20. */
const OF_NOBODY = 5000;

export function createChallenges({ db, now }: { db: Db; now: () => Date }): Challenges {
  const byId = (id: string) => eq(challenges.idHash, hashOf(id));

  function find(kind: ChallengeKind, id: string | null): Challenge | null {
    const found = id === null ? undefined : db.select().from(challenges).where(byId(id)).get();
    if (found?.kind !== kind) return null;
    const left = found.expiresAt.getTime() - now().getTime();
    // Longer, if the clock was ahead when it began.
    return left > 0 && left <= SECONDS[kind] * 1000 ? found : null;
  }

  return {
    find,

    begin(kind, { userId = null, data = {} }) {
      const id = randomBytes(ID_BYTES).toString('base64url');
      const at = now();
      const expiresAt = new Date(at.getTime() + SECONDS[kind] * 1000);
      const whose = userId === null ? isNull(challenges.userId) : eq(challenges.userId, userId);
      const own = and(eq(challenges.kind, kind), whose);
      inTransaction(db, (tx) => {
        tx.insert(challenges)
          .values({ idHash: hashOf(id), kind, userId, data, failures: 0, expiresAt })
          .run();
        const oldest = tx
          .select({ idHash: challenges.idHash })
          .from(challenges)
          .where(own)
          .orderBy(desc(challenges.expiresAt))
          .limit(OF_NOBODY)
          .offset(userId === null ? OF_NOBODY : PER_ACCOUNT);
        const isOver = or(
          lte(challenges.expiresAt, at),
          and(own, inArray(challenges.idHash, oldest)),
        );
        tx.delete(challenges).where(isOver).run();
      });
      return id;
    },

    take(kind, id) {
      const found = find(kind, id);
      if (found && id !== null) db.delete(challenges).where(byId(id)).run();
      return found;
    },

    fail(id) {
      const failures = sql`${challenges.failures} + 1`;
      db.update(challenges).set({ failures }).where(byId(id)).run();
    },
  };
}
