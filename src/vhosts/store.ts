/** The rows behind the published set. */
import { asc, eq, sql } from 'drizzle-orm';
import type { Db } from '../db/open.ts';
import { changelog, preamble, vhosts } from '../db/schema.ts';
import type { Plan } from './changes.ts';
import type { SiteSet } from './vhost.ts';

/** Who makes a change. */
export type Author = { userId: string; userName: string };

export type Store = ReturnType<typeof createStore>;

export function createStore(db: Db) {
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
    hasPublished: (): boolean =>
      db.select({ id: changelog.id }).from(changelog).limit(1).get() !== undefined,

    /** Row and changelog in one transaction, at once. @throws SQLite errors, with nothing stored */
    commit(plan: Plan<unknown>, author: Author, at: Date): void {
      db.transaction(
        (tx) => {
          if (plan.vhost === null)
            tx.delete(vhosts)
              .where(eq(vhosts.id, plan.before?.id ?? 0))
              .run();
          else if (plan.before === null) tx.insert(vhosts).values(plan.vhost).run();
          else tx.update(vhosts).set(plan.vhost).where(eq(vhosts.id, plan.vhost.id)).run();
          tx.insert(changelog)
            .values({ ...author, ...plan.record, createdAt: at })
            .run();
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
