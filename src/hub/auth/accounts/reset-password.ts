/** Resets a password without the old one, for `signalbox passwd` on the host itself. */
import { randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { type Db, inTransaction } from '../../db/open.ts';
import { sessions, users } from '../../db/schema.ts';
import { checkPassword, createPasswords } from './password.ts';

/** 144 bits. */
const GENERATED_BYTES = 18;

export const generatePassword = (): string => randomBytes(GENERATED_BYTES).toString('base64url');

/**
 * Sets an account's password and ends all its sessions.
 * @throws Error if there is no such account; Failure PASSWORD_…
 */
export async function resetPassword(
  db: Db,
  email: string,
  password: string,
  at: Date,
): Promise<void> {
  const account = eq(users.email, email.trim().toLowerCase());
  const user = db.select({ id: users.id }).from(users).where(account).get();
  if (!user) throw new Error('there is no account with this email address');
  await checkPassword(password);
  const passwordHash = await createPasswords().hash(password);
  inTransaction(db, (tx) => {
    tx.update(users).set({ passwordHash, updatedAt: at }).where(eq(users.id, user.id)).run();
    tx.delete(sessions).where(eq(sessions.userId, user.id)).run();
  });
}
