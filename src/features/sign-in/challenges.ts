/** What a browser has to answer once, such as half a sign-in. It alone holds the id, in a cookie. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { and, desc, eq, inArray, isNull, lte, or, sql } from 'drizzle-orm';
import { SECOND_HALF } from '../../hub/auth/beside-passwords.ts';
import { type Db, inTransaction } from '../../hub/db/open.ts';
import { hashOf } from '../../shared/bearer.ts';
import { challenges } from './tables.ts';

/** How many seconds there are for an answer. */
export const SECONDS = {
  two_factor: SECOND_HALF.seconds,
  passkey: 300,
  passkey_new: 300,
  oidc: 600,
} as const;

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
/** The same for those of nobody, which strangers can begin: at most 20 MB of visits to a sign-in service. */
const OF_NOBODY = 5000;
const TAG_BYTES = 32;
const TIME_BYTES = 6;
/** So that no two are the same. */
const NONCE_BYTES = 16;
const START_BYTES = TIME_BYTES + NONCE_BYTES;

/**
 * Challenges of nobody that are in no table, so that strangers who begin many push out none of others: what the
 * browser holds is the challenge itself, with its end and a tag (HMAC-SHA-256). Those that were answered are
 * remembered until they end. The key is as old as the process: after a restart, they have to begin again.
 */
function createTagged(now: () => Date) {
  const key = randomBytes(TAG_BYTES);
  const used = new Map<string, number>();
  const tagOf = (kind: ChallengeKind, content: Buffer) =>
    createHmac('sha256', key).update(kind).update('\0').update(content).digest();

  function find(kind: ChallengeKind, id: string): Challenge | null {
    const bytes = Buffer.from(id, 'base64url');
    // The same bytes may be written in several ways: one only is an id.
    if (bytes.toString('base64url') !== id || used.has(id)) return null;
    if (bytes.length < TAG_BYTES + START_BYTES) return null;
    const [tag, content] = [bytes.subarray(0, TAG_BYTES), bytes.subarray(TAG_BYTES)];
    if (!timingSafeEqual(tag, tagOf(kind, content))) return null;
    const left = content.readUIntBE(0, TIME_BYTES) - now().getTime();
    if (left <= 0 || left > SECONDS[kind] * 1000) return null;
    const data = JSON.parse(content.subarray(START_BYTES).toString()) as Challenge['data'];
    return { userId: null, data, failures: 0 };
  }

  return {
    find,
    begin(kind: ChallengeKind, data: Challenge['data']): string {
      const end = Buffer.alloc(TIME_BYTES);
      end.writeUIntBE(now().getTime() + SECONDS[kind] * 1000, 0, TIME_BYTES);
      const content = Buffer.concat([
        end,
        randomBytes(NONCE_BYTES),
        Buffer.from(JSON.stringify(data)),
      ]);
      return Buffer.concat([tagOf(kind, content), content]).toString('base64url');
    },
    take(kind: ChallengeKind, id: string): Challenge | null {
      const found = find(kind, id);
      const at = now().getTime();
      for (const [one, end] of used) if (end <= at) used.delete(one);
      if (found) used.set(id, at + SECONDS[kind] * 1000);
      return found;
    },
  };
}

export function createChallenges({ db, now }: { db: Db; now: () => Date }): Challenges {
  const tagged = createTagged(now);
  const byId = (id: string) => eq(challenges.idHash, hashOf(id));

  function find(kind: ChallengeKind, id: string | null): Challenge | null {
    const found = id === null ? undefined : db.select().from(challenges).where(byId(id)).get();
    if (found?.kind !== kind) return null;
    const left = found.expiresAt.getTime() - now().getTime();
    // Longer, if the clock was ahead when it began.
    return left > 0 && left <= SECONDS[kind] * 1000 ? found : null;
  }

  const findAny = (kind: ChallengeKind, id: string | null) =>
    find(kind, id) ?? (id === null ? null : tagged.find(kind, id));

  return {
    find: findAny,

    begin(kind, { userId = null, data = {} }) {
      if (kind === 'passkey' && userId === null) return tagged.begin(kind, data);
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
      if (id === null) return null;
      if (!found) return tagged.take(kind, id);
      db.delete(challenges).where(byId(id)).run();
      return found;
    },

    fail(id) {
      const failures = sql`${challenges.failures} + 1`;
      db.update(challenges).set({ failures }).where(byId(id)).run();
    },
  };
}
