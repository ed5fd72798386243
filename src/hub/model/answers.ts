/** The answers to accepted requests that carry a key, so that a retry gets the same one. */
import { and, eq, gt, lte } from 'drizzle-orm';
import type { Db } from '../db/open.ts';
import { answers } from '../db/schema.ts';

export type KeptAnswer = typeof answers.$inferInsert;

/** How long a retry gets the first answer: a day. */
const KEPT_MS = 24 * 3_600_000;

const oldest = (time: Date): Date => new Date(time.getTime() - KEPT_MS);

/** Keeps an answer, in place of an earlier one with its key, and drops those that are too old. @throws SQLite errors */
export function keepAnswer(db: Pick<Db, 'insert' | 'delete'>, answer: KeptAnswer): void {
  db.delete(answers)
    .where(lte(answers.createdAt, oldest(answer.createdAt)))
    .run();
  db.insert(answers).values(answer).onConflictDoUpdate({ target: answers.key, set: answer }).run();
}

/** The answer with a key, unless it is too old by now. */
export const findAnswer = (db: Db, key: string, time: Date): KeptAnswer | undefined =>
  db
    .select()
    .from(answers)
    .where(and(eq(answers.key, key), gt(answers.createdAt, oldest(time))))
    .get();
