/** Links with which owners let others make an account: once, within seven days, with a role. */
import { randomUUID } from 'node:crypto';
import { and, asc, eq, gt, lte } from 'drizzle-orm';
import { hashOf, newToken } from '../../../shared/bearer.ts';
import { Failure } from '../../../shared/failure.ts';
import type { Role } from '../../../shared/roles.ts';
import { invitations, users } from '../../db/accounts-schema.ts';
import { type Db, inTransaction } from '../../db/open.ts';
import { type Actor, recordSecurity } from '../security-log.ts';
import type { User } from '../sessions/sessions.ts';
import { assertNewEmail, readEmail } from './emails.ts';

/** An invitation without its token; `invitedBy` is the name of an owner. */
type Invitation = Omit<typeof invitations.$inferSelect, 'tokenHash'>;

export type InvitationKey = { id: string } | { token: string };

export type Invitations = {
  /** Those that can still be used, oldest first. */
  list(): Invitation[];
  /**
   * @param input `email`: the only one that may use it
   * @returns the token too, which is stored nowhere
   * @throws Failure INVALID_EMAIL, USER_ALREADY_EXISTS_…
   */
  create(
    input: { role: Role; email?: string | null | undefined },
    by: Actor & { user: Pick<User, 'id' | 'name'> },
  ): Invitation & { token: string };
  /** @throws Failure NOT_FOUND */
  remove(id: string, by: Actor): void;
  /**
   * @param by the id, or the token for those who know nothing else
   * @param email of whoever wants to use it, in normal form; null: not known yet
   * @throws Failure INVITATION_INVALID
   */
  check(by: InvitationKey, email: string | null): Invitation;
  /** Uses up what `check` found, in the transaction that makes the account. @param by the new account */
  use(invitation: Invitation, by: Actor & { user: Pick<User, 'email'> }): void;
};

const LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;

export function createInvitations({ db, now }: { db: Db; now: () => Date }): Invitations {
  /** An invitation ends when whoever made it is no longer an owner. */
  const select = () =>
    db
      .select()
      .from(invitations)
      .innerJoin(users, and(eq(users.id, invitations.invitedBy), eq(users.role, 'owner')))
      .$dynamic();
  const isValid = () => gt(invitations.expiresAt, now());

  function view(found: ReturnType<ReturnType<typeof select>['all']>[number]): Invitation {
    const { tokenHash: _, ...rest } = found.invitations;
    return { ...rest, invitedBy: found.users.name };
  }

  function record(by: Actor, what: string, { role, email }: Pick<Invitation, 'role' | 'email'>) {
    const detail = `${what}: ${role}`;
    recordSecurity(db, now(), by, { kind: 'invitation', target: email ?? 'anyone', detail });
  }

  const removeOne = (id: string) => db.delete(invitations).where(eq(invitations.id, id));

  return {
    list: () => select().where(isValid()).orderBy(asc(invitations.createdAt)).all().map(view),

    create: ({ role, email: given }, by) =>
      inTransaction(db, () => {
        const at = now();
        const email = given ? readEmail(given) : null;
        if (email !== null) assertNewEmail(db, email);
        const token = newToken();
        const expiresAt = new Date(at.getTime() + LIFETIME_MS);
        const row = { id: randomUUID(), role, email, createdAt: at, expiresAt };
        db.delete(invitations).where(lte(invitations.expiresAt, at)).run();
        db.insert(invitations)
          .values({ ...row, tokenHash: hashOf(token), invitedBy: by.user.id })
          .run();
        record(by, 'made', row);
        return { ...row, invitedBy: by.user.name, token };
      }),

    remove: (id, by) =>
      inTransaction(db, () => {
        const found = removeOne(id).returning().get();
        if (!found) throw new Failure('NOT_FOUND', 'There is no such invitation.');
        record(by, 'removed', found);
      }),

    check(by, email) {
      const one =
        'id' in by ? eq(invitations.id, by.id) : eq(invitations.tokenHash, hashOf(by.token));
      const found = select().where(and(one, isValid())).get();
      if (!found) {
        throw new Failure(
          'INVITATION_INVALID',
          'This invitation is wrong, used or expired: ask for another one.',
        );
      }
      const invitation = view(found);
      if (email !== null && invitation.email !== null && invitation.email !== email) {
        const message = 'This invitation is for another email address.';
        throw new Failure('INVITATION_INVALID', message, { at: { field: 'email' } });
      }
      return invitation;
    },

    use(invitation, by) {
      removeOne(invitation.id).run();
      record(by, 'used', { ...invitation, email: by.user.email });
    },
  };
}
