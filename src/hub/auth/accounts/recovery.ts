/** What `signalbox passwd` does for someone who is locked out. */
import { eq } from 'drizzle-orm';
import { ENDED_BY_RECOVERY } from '../../../features/tables.ts';
import { sessions, users } from '../../db/accounts-schema.ts';
import { type Db, inTransaction } from '../../db/open.ts';
import { COMMAND_LINE } from '../command-line.ts';
import { recordSecurity, type SecurityEvent } from '../security-log.ts';
import { checkPassword, createPasswords } from './password.ts';

/** What is left out stays as it is. */
type Recovery = {
  /** The new one. */
  password?: string;
  /** Removes codes, recovery codes and passkeys; linked accounts are no second factor. */
  resetFactors?: boolean;
  /** Gives the account the role `owner`. */
  owner?: boolean;
};

const BY = { user: COMMAND_LINE, via: null, client: { ip: '', userAgent: '' } };

/**
 * Lets the holder of an account in again, and ends its sessions.
 * @returns the email address as it is stored
 * @throws Error if there is no such account; Failure PASSWORD_…
 */
export async function recoverAccount(
  db: Db,
  email: string,
  { password, resetFactors = false, owner = false }: Recovery,
  at: Date,
): Promise<string> {
  const account = eq(users.email, email.trim().toLowerCase());
  const user = db.select().from(users).where(account).get();
  if (!user) throw new Error('there is no account with this email address');
  if (password !== undefined) await checkPassword(password);
  const passwordHash = password === undefined ? undefined : await createPasswords().hash(password);
  const changed = {
    ...(passwordHash !== undefined && { passwordHash }),
    ...(owner && { role: 'owner' as const }),
    updatedAt: at,
  };
  const events: SecurityEvent[] = [
    ...(password === undefined ? [] : [{ kind: 'password', detail: 'reset' } as const]),
    ...(resetFactors ? [{ kind: 'factor', detail: 'all removed' } as const] : []),
    ...(owner ? [{ kind: 'role', detail: 'owner' } as const] : []),
  ];
  inTransaction(db, (tx) => {
    tx.update(users).set(changed).where(eq(users.id, user.id)).run();
    const { always, factors } = ENDED_BY_RECOVERY;
    const ended = [sessions, ...always, ...(resetFactors ? factors : [])];
    for (const table of ended) tx.delete(table).where(eq(table.userId, user.id)).run();
    for (const event of events) recordSecurity(tx, at, BY, { ...event, target: user.email });
  });
  return user.email;
}
