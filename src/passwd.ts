/** `signalbox passwd EMAIL`: for who is locked out, on the host itself. */
import { randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { checkPassword, createPasswords } from './auth/password.ts';
import type { Db } from './db/open.ts';
import { sessions, users } from './db/schema.ts';

/** 144 bits. */
const GENERATED_BYTES = 18;

export const generatePassword = (): string => randomBytes(GENERATED_BYTES).toString('base64url');

/**
 * Gives an account a new password and ends all its sessions.
 * @throws Error where there is no such account; Failure PASSWORD_…
 */
export async function resetPassword(
  db: Db,
  email: string,
  password: string,
  at: Date,
): Promise<void> {
  const account = eq(users.email, email.trim().toLowerCase());
  const user = db.select({ id: users.id }).from(users).where(account).get();
  if (!user) throw new Error('there is no account with this e-mail address');
  await checkPassword(password);
  const passwordHash = await createPasswords().hash(password);
  db.transaction(
    (tx) => {
      tx.update(users).set({ passwordHash, updatedAt: at }).where(eq(users.id, user.id)).run();
      tx.delete(sessions).where(eq(sessions.userId, user.id)).run();
    },
    { behavior: 'immediate' },
  );
}

/**
 * A line from standard input: what is typed at a terminal is not shown, a pipe is read to its first
 * line end. Null where Ctrl-C was typed.
 */
export async function readSecretLine(prompt: string): Promise<string | null> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) return (await Bun.stdin.text()).split(/\r?\n/)[0] ?? '';
  stderr.write(prompt);
  stdin.setRawMode(true);
  let typed = '';
  try {
    for await (const chunk of stdin) {
      for (const sign of String(chunk)) {
        if (sign === '\r' || sign === '\n') return typed;
        if (sign === '\u0003' || sign === '\u0004') return null;
        typed = sign === '\u007f' ? [...typed].slice(0, -1).join('') : typed + sign;
      }
    }
    return typed;
  } finally {
    stdin.setRawMode(false);
    stderr.write('\n');
  }
}
