/** Sessions: made, found by their token, extended, ended. Only a token's hash is stored. */
import { randomBytes, randomUUID } from 'node:crypto';
import { and, desc, eq, gt, lt, ne } from 'drizzle-orm';
import type { Db } from '../../db/open.ts';
import { sessions, users } from '../../db/schema.ts';
import { hashOf } from '../secret.ts';

export type User = typeof users.$inferSelect;
/** A session with the token its owner presented. */
export type Session = Omit<typeof sessions.$inferSelect, 'tokenHash'> & { token: string };
/** What its owner sees in a list: no token. */
export type SessionInfo = Omit<Session, 'token' | 'userId'>;
export type Who = { user: User; session: Session };
/** Where a request comes from. */
export type Client = { ip: string; userAgent: string };

/** As better-auth's: seven days, counted anew when a session is used that is more than a day old. */
const LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;
const EXTEND_AFTER_MS = 24 * 60 * 60 * 1000;
export const SESSION_SECONDS = LIFETIME_MS / 1000;

const TOKEN_BYTES = 32;
const LONGEST_USER_AGENT = 512;

export function createSessions({ db, now }: { db: Db; now: () => Date }) {
  return {
    start(userId: string, client: Client): Session {
      const at = now();
      const token = randomBytes(TOKEN_BYTES).toString('base64url');
      const row = {
        id: randomUUID(),
        userId,
        tokenHash: hashOf(token),
        ipAddress: client.ip,
        userAgent: client.userAgent.slice(0, LONGEST_USER_AGENT),
        expiresAt: new Date(at.getTime() + LIFETIME_MS),
        createdAt: at,
        updatedAt: at,
      };
      db.delete(sessions).where(lt(sessions.expiresAt, at)).run();
      db.insert(sessions).values(row).run();
      return withToken(row, token);
    },

    /** Null for any token that is not good, whatever is wrong with it. */
    find(token: string | null): Who | null {
      if (token === null) return null;
      const tokenHash = hashOf(token);
      const found = db
        .select()
        .from(sessions)
        .innerJoin(users, eq(users.id, sessions.userId))
        .where(eq(sessions.tokenHash, tokenHash))
        .get();
      const at = now();
      if (!found || found.sessions.expiresAt <= at) return null;
      if (at.getTime() - found.sessions.updatedAt.getTime() > EXTEND_AFTER_MS) {
        const extended = { expiresAt: new Date(at.getTime() + LIFETIME_MS), updatedAt: at };
        db.update(sessions).set(extended).where(eq(sessions.tokenHash, tokenHash)).run();
        Object.assign(found.sessions, extended);
      }
      return { user: found.users, session: withToken(found.sessions, token) };
    },

    /** Those that are still good, the latest used first. */
    list: (userId: string): SessionInfo[] =>
      db
        .select({
          id: sessions.id,
          ipAddress: sessions.ipAddress,
          userAgent: sessions.userAgent,
          createdAt: sessions.createdAt,
          updatedAt: sessions.updatedAt,
          expiresAt: sessions.expiresAt,
        })
        .from(sessions)
        .where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, now())))
        .orderBy(desc(sessions.updatedAt))
        .all(),

    /** @returns whether the user had such a session */
    endOne: (userId: string, id: string): boolean =>
      db
        .delete(sessions)
        .where(and(eq(sessions.userId, userId), eq(sessions.id, id)))
        .returning({ id: sessions.id })
        .get() !== undefined,

    endOthers(userId: string, kept: string): void {
      db.delete(sessions)
        .where(and(eq(sessions.userId, userId), ne(sessions.id, kept)))
        .run();
    },

    end(token: string | null): void {
      if (token !== null)
        db.delete(sessions)
          .where(eq(sessions.tokenHash, hashOf(token)))
          .run();
    },
  };
}

function withToken(row: typeof sessions.$inferSelect, token: string): Session {
  const { tokenHash: _, ...rest } = row;
  return { ...rest, token };
}
