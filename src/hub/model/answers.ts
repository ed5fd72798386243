/** The answers to accepted requests that carry a key, so that a retry gets the same one. */
import { and, eq, gt, lte, sql } from 'drizzle-orm';
import { memoize } from '../../shared/memoize.ts';
import type { Db } from '../db/open.ts';
import { answers } from '../db/schema.ts';

export type KeptAnswer = typeof answers.$inferInsert;

/** How long a retry gets the first answer: a day. */
const KEPT_MS = 24 * 3_600_000;

/** Bytes of the answers kept for an account or token: those to 10,000 requests for a site of 6 KiB. */
const MOST_BYTES = 64 * 1024 * 1024;

const oldest = (time: Date): Date => new Date(time.getTime() - KEPT_MS);

/**
 * Keeps an answer, in place of an earlier one with its key. Of the oldest ones of the same account or token
 * that exceed what is kept, only the keys stay: nothing is done twice.
 * @throws SQLite errors
 */
export function keepAnswer(
  db: Pick<Db, 'insert' | 'run'>,
  answer: KeptAnswer,
  most = MOST_BYTES,
): void {
  db.insert(answers).values(answer).onConflictDoUpdate({ target: answers.key, set: answer }).run();
  db.run(sql`UPDATE answers SET body = NULL WHERE key IN (
    SELECT key FROM (
      SELECT key, sum(length(body)) OVER (ORDER BY created_at DESC, key) AS bytes
      FROM answers WHERE whose = ${answer.whose}
    ) WHERE bytes > ${most}
  )`);
}

/** Drops those that are too old. @throws SQLite errors */
export function dropAnswers(db: Pick<Db, 'delete'>, time: Date): void {
  dropping(db).run({ until: oldest(time) });
}

/** Prepared once, because each change does it. */
const dropping = memoize((db: Pick<Db, 'delete'>) =>
  db
    .delete(answers)
    .where(lte(answers.createdAt, sql.param(sql.placeholder('until'), answers.createdAt)))
    .prepare(),
);

/** The answer with a key, unless it is too old by now. */
export const findAnswer = (db: Db, key: string, time: Date): KeptAnswer | undefined =>
  db
    .select()
    .from(answers)
    .where(and(eq(answers.key, key), gt(answers.createdAt, oldest(time))))
    .get();
