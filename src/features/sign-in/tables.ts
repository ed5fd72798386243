/** The tables of how people sign in besides by password, as `hub/db/accounts-schema.ts`. */
import {
  blob,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';
import { users } from '../../hub/db/accounts-schema.ts';

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

/** What is sealed, and how to do without what was. */
export const sealed = [
  {
    table: twoFactors,
    column: twoFactors.secret,
    remedy: 'run "signalbox passwd EMAIL --reset-factors" for every account with a second factor',
  },
] as const;

/** What ends when somebody who is locked out gets in again; `factors`: if they asked for that. */
export const recovery = { always: [challenges], factors: [twoFactors, passkeys] } as const;
