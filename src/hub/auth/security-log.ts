/** Who signed in, who was refused, and who changed who may do what (ASVS 5.0, 16.3). */
import { and, asc, count, desc, eq, inArray, lt, sql } from 'drizzle-orm';
import { SECURITY_LISTENERS } from '../../features/security.ts';
import type { EventName } from '../../shared/events.ts';
import { securityLog } from '../db/accounts-schema.ts';
import type { Db } from '../db/open.ts';
import { networkOf } from './client.ts';
import type { Client, User } from './sessions/sessions.ts';

export const KINDS = [
  'sign-in',
  'sign-out',
  'refusal',
  'session',
  'password',
  'factor',
  'account',
  'role',
  'invitation',
  'token',
  'agent',
  'channel',
  'certificate',
  'restore',
] as const;
export const OUTCOMES = ['ok', 'half', 'refused', 'locked'] as const;

/** Who did something, and from where; `via` is the name of an API token. */
export type Actor = {
  /** Null: nobody known, by the name that was given. */
  user: Pick<User, 'id' | 'name'> | { id: null; name: string };
  via: string | null;
  client: Client;
};

export type SecurityEvent = {
  kind: (typeof KINDS)[number];
  /** What it was done to, such as an email address or a name; else the actor. */
  target?: string;
  /** `half`: a password was right, and a second factor is missing. */
  outcome?: (typeof OUTCOMES)[number] | undefined;
  /** One or two words more, such as `created` or the method of a sign-in; never a secret. */
  detail?: string;
};

export type SecurityEntry = Omit<typeof securityLog.$inferSelect, 'kind' | 'outcome'> & {
  kind: SecurityEvent['kind'];
  outcome: (typeof OUTCOMES)[number];
};

/** As ASVS 5.0, 16.1.1 asks, it is said how long: a year, but at most so many entries. */
const MOST = 10_000;
/** Deleted at once, as it takes milliseconds to find out whose. */
const DELETED = 200;
const LONGEST_MS = 365 * 24 * 60 * 60 * 1000;
export const PAGE_SIZE = 50;
/** Of a text that somebody else chose, such as the user agent. */
const MAX_TEXT = 512;

/** A database, or a transaction in it. */
export type SecurityWrites = Pick<Db, 'insert' | 'delete' | 'select' | 'selectDistinct'>;

/** Call it in the transaction of what it records. @param db that transaction */
export function recordSecurity(
  db: SecurityWrites,
  at: Date,
  actor: Actor,
  event: SecurityEvent,
): void {
  const cut = (text: string) => text.slice(0, MAX_TEXT);
  announce(db, at, actor, event);
  db.insert(securityLog)
    .values({
      at,
      kind: event.kind,
      actor: actor.user.id,
      actorName: cut(actor.user.name),
      via: actor.via,
      target: cut(event.target ?? ''),
      ip: actor.client.ip,
      userAgent: cut(actor.client.userAgent),
      outcome: event.outcome ?? 'ok',
      detail: cut(event.detail ?? ''),
    })
    .run();
  displace(db);
  db.delete(securityLog)
    .where(lt(securityLog.at, new Date(at.getTime() - LONGEST_MS)))
    .run();
}

/**
 * What an entry shares room with. Who makes many displaces their own: neither a viewer with tokens nor a
 * stranger with wrong passwords can remove what an owner has done.
 */
const SHARE = sql<string>`CASE
  WHEN ${securityLog.outcome} = 'ok' AND ${securityLog.kind} IN ('role', 'account', 'restore') THEN ${securityLog.kind}
  WHEN ${securityLog.outcome} = 'ok' AND ${securityLog.kind} = 'sign-in' THEN 'sign-in ' || ${securityLog.actor}
  ELSE 'by ' || coalesce(${securityLog.actor}, '')
END`;

/** Deletes the oldest entries of the largest share, if there are too many in all. */
function displace(db: SecurityWrites): void {
  if ((db.select({ all: count() }).from(securityLog).get()?.all ?? 0) <= MOST) return;
  const largest = db
    .select({ share: SHARE })
    .from(securityLog)
    .groupBy(SHARE)
    .orderBy(desc(count()))
    .limit(1)
    .get()?.share;
  const oldest = db
    .select({ id: securityLog.id })
    .from(securityLog)
    .where(eq(SHARE, largest ?? ''))
    .orderBy(asc(securityLog.id))
    .limit(DELETED);
  db.delete(securityLog).where(inArray(securityLog.id, oldest)).run();
}

const isBefore = (id: string) =>
  /^\d+$/.test(id) ? lt(securityLog.id, Number(id)) : lt(securityLog.at, new Date(id));

/**
 * A page of the entries, newest first.
 * @param filter `before`: only those with a smaller id, or from before a time in ISO 8601
 */
export function readSecurityLog(
  db: Db,
  filter: { kind?: SecurityEvent['kind'] | undefined; before?: string | undefined },
): SecurityEntry[] {
  const { kind, before } = filter;
  const matches = and(
    kind === undefined ? undefined : eq(securityLog.kind, kind),
    before ? isBefore(before) : undefined,
  );
  return db
    .select()
    .from(securityLog)
    .where(matches)
    .orderBy(desc(securityLog.id))
    .limit(PAGE_SIZE)
    .all() as SecurityEntry[];
}

type SecurityNews = {
  at: Date;
  event: EventName;
  /** The account. */
  about: string;
  message: string;
};

/** Writes that belong to the transaction. */
export type SecurityListener = (db: Pick<Db, 'select' | 'insert'>, news: SecurityNews) => void;

/** What listeners hear of it. */
const CHANGES: Partial<Record<SecurityEvent['kind'], string>> = {
  account: 'The account was',
  factor: 'Its second factor:',
  password: 'The password was',
  role: 'The role is now',
};

/** Queues what an event means to people, if it means anything. Call it before the event is recorded. */
function announce(db: SecurityWrites, at: Date, actor: Actor, event: SecurityEvent): void {
  const { kind, target = '', outcome = 'ok', detail = '' } = event;
  if (outcome !== 'ok') return;
  const { name } = actor.user;
  const { ip } = actor.client;
  if (kind === 'sign-in' && isNewNetwork(db, actor)) {
    put(db, at, 'sign-in.new-address', target, `${name} signed in from ${ip} for the first time.`);
  }
  const change = CHANGES[kind];
  if (change === undefined) return;
  put(db, at, 'account.changed', target, `${change} ${detail}, by ${name}, from ${ip}.`);
}

/** Not at the first sign-in of an account. */
function isNewNetwork(db: SecurityWrites, { user, client }: Actor): boolean {
  if (user.id === null) return false;
  const { kind, actor, outcome, ip } = securityLog;
  const known = db
    .selectDistinct({ ip })
    .from(securityLog)
    .where(and(eq(kind, 'sign-in'), eq(actor, user.id), eq(outcome, 'ok')))
    .all()
    .map((one) => networkOf(one.ip));
  return known.length > 0 && !known.includes(networkOf(client.ip));
}

function put(db: SecurityWrites, at: Date, event: EventName, about: string, message: string) {
  for (const queue of SECURITY_LISTENERS) queue(db, { at, event, about, message });
}
