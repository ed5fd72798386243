/** The second factors in the database: of an account one that counts, and one that does not yet. */
import { and, eq } from 'drizzle-orm';
import { recordSecurity } from '../../../hub/auth/security-log.ts';
import type { Visitor } from '../../../hub/auth/sessions/sessions.ts';
import type { HubCore } from '../../../hub/core.ts';
import { Failure } from '../../../shared/failure.ts';
import { twoFactors } from '../tables.ts';

export type Factor = typeof twoFactors.$inferSelect;

/** What setting up a second factor and asking for it have in common. */
type Factors = {
  /** @param verified whether the one that counts */
  find(userId: string, verified: boolean): Factor | undefined;
  change(factor: Factor, changed: Partial<Factor>): void;
  remove(userId: string, verified: boolean): void;
  /** Replaces the one that does not count yet. @throws Failure SECRET_KEY_UNUSABLE */
  put(userId: string, secret: string, codes: readonly string[]): void;
  /** @throws Failure SECRET_KEY_UNUSABLE */
  open(factor: Factor): string;
  record(who: Visitor, detail: string): void;
};

const sealedOf = (userId: string) => `two_factors ${userId} secret`;

export function createFactors({ db, now, sealing }: HubCore): Factors {
  const row = (userId: string, verified: boolean) =>
    and(eq(twoFactors.userId, userId), eq(twoFactors.verified, verified));
  return {
    find: (userId, verified) => db.select().from(twoFactors).where(row(userId, verified)).get(),
    change(factor, changed) {
      db.update(twoFactors).set(changed).where(row(factor.userId, factor.verified)).run();
    },
    remove(userId, verified) {
      db.delete(twoFactors).where(row(userId, verified)).run();
    },
    put(userId, secret, codes) {
      const pending = {
        userId,
        verified: false,
        lastStep: 0,
        failures: 0,
        lockedUntil: null,
        secret: sealing.seal(secret, sealedOf(userId)),
        codes,
      };
      db.insert(twoFactors)
        .values(pending)
        .onConflictDoUpdate({ target: [twoFactors.userId, twoFactors.verified], set: pending })
        .run();
    },
    open: ({ userId, secret }) => sealing.open(secret, sealedOf(userId)),
    record: (who, detail) =>
      recordSecurity(db, now(), who, { kind: 'factor', target: who.user.email, detail }),
  };
}

export const notEnabled = (method: 'totp' | 'recovery') =>
  new Failure(
    method === 'totp' ? 'TOTP_NOT_ENABLED' : 'BACKUP_CODES_NOT_ENABLED',
    'There is no second factor.',
  );
