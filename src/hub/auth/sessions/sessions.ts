/** Sessions in the database: started, found by token, extended, ended. */
import { randomUUID } from 'node:crypto';
import { and, desc, eq, getTableColumns, gt, lt, ne, sql } from 'drizzle-orm';
import { hashOf, newToken } from '../../../shared/bearer.ts';
import { Failure } from '../../../shared/failure.ts';
import type { Role } from '../../../shared/roles.ts';
import { sessions, users } from '../../db/accounts-schema.ts';
import { onceATurn } from '../../db/once-a-turn.ts';
import type { Db } from '../../db/open.ts';
import { tryToNote } from '../try-to-note.ts';

export type User = typeof users.$inferSelect & {
  /** Whether signing in by password needs a code, too. */
  twoFactorEnabled: boolean;
};
/** What to select for a `User`. */
export const USER = {
  ...getTableColumns(users),
  twoFactorEnabled:
    sql`EXISTS (SELECT 1 FROM two_factors WHERE two_factors.user_id = users.id AND verified)`.mapWith(
      Boolean,
    ),
};
/** A session with the token that its owner presented; only the token's hash is stored. */
export type Session = Omit<typeof sessions.$inferSelect, 'tokenHash'> & { token: string };
/** A session as its owner sees it in a list: without the token. */
export type SessionInfo = Omit<Session, 'token' | 'userId' | 'provedAt'>;
export type SignedIn = { user: User; session: Session };
/** Where a request comes from. */
export type Client = { ip: string; userAgent: string };
/** Somebody with a session who makes a request. */
export type Visitor = SignedIn & { via: null; client: Client };

/** Whom a guard let in; `assertAllowed` is that of a `Caller`. */
export type Person = Visitor & { assertAllowed: () => void };

export type Sessions = {
  start(userId: string, client: Client): Session;
  /** Null for any token that is not valid, whatever the reason. Extends the session. */
  find(token: string | null): SignedIn | null;
  /** The role of whoever `find` would find; does not extend the session. */
  roleOf(token: string | null): Role | null;
  /** Notes that its owner proved who they are. @returns until when that counts */
  prove(token: string): Date;
  /** The user's valid sessions, most recently used first. */
  list(userId: string): SessionInfo[];
  /** Ends the session with this token, if there is one. */
  end(token: string | null): void;
  /** @param userId whose it must be; without, anybody's @returns whose it was; null if there is no such session */
  endOne(id: string, userId?: string): string | null;
  /** Ends all of the user's sessions except `kept`, an id. */
  endOthers(userId: string, kept: string): void;
};

/** As in better-auth: seven days, extended when a session that is over a day old is used. */
const DAY_MS = 24 * 60 * 60 * 1000;
const LIFETIME_MS = 7 * DAY_MS;
const EXTEND_AFTER_MS = DAY_MS;
/** However often it is used (ASVS 5.0, 7.3.2; NIST SP 800-63B 2.2.3). */
const LONGEST_MS = 30 * DAY_MS;
/** For how long a proof counts for what changes who may do what (ASVS 5.0, 7.5.1). */
const FRESH_MS = 60 * 60 * 1000;
/** The lifetime of a session, for its cookie. */
export const SESSION_SECONDS = LIFETIME_MS / 1000;

/** What a request without a session is refused with, also if it ended meanwhile. */
export const unauthenticated = () => new Failure('UNAUTHENTICATED', 'Sign in first.');

/** @throws Failure SESSION_NOT_FRESH */
export function assertFresh(session: Pick<Session, 'provedAt'>, at: Date): void {
  if (isFresh(session, at)) return;
  throw new Failure(
    'SESSION_NOT_FRESH',
    'Prove who you are again: your last proof is over an hour old.',
  );
}

/** Whether its owner has just proved who they are; not if the clock was ahead then. */
const isFresh = (session: Pick<Session, 'provedAt'>, at: Date): boolean =>
  Math.abs(at.getTime() - session.provedAt.getTime()) <= FRESH_MS;

/** Until when a session lasts that is used now. */
const expiryOf = (createdAt: Date, at: Date): Date =>
  new Date(Math.min(at.getTime() + LIFETIME_MS, createdAt.getTime() + LONGEST_MS));

const { tokenHash: _, userId: __, provedAt: ___, ...LISTED } = getTableColumns(sessions);

const MAX_USER_AGENT = 512;

export function createSessions({ db, now }: { db: Db; now: () => Date }): Sessions {
  /** Prepared once, because nearly every request asks, and some several times. */
  const select = db
    .select({ sessions: getTableColumns(sessions), users: USER })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(eq(sessions.tokenHash, sql.placeholder('tokenHash')))
    .prepare();
  const byHash = onceATurn(db, (tokenHash) => select.get({ tokenHash }));

  /** A session made while the clock was ahead would live as much longer. */
  function limitLifetimes(at: Date): void {
    const expiresAt = new Date(at.getTime() + LIFETIME_MS);
    const longer = gt(sessions.expiresAt, expiresAt);
    db.update(sessions).set({ expiresAt, updatedAt: at }).where(longer).run();
    db.update(sessions).set({ createdAt: at }).where(gt(sessions.createdAt, at)).run();
  }

  return {
    start(userId, client) {
      const at = now();
      const token = newToken();
      const row = {
        id: randomUUID(),
        userId,
        tokenHash: hashOf(token),
        ipAddress: client.ip,
        userAgent: client.userAgent.slice(0, MAX_USER_AGENT),
        expiresAt: expiryOf(at, at),
        createdAt: at,
        updatedAt: at,
        provedAt: at,
      };
      db.delete(sessions).where(lt(sessions.expiresAt, at)).run();
      limitLifetimes(at);
      db.insert(sessions).values(row).run();
      return withToken(row, token);
    },

    find(token) {
      if (token === null) return null;
      const tokenHash = hashOf(token);
      const found = byHash(tokenHash);
      const at = now();
      if (!found || found.sessions.expiresAt <= at) return null;
      // Also if the clock was ahead when it was last used.
      if (Math.abs(at.getTime() - found.sessions.updatedAt.getTime()) > EXTEND_AFTER_MS) {
        tryToNote(() => {
          limitLifetimes(at);
          const extended = { expiresAt: expiryOf(found.sessions.createdAt, at), updatedAt: at };
          db.update(sessions).set(extended).where(eq(sessions.tokenHash, tokenHash)).run();
          Object.assign(found.sessions, extended);
        });
      }
      return { user: found.users, session: withToken(found.sessions, token) };
    },

    roleOf(token) {
      if (token === null) return null;
      const found = byHash(hashOf(token));
      return found && found.sessions.expiresAt > now() ? found.users.role : null;
    },

    prove(token) {
      const provedAt = now();
      const byToken = eq(sessions.tokenHash, hashOf(token));
      db.update(sessions).set({ provedAt }).where(byToken).run();
      return new Date(provedAt.getTime() + FRESH_MS);
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

    endOne(id, userId) {
      const own = userId === undefined ? undefined : eq(sessions.userId, userId);
      const ended = db
        .delete(sessions)
        .where(and(eq(sessions.id, id), own))
        .returning({ userId: sessions.userId });
      return ended.get()?.userId ?? null;
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
