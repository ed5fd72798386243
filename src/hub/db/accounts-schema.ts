/** The tables of accounts, of how they sign in, and of what they did to that; as `schema.ts`. */
import {
  blob,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';
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

const ofUser = () =>
  text('user_id')
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' });

/** The second factor of an account: codes by TOTP (RFC 6238), and codes for when the device is lost. */
export const twoFactors = sqliteTable(
  'two_factors',
  {
    userId: ofUser(),
    /** Sealed. */
    secret: blob('secret', { mode: 'buffer' }).notNull(),
    /** Hex SHA-256 of the recovery codes that are left. */
    codes: text('codes', { mode: 'json' }).$type<readonly string[]>().notNull(),
    /** Whether a first code was right. Before, it counts for nothing, and may stand beside one that counts. */
    verified: integer('verified', { mode: 'boolean' }).notNull(),
    /** The time step of the last code that was accepted: each is accepted once. */
    lastStep: integer('last_step').notNull(),
    /** Wrong codes in a row. */
    failures: integer('failures').notNull(),
    lockedUntil: integer('locked_until', { mode: 'timestamp_ms' }),
  },
  (table) => [primaryKey({ columns: [table.userId, table.verified] })],
);

export const passkeys = sqliteTable(
  'passkeys',
  {
    id: text('id').primaryKey(),
    userId: ofUser(),
    name: text('name').notNull(),
    /** In base64url. */
    credentialId: text('credential_id').notNull(),
    publicKey: blob('public_key', { mode: 'buffer' }).notNull(),
    counter: integer('counter').notNull(),
    deviceType: text('device_type').notNull(),
    backedUp: integer('backed_up', { mode: 'boolean' }).notNull(),
    transports: text('transports', { mode: 'json' }).$type<readonly string[]>().notNull(),
    aaguid: text('aaguid').notNull(),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    lastUsedAt: integer('last_used_at', { mode: 'timestamp_ms' }),
  },
  (table) => [
    uniqueIndex('passkeys_credential_id').on(table.credentialId),
    index('passkeys_user_id').on(table.userId),
  ],
);

/** Accounts of a sign-in service that sign in to an account here. */
export const linkedAccounts = sqliteTable(
  'linked_accounts',
  {
    id: text('id').primaryKey(),
    userId: ofUser(),
    provider: text('provider').notNull(),
    issuer: text('issuer').notNull(),
    /** The `sub` of the service. */
    subject: text('subject').notNull(),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
  },
  (table) => [
    uniqueIndex('linked_accounts_subject').on(table.provider, table.issuer, table.subject),
    index('linked_accounts_user_id').on(table.userId),
  ],
);

/** What a browser has to answer once: half a sign-in, a passkey's challenge, a visit of the sign-in service. */
export const challenges = sqliteTable('challenges', {
  /** Hex SHA-256 of what the browser holds. */
  idHash: text('id_hash').primaryKey(),
  kind: text('kind').notNull(),
  /** Whose; null: nobody's yet. */
  userId: text('user_id').references(() => users.id, { onDelete: 'cascade' }),
  data: text('data', { mode: 'json' }).$type<Readonly<Record<string, unknown>>>().notNull(),
  failures: integer('failures').notNull(),
  expiresAt: integer('expires_at', { mode: 'timestamp_ms' }).notNull(),
});

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
