/** API tokens: made and shown once, found by their hash, taken back. */
import { randomUUID } from 'node:crypto';
import { and, desc, eq } from 'drizzle-orm';
import { Failure } from '../../../shared/failure.ts';
import type { Db } from '../../db/open.ts';
import { apiTokens, users } from '../../db/schema.ts';
import { hashOf } from '../secret.ts';
import type { User } from '../sessions/sessions.ts';
import { isTokenText, makeTokenText } from './token-text.ts';

/** `read` lets nothing be changed. */
export type Scope = 'read' | 'write';
export type TokenInfo = Omit<typeof apiTokens.$inferSelect, 'tokenHash' | 'userId'>;
export type TokenUse = { user: User; token: { name: string; scope: Scope } };

export type Tokens = ReturnType<typeof createTokens>;

const LONGEST_NAME = 100;

/** The last use is kept to the minute: a write for each request would be one too many. */
const USE_RESOLUTION_MS = 60_000;

export function createTokens({ db, now }: { db: Db; now: () => Date }) {
  const columns = {
    id: apiTokens.id,
    name: apiTokens.name,
    scope: apiTokens.scope,
    expiresAt: apiTokens.expiresAt,
    lastUsedAt: apiTokens.lastUsedAt,
    createdAt: apiTokens.createdAt,
  };

  return {
    /** The newest first. */
    list: (userId: string): TokenInfo[] =>
      db
        .select(columns)
        .from(apiTokens)
        .where(eq(apiTokens.userId, userId))
        .orderBy(desc(apiTokens.createdAt), desc(apiTokens.id))
        .all(),

    /** @throws Failure INVALID_REQUEST */
    create(
      userId: string,
      input: { name: string; scope: Scope; expiresAt: string | null },
    ): TokenInfo & { token: string } {
      const name = input.name.trim();
      if (name === '' || name.length > LONGEST_NAME) {
        throw invalid(`A token needs a name of at most ${LONGEST_NAME} characters.`);
      }
      const at = now();
      const expiresAt = input.expiresAt === null ? null : new Date(input.expiresAt);
      if (expiresAt && !(expiresAt > at)) throw invalid('expiresAt must be a time to come.');
      const token = makeTokenText();
      const info = {
        id: randomUUID(),
        name,
        scope: input.scope,
        expiresAt,
        lastUsedAt: null,
        createdAt: at,
      };
      db.insert(apiTokens)
        .values({ ...info, userId, tokenHash: hashOf(token) })
        .run();
      return { ...info, token };
    },

    /** @throws Failure NOT_FOUND, also for somebody else's */
    remove(userId: string, id: string): void {
      const own = and(eq(apiTokens.userId, userId), eq(apiTokens.id, id));
      if (db.delete(apiTokens).where(own).returning({ id: apiTokens.id }).get()) return;
      throw new Failure('NOT_FOUND', 'There is no such token.');
    },

    /** Null for any token that is not good, whatever is wrong with it. */
    find(text: string | null): TokenUse | null {
      if (text === null || !isTokenText(text)) return null;
      const found = db
        .select()
        .from(apiTokens)
        .innerJoin(users, eq(users.id, apiTokens.userId))
        .where(eq(apiTokens.tokenHash, hashOf(text)))
        .get();
      if (!found) return null;
      const { api_tokens: token, users: user } = found;
      const at = now();
      if (token.expiresAt && token.expiresAt <= at) return null;
      const since = at.getTime() - (token.lastUsedAt?.getTime() ?? Number.NEGATIVE_INFINITY);
      if (since >= USE_RESOLUTION_MS) {
        db.update(apiTokens).set({ lastUsedAt: at }).where(eq(apiTokens.id, token.id)).run();
      }
      return { user, token: { name: token.name, scope: token.scope } };
    },
  };
}

const invalid = (message: string) => new Failure('INVALID_REQUEST', message);
