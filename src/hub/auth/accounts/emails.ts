/** Email addresses of accounts. */
import { eq } from 'drizzle-orm';
import { FAILURES, Failure } from '../../../shared/failure.ts';
import { users } from '../../db/accounts-schema.ts';
import type { Db } from '../../db/open.ts';
import { USER, type User } from '../sessions/sessions.ts';

/** RFC 5321 4.5.3.1.3 leaves 254 characters for an address. */
const MAX_EMAIL = 254;
const EMAIL = /^[^\s@"(),:;<>[\\\]]+@(?:[\p{L}\p{N}_-]+\.)*[\p{L}\p{N}_-]+$/u;

/** In lower case; null if it is not an email address. */
export function normalizeEmail(email: string): string | null {
  const normal = email.trim().toLowerCase();
  return normal.length <= MAX_EMAIL && EMAIL.test(normal) ? normal : null;
}

/** @throws Failure INVALID_EMAIL */
export function readEmail(email: string): string {
  const normal = normalizeEmail(email);
  if (normal !== null) return normal;
  throw new Failure('INVALID_EMAIL', FAILURES.INVALID_EMAIL.meaning, { at: { field: 'email' } });
}

/** @param email in normal form */
export const findByEmail = (db: Db, email: string): User | undefined =>
  db.select(USER).from(users).where(eq(users.email, email)).get();

/** @param email in normal form @throws Failure USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL */
export function assertNewEmail(db: Db, email: string): void {
  if (!findByEmail(db, email)) return;
  const code = 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL';
  throw new Failure(code, FAILURES[code].meaning, { at: { field: 'email' } });
}
