/** Sessions in the database: started, found by token, extended, ended. */
import { randomBytes, randomUUID } from 'node:crypto';
import { and, desc, eq, getTableColumns, gt, lt, ne } from 'drizzle-orm';
import type { Db } from '../../db/open.ts';
import { sessions, users } from '../../db/schema.ts';
import { hashOf } from '../secret.ts';
import { tryToNote } from '../try-to-note.ts';

export type User = typeof users.$inferSelect;
/** A session with the token that its owner presented; only the token's hash is stored. */
export type Session = Omit<typeof sessions.$inferSelect, 'tokenHash'> & { token: string };
/** A session as its owner sees it in a list: without the token. */
export type SessionInfo = Omit<Session, 'token' | 'userId'>;
export type SignedIn = { user: User; session: Session };
/** Where a request comes from. */
export type Client = { ip: string; userAgent: string };

export type Sessions = {
  start(userId: string, client: Client): Session;
  /** Null for any token that is not valid, whatever the reason. Extends the session. */
  find(token: string | null): SignedIn | null;
  /** Whether `find` would find it; does not extend the session. */
  isValid(token: string | null): boolean;
  /** The user's valid sessions, most recently used first. */
  list(userId: string): SessionInfo[];
  /** Ends the session with this token, if there is one. */
  end(token: string | null): void;
  /** @returns whether the user had this session */
  endOne(userId: string, id: string): boolean;
  /** Ends all of the user's sessions except `kept`, an id. */
  endOthers(userId: string, kept: string): void;
};

/** As in better-auth: seven days, extended when a session that is over a day old is used. */
const LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;
const EXTEND_AFTER_MS = 24 * 60 * 60 * 1000;
/** The lifetime of a session, for its cookie. */
export const SESSION_SECONDS = LIFETIME_MS / 1000;

const { tokenHash: _, userId: __, ...LISTED } = getTableColumns(sessions);

const TOKEN_BYTES = 32;
const MAX_USER_AGENT = 512;

export function createSessions({ db, now }: { db: Db; now: () => Date }): Sessions {
  /** A session made while the clock was ahead would live as much longer. */
  function limitLifetimes(at: Date): void {
    const expiresAt = new Date(at.getTime() + LIFETIME_MS);
    const longer = gt(sessions.expiresAt, expiresAt);
    db.update(sessions).set({ expiresAt, updatedAt: at }).where(longer).run();
  }

  return {
    start(userId, client) {
      const at = now();
      const token = randomBytes(TOKEN_BYTES).toString('base64url');
      const row = {
        id: randomUUID(),
        userId,
        tokenHash: hashOf(token),
        ipAddress: client.ip,
        userAgent: client.userAgent.slice(0, MAX_USER_AGENT),
        expiresAt: new Date(at.getTime() + LIFETIME_MS),
        createdAt: at,
        updatedAt: at,
      };
      db.delete(sessions).where(lt(sessions.expiresAt, at)).run();
      limitLifetimes(at);
      db.insert(sessions).values(row).run();
      return withToken(row, token);
    },

    find(token) {
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
      // Also if the clock was ahead when it was last used.
      if (Math.abs(at.getTime() - found.sessions.updatedAt.getTime()) > EXTEND_AFTER_MS) {
        tryToNote(() => {
          const extended = { expiresAt: new Date(at.getTime() + LIFETIME_MS), updatedAt: at };
          limitLifetimes(at);
          db.update(sessions).set(extended).where(eq(sessions.tokenHash, tokenHash)).run();
          Object.assign(found.sessions, extended);
        });
      }
      return { user: found.users, session: withToken(found.sessions, token) };
    },

    isValid(token) {
      if (token === null) return false;
      const valid = and(eq(sessions.tokenHash, hashOf(token)), gt(sessions.expiresAt, now()));
      return db.select({ id: sessions.id }).from(sessions).where(valid).get() !== undefined;
    },

    list: (userId) =>
      db
        .select(LISTED)
        .from(sessions)
        .where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, now())))
        .orderBy(desc(sessions.updatedAt))
        .all(),

    end(token) {
      if (token === null) return;
      const byToken = eq(sessions.tokenHash, hashOf(token));
      db.delete(sessions).where(byToken).run();
    },

    endOne(userId, id) {
      const own = and(eq(sessions.userId, userId), eq(sessions.id, id));
      return db.delete(sessions).where(own).returning({ id: sessions.id }).get() !== undefined;
    },

    endOthers(userId, kept) {
      const others = and(eq(sessions.userId, userId), ne(sessions.id, kept));
      db.delete(sessions).where(others).run();
    },
  };
}

function withToken(row: typeof sessions.$inferSelect, token: string): Session {
  const { tokenHash: _, ...rest } = row;
  return { ...rest, token };
}
