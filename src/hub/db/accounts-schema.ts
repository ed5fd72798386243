/** The tables of accounts, of how they sign in, and of what they did to that; as `schema.ts`. */
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { ROLES } from '../../shared/roles.ts';

export const users = sqliteTable(
  'users',
  {
    id: text('id').primaryKey(),
    name: text('name').notNull(),
    /** In lower case. */
    email: text('email').notNull(),
    /** A PHC string of argon2id. */
    passwordHash: text('password_hash').notNull(),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    updatedAt: integer('updated_at', { mode: 'timestamp_ms' }).notNull(),
    role: text('role', { enum: ROLES }).notNull().default('owner'),
  },
  (table) => [uniqueIndex('users_email').on(table.email)],
);

export const sessions = sqliteTable(
  'sessions',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Hex SHA-256 of the token; the token itself is not stored. */
    tokenHash: text('token_hash').notNull(),
    ipAddress: text('ip_address').notNull(),
    userAgent: text('user_agent').notNull(),
    expiresAt: integer('expires_at', { mode: 'timestamp_ms' }).notNull(),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    updatedAt: integer('updated_at', { mode: 'timestamp_ms' }).notNull(),
    /** When its owner last proved who they are. */
    provedAt: integer('proved_at', { mode: 'timestamp_ms' }).notNull().default(new Date(0)),
  },
  (table) => [uniqueIndex('sessions_token_hash').on(table.tokenHash)],
);

export const apiTokens = sqliteTable(
  'api_tokens',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    /** Hex SHA-256 of the token; the token itself is not stored. */
    tokenHash: text('token_hash').notNull(),
    scope: text('scope', { enum: ['read', 'write'] }).notNull(),
    expiresAt: integer('expires_at', { mode: 'timestamp_ms' }),
    lastUsedAt: integer('last_used_at', { mode: 'timestamp_ms' }),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
  },
  (table) => [uniqueIndex('api_tokens_token_hash').on(table.tokenHash)],
);

export const invitations = sqliteTable(
  'invitations',
  {
    id: text('id').primaryKey(),
    /** Hex SHA-256 of the token in the link. */
    tokenHash: text('token_hash').notNull(),
    role: text('role', { enum: ROLES }).notNull(),
    /** Of the only address that may use it, in lower case; null: any. */
    email: text('email'),
    /** The owner who invites, for as long as that is an owner. */
    invitedBy: text('invited_by')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    expiresAt: integer('expires_at', { mode: 'timestamp_ms' }).notNull(),
  },
  (table) => [uniqueIndex('invitations_token_hash').on(table.tokenHash)],
);

/** Who signed in, who was refused, and who changed who may do what. */
export const securityLog = sqliteTable(
  'security_log',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    at: integer('at', { mode: 'timestamp_ms' }).notNull(),
    kind: text('kind').notNull(),
    /** The id of an account, not a foreign key: entries outlive it. Null: nobody known. */
    actor: text('actor'),
    /** The name of the account, or the email address that somebody gave. */
    actorName: text('actor_name').notNull(),
    /** The name of the API token, if one was used. */
    via: text('via'),
    /** What it was done to, such as an email address or a name; empty: the actor. */
    target: text('target').notNull(),
    ip: text('ip').notNull(),
    userAgent: text('user_agent').notNull(),
    outcome: text('outcome').notNull(),
    detail: text('detail').notNull(),
  },
  (table) => [
    index('security_log_kind').on(table.kind, table.id),
    index('security_log_at').on(table.at),
  ],
);
