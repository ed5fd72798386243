/** Keeps the published set, and the changelog beside it, in the database. */
import { asc, sql } from 'drizzle-orm';
import { inTransaction, type OpenDatabase } from '../db/open.ts';
import { changelog, hub, policies, preamble, vhosts } from '../db/schema.ts';
import type { Planned } from './batch.ts';
import { reviver } from './stored.ts';
import type { SiteSet } from './vhost.ts';
import { prepareWrites } from './writes.ts';

export type Store = {
  /** The id of the database, by which an agent knows whom it obeys. */
  readonly id: string;
  /** Whether the next publish may replace what another hub published: after a restore. */
  mayReplace(): boolean;
  /** Notes that a publish has made the proxy this hub's. @throws SQLite errors */
  markOwner(): void;
  /** @throws Failure STORAGE_UNAVAILABLE if the database's file was replaced: a commit would be lost */
  assertInPlace(): void;
  load(): SiteSet;
  /** When the preamble last changed; 1970 if nobody has written one. */
  preambleUpdatedAt(): Date;
  /** Whether anything was ever recorded: until then the hub must not touch the proxy. */
  hasPublished(): boolean;
  /** Whether a first publish ever began; after a crash it may be live without being recorded. */
  hasAttempted(): boolean;
  /** Notes that the first publish begins. @throws SQLite errors */
  markAttempt(time: Date): void;
  /** Stores rows and changelog in one transaction, or nothing. @throws as `assertInPlace`; SQLite errors */
  commit(plans: readonly Planned[], time: Date): void;
  /** Whether nobody has written a preamble yet. */
  isUnseeded(): boolean;
  /** Writes the first preamble, before anything is published. */
  seedPreamble(config: string, time: Date): void;
};

export function createStore({
  db,
  assertInPlace,
}: Pick<OpenDatabase, 'db' | 'assertInPlace'>): Store {
  const identity = db.select().from(hub).get();
  if (!identity) throw new Error('the database has no id');
  let mayReplace = identity.replaces;
  let published = false;
  const nextIdOf = (table: string): number => {
    const [row] = db.values<[number]>(sql`SELECT seq FROM sqlite_sequence WHERE name = ${table}`);
    return (row?.[0] ?? 0) + 1;
  };
  const preambleRow = () => db.select().from(preamble).get();

  return {
    id: identity.id,
    mayReplace: () => mayReplace,

    markOwner() {
      if (!mayReplace) return;
      db.update(hub).set({ replaces: false }).run();
      mayReplace = false;
    },

    assertInPlace,

    load() {
      const known = db.select().from(policies).orderBy(asc(policies.name)).all();
      const revived = reviver(known);
      const rows = db.select().from(vhosts).orderBy(asc(vhosts.position), asc(vhosts.id)).all();
      return {
        preamble: preambleRow()?.config ?? '',
        vhosts: rows.map((row) => {
          const vhost = revived(row);
          if (vhost) return vhost;
          throw new Error(`the site ${row.domain} has a policy that is not in the database`);
        }),
        nextId: nextIdOf('vhosts'),
        policies: known,
        nextPolicyId: nextIdOf('policies'),
      };
    },

    preambleUpdatedAt: () => preambleRow()?.updatedAt ?? new Date(0),

    hasPublished() {
      published ||= db.select({ id: changelog.id }).from(changelog).limit(1).get() !== undefined;
      return published;
    },

    hasAttempted: () => preambleRow()?.attemptedAt != null,

    markAttempt(time) {
      db.update(preamble).set({ attemptedAt: time }).run();
    },

    commit(plans, time) {
      assertInPlace();
      inTransaction(db, (tx) => {
        const write = prepareWrites(tx, time);
        for (const { item, plan } of plans) {
          for (const step of plan.steps) write(step, item.author);
        }
      });
    },

    isUnseeded: () => preambleRow()?.updatedAt.getTime() === 0,

    seedPreamble(config, time) {
      db.update(preamble).set({ config, updatedAt: time }).run();
    },
  };
}
