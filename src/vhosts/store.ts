/** The rows behind the published set. */
import { asc, eq, sql } from 'drizzle-orm';
import type { Db } from '../db/open.ts';
import { changelog, preamble, vhosts } from '../db/schema.ts';
import type { Planned } from './batch.ts';
import type { SiteSet } from './vhost.ts';

/** Who makes a change, and the name of the API token it comes with. */
export type Author = { userId: string; userName: string; via: string | null };

export type Store = ReturnType<typeof createStore>;

export function createStore(db: Db) {
  let published = false;

  return {
    load(): SiteSet {
      const [row] = db.values<[number]>(sql`SELECT seq FROM sqlite_sequence WHERE name = 'vhosts'`);
      return {
        preamble: db.select().from(preamble).get()?.config ?? '',
        vhosts: db.select().from(vhosts).orderBy(asc(vhosts.position)).all(),
        nextId: (row?.[0] ?? 0) + 1,
      };
    },

    /** Whether anything was ever published: a hub that never did must not touch the proxy. */
    hasPublished(): boolean {
      published ||= db.select({ id: changelog.id }).from(changelog).limit(1).get() !== undefined;
      return published;
    },

    /** Whether a first publish was begun; a crash may have left it live without being recorded. */
    hasAttempted: (): boolean => db.select().from(preamble).get()?.attemptedAt != null,

    markAttempt(at: Date): void {
      db.update(preamble).set({ attemptedAt: at }).run();
    },

    /** Rows and changelog in one transaction, at once. @throws SQLite errors, with nothing stored */
    commit(plans: readonly Planned[], at: Date): void {
      db.transaction(
        (tx) => {
          for (const { item, plan } of plans) {
            const { vhost, before, record } = plan;
            if (vhost === null)
              tx.delete(vhosts)
                .where(eq(vhosts.id, before?.id ?? 0))
                .run();
            else if (before === null) tx.insert(vhosts).values(vhost).run();
            else tx.update(vhosts).set(vhost).where(eq(vhosts.id, vhost.id)).run();
            tx.insert(changelog)
              .values({ ...item.author, ...record, createdAt: at })
              .run();
          }
        },
        { behavior: 'immediate' },
      );
    },

    /** Whether nobody has written a preamble yet. */
    isUnseeded: (): boolean => db.select().from(preamble).get()?.updatedAt.getTime() === 0,

    /** Writes the first preamble, which nothing was published with yet. */
    seedPreamble(config: string, at: Date): void {
      db.update(preamble).set({ config, updatedAt: at }).run();
    },
  };
}
