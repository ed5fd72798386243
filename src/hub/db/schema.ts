/** The tables, as the scripts in `migrations/` create them; a test compares the two. Times are milliseconds since 1970. */
import { isNull, sql } from 'drizzle-orm';
import { blob, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { EVENT_NAMES } from '../../shared/events.ts';
import type { Check } from '../../shared/wire/checks.ts';

export const vhosts = sqliteTable('vhosts', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  /** Rendering order: it matters to Caddy. */
  position: integer('position').notNull(),
  domain: text('domain').notNull(),
  config: text('config').notNull(),
  upstream: text('upstream').notNull(),
  enabled: integer('enabled', { mode: 'boolean' }).notNull(),
  createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
  updatedAt: integer('updated_at', { mode: 'timestamp_ms' }).notNull(),
  /** The ids of its policies, in order. */
  policies: text('policies', { mode: 'json' }).$type<readonly number[]>().notNull().default([]),
  tags: text('tags', { mode: 'json' }).$type<readonly string[]>().notNull().default([]),
  /** The ids of the agents it is placed on; empty: all. */
  agents: text('agents', { mode: 'json' }).$type<readonly number[]>().notNull().default([]),
  /** How its answer has to look; null: it is not asked. */
  check: text('check', { mode: 'json' }).$type<Check>(),
  /** The ids of policies that apply everywhere, but not here. */
  except: text('except', { mode: 'json' }).$type<readonly number[]>().notNull().default([]),
  /** The name of the file, or of what else keeps it as it is; null: people do. */
  source: text('source'),
  /** The digest of the fields that the source gave it last; null as `source`. */
  applied: text('applied'),
});

/** A recipe with values, which vhosts refer to by its id. */
export const policies = sqliteTable(
  'policies',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    name: text('name').notNull(),
    /** The recipe's id. */
    recipe: text('recipe').notNull(),
    /** With bcrypt hashes in place of passwords. */
    values: text('values', { mode: 'json' }).$type<Readonly<Record<string, unknown>>>().notNull(),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    updatedAt: integer('updated_at', { mode: 'timestamp_ms' }).notNull(),
    /** Whether it applies to every vhost that does not leave it out. */
    everywhere: integer('everywhere', { mode: 'boolean' }).notNull().default(false),
    /** As of a vhost. */
    source: text('source'),
    applied: text('applied'),
  },
  (table) => [uniqueIndex('policies_name').on(table.name)],
);

/** Those that the hub keeps, for all proxies. */
export const certificates = sqliteTable(
  'certificates',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    name: text('name').notNull(),
    /** PEM, the leaf first. */
    chain: text('chain').notNull(),
    /** Sealed: PKCS #8 in PEM. */
    key: blob('key', { mode: 'buffer' }).notNull(),
    /** Of DNS, if the hub obtains it; null: it was uploaded. */
    provider: text('provider'),
    /** Sealed: the order, in JSON; null as `provider`. */
    spec: blob('spec', { mode: 'buffer' }),
    /** When the last renewal failed (a plain number, as it is written as null), how many have in a row, and why. */
    failedAt: integer('failed_at'),
    failures: integer('failures').notNull().default(0),
    lastError: text('last_error'),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    updatedAt: integer('updated_at', { mode: 'timestamp_ms' }).notNull(),
  },
  (table) => [uniqueIndex('certificates_name').on(table.name)],
);

export const changelog = sqliteTable('changelog', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  /** Not a foreign key: entries outlive the account. */
  userId: text('user_id').notNull(),
  userName: text('user_name').notNull(),
  action: text('action', { enum: ['create', 'update', 'delete', 'toggle'] }).notNull(),
  domain: text('domain').notNull(),
  /** For an update the JSON text `{"old":{…},"new":{…}}`. */
  diff: text('diff'),
  createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
  /** The name of the API token that made the change; null for a session. */
  via: text('via'),
  /** The vhost or preamble before and after, as JSON text; for undoing the change. */
  before: text('before'),
  after: text('after'),
  /** The names of the agents that were not reachable; null if none. */
  behind: text('behind', { mode: 'json' }).$type<readonly string[]>(),
  /** The id of the first entry of the same request. */
  group: integer('group_id').notNull(),
  /** What the request did, in words; only in the first of several entries. */
  summary: text('summary'),
});

/** The answers to requests with an `Idempotency-Key`, for a day. */
export const answers = sqliteTable(
  'answers',
  {
    /** SHA-256 of route, account or token, and key. */
    key: text('key').primaryKey(),
    /** The account or token. */
    whose: text('whose').notNull(),
    /** HMAC of body and query with the key: another request with this key is refused. */
    request: text('request').notNull(),
    status: integer('status').notNull(),
    etag: text('etag'),
    /** JSON text, encrypted with the key of the request; null if it was too large to keep. */
    body: blob('body', { mode: 'buffer' }),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
  },
  (table) => [
    index('answers_created_at').on(table.createdAt),
    index('answers_whose').on(table.whose, table.createdAt),
  ],
);

/** The agents this hub publishes to. The first, with the id 1, is where the settings say. */
export const agents = sqliteTable(
  'agents',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    name: text('name').notNull(),
    url: text('url'),
    /** SHA-256 of its certificate. */
    fingerprint: text('fingerprint'),
    /** Of its token, which derives from it and is not stored. */
    generation: integer('generation').notNull(),
    paused: integer('paused', { mode: 'boolean' }).notNull(),
    /** Instead of the common one; null: that one. */
    preamble: text('preamble'),
    /** Since when its proxy lacks a change; null if it lacks none. */
    behindSince: integer('behind_since', { mode: 'timestamp_ms' }),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    updatedAt: integer('updated_at', { mode: 'timestamp_ms' }).notNull(),
  },
  (table) => [uniqueIndex('agents_name').on(table.name)],
);

/** A single row: the preamble, and when the first publish was attempted. */
export const preamble = sqliteTable('preamble', {
  id: integer('id').primaryKey().default(sql`1`),
  config: text('config').notNull(),
  updatedAt: integer('updated_at', { mode: 'timestamp_ms' }).notNull(),
  attemptedAt: integer('attempted_at', { mode: 'timestamp_ms' }),
});

/** A single row: who this hub is to the agent. */
export const hub = sqliteTable('hub', {
  /** 32 hexadecimal digits, made with the database; a backup keeps it. */
  id: text('id').primaryKey(),
  /** Whether the next publish may replace what another hub published: once, after a restore. */
  replaces: integer('replaces', { mode: 'boolean' }).notNull(),
  /** Of two copies of this database, agents obey the one with the higher term. */
  term: integer('term').notNull().default(1),
});

/** What broke by itself, and when it was over. */
export const incidents = sqliteTable(
  'incidents',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    event: text('event', { enum: EVENT_NAMES }).notNull(),
    /** By which it is known again, such as `vhost 3`; an event has one open incident of a subject. */
    subject: text('subject').notNull(),
    /** The same for a person, such as a domain; empty for the hub. */
    about: text('about').notNull(),
    level: text('level', { enum: ['bad', 'warn'] }).notNull(),
    message: text('message').notNull(),
    beganAt: integer('began_at', { mode: 'timestamp_ms' }).notNull(),
    /** Whether it came and went so often that it is over only after some time without it. */
    flapping: integer('flapping', { mode: 'boolean' }).notNull().default(false),
    /** Of an open one that flaps: since when it has not been seen. Of one that is over: since when nobody watches it. */
    goneAt: integer('gone_at', { mode: 'timestamp_ms' }),
    overAt: integer('over_at', { mode: 'timestamp_ms' }),
    /** The problem that it is, as those in `known_problems` go by. */
    problem: text('problem').notNull().default(''),
    /** Whether it was announced to nobody, because it is known. */
    untold: integer('untold', { mode: 'boolean' }).notNull().default(false),
  },
  (table) => [index('incidents_open').on(table.event, table.subject).where(isNull(table.overAt))],
);

/** Problems that people know of: they are announced to nobody, and counted nowhere. */
export const knownProblems = sqliteTable(
  'known_problems',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    problem: text('problem').notNull(),
    words: text('words').notNull(),
    /** ISO 8601; null: until it is over. */
    until: text('until'),
    by: text('by').notNull(),
    /** When it was over, if it was known until then: should it come again, it counts. A plain number, as it is written as null. */
    overAt: integer('over_at'),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    updatedAt: integer('updated_at', { mode: 'timestamp_ms' }).notNull(),
  },
  (table) => [uniqueIndex('known_problems_problem').on(table.problem)],
);
