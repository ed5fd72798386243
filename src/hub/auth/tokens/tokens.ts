/** API tokens in the database: created, found by hash, deleted. */
import { randomBytes, randomUUID } from 'node:crypto';
import { and, count, desc, eq, getTableColumns, sql } from 'drizzle-orm';
import { hashOf } from '../../../shared/bearer.ts';
import { Failure } from '../../../shared/failure.ts';
import type { Role } from '../../../shared/roles.ts';
import { apiTokens, users } from '../../db/accounts-schema.ts';
import { onceATurn } from '../../db/once-a-turn.ts';
import { type Db, inTransaction } from '../../db/open.ts';
import { recordSecurity } from '../security-log.ts';
import type { Person, User } from '../sessions/sessions.ts';
import { tryToNote } from '../try-to-note.ts';

/** A token with the scope `read` cannot change anything. */
export type Scope = 'read' | 'write';
export type TokenInfo = Omit<typeof apiTokens.$inferSelect, 'tokenHash' | 'userId'>;
type TokenUse = {
  user: Pick<User, 'id' | 'name' | 'role'>;
  token: { id: string; name: string; scope: Scope };
};

export type Tokens = {
  /** The user's tokens, newest first. */
  list(userId: string): TokenInfo[];
  /**
   * @param input `expiresAt` as ISO 8601
   * @returns the token too, which is stored nowhere
   * @throws Failure INVALID_REQUEST, also if the account has 50 tokens
   */
  create(
    who: Person,
    input: { name: string; scope: Scope; expiresAt: string | null },
  ): TokenInfo & { token: string };
  /** @throws Failure NOT_FOUND, also for another user's token */
  remove(who: Person, id: string): void;
  /** Null for any token that is not valid, whatever the reason. */
  find(text: string | null): TokenUse | null;
  /** The role now of whoever made what `find` would find; does not count as a use. */
  roleOf(text: string | null): Role | null;
};

const { tokenHash: _, userId: __, ...LISTED } = getTableColumns(apiTokens);

const MAX_NAME = 100;
/** Of one account: more than anyone keeps apart. */
const MOST = 50;

/** The last use is stored at most once a minute, to avoid a write for each request. */
const USE_RESOLUTION_MS = 60_000;

export function createTokens({ db, now }: { db: Db; now: () => Date }): Tokens {
  /** Prepared once, because every request of a script asks. */
  const select = db
    .select()
    .from(apiTokens)
    .innerJoin(users, eq(users.id, apiTokens.userId))
    .where(eq(apiTokens.tokenHash, sql.placeholder('tokenHash')))
    .prepare();
  const byHash = onceATurn(db, (tokenHash) => select.get({ tokenHash }));

  function lookUp(text: string | null) {
    if (text === null || !isTokenText(text)) return null;
    const found = byHash(hashOf(text));
    if (!found) return null;
    const { expiresAt } = found.api_tokens;
    return expiresAt && expiresAt <= now() ? null : found;
  }

  return {
    list: (userId) =>
      db
        .select(LISTED)
        .from(apiTokens)
        .where(eq(apiTokens.userId, userId))
        .orderBy(desc(apiTokens.createdAt), desc(apiTokens.id))
        .all(),

    create(who, input) {
      const name = input.name.trim();
      if (name === '' || name.length > MAX_NAME) {
        throw invalid(`A token must have a name of at most ${MAX_NAME} characters.`);
      }
      const at = now();
      const expiresAt = input.expiresAt === null ? null : new Date(input.expiresAt);
      if (expiresAt && !(expiresAt > at)) throw invalid('expiresAt must be in the future.');
      const token = makeTokenText();
      const info = {
        id: randomUUID(),
        name,
        scope: input.scope,
        expiresAt,
        lastUsedAt: null,
        createdAt: at,
      };
      inTransaction(db, (tx) => {
        const own = eq(apiTokens.userId, who.user.id);
        if ((tx.select({ all: count() }).from(apiTokens).where(own).get()?.all ?? 0) >= MOST) {
          throw invalid(`An account can have at most ${MOST} tokens. Delete one that is not used.`);
        }
        tx.insert(apiTokens)
          .values({ ...info, userId: who.user.id, tokenHash: hashOf(token) })
          .run();
        const event = { kind: 'token', target: name, detail: `created: ${info.scope}` } as const;
        recordSecurity(tx, at, who, event);
      });
      return { ...info, token };
    },

    remove(who, id) {
      const own = and(eq(apiTokens.userId, who.user.id), eq(apiTokens.id, id));
      inTransaction(db, (tx) => {
        const removed = tx.delete(apiTokens).where(own).returning({ name: apiTokens.name }).get();
        if (!removed) throw new Failure('NOT_FOUND', 'There is no such token.');
        const event = { kind: 'token', target: removed.name, detail: 'deleted' } as const;
        recordSecurity(tx, now(), who, event);
      });
    },

    roleOf: (text) => lookUp(text)?.users.role ?? null,

    find(text) {
      const found = lookUp(text);
      if (!found) return null;
      const { api_tokens: token, users: user } = found;
      const at = now();
      const since = at.getTime() - (token.lastUsedAt?.getTime() ?? Number.NEGATIVE_INFINITY);
      // Also if the clock was ahead at the last use.
      if (Math.abs(since) >= USE_RESOLUTION_MS) {
        tryToNote(() =>
          db.update(apiTokens).set({ lastUsedAt: at }).where(eq(apiTokens.id, token.id)).run(),
        );
      }
      return { user, token };
    },
  };
}

const invalid = (message: string) => new Failure('INVALID_REQUEST', message);

/** Secret scanners recognise it. */
const PREFIX = 'sbx_';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** 32 characters of base62 are 190 random bits. */
const RANDOM = 32;
/** As many as base62 needs for 32 bits; scanners use them to rule out look-alikes. */
const CHECKSUM = 6;
const FORM = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM + CHECKSUM}}$`);

export function makeTokenText(): string {
  let random = '';
  while (random.length < RANDOM) {
    for (const byte of randomBytes(RANDOM)) {
      // Bytes from 248 on, the last multiple of 62, would favour the first letters.
      if (byte < 248 && random.length < RANDOM) random += ALPHABET[byte % 62];
    }
  }
  return `${PREFIX}${random}${checksum(random)}`;
}

/** Whether `text` has the format of an API token. */
export function isTokenText(text: string): boolean {
  if (!FORM.test(text)) return false;
  const end = PREFIX.length + RANDOM;
  return checksum(text.slice(PREFIX.length, end)) === text.slice(end);
}

/** CRC-32 of the random part in base62, most significant digit first. */
function checksum(random: string): string {
  let rest = Bun.hash.crc32(random);
  let text = '';
  for (let digit = 0; digit < CHECKSUM; digit++) {
    text = (ALPHABET[rest % 62] ?? '') + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}
