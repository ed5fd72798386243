/** The rows behind the published set. */
import { asc, eq, sql } from 'drizzle-orm';
import type { Db } from '../db/open.ts';
import { changelog, preamble, vhosts } from '../db/schema.ts';
import type { Planned } from './batch.ts';
import type { Step } from './changes.ts';
import { recordOf } from './history.ts';
import type { SiteSet } from './vhost.ts';

export type Store = ReturnType<typeof createStore>;

export function createStore(db: Db) {
  let published = false;

  return {
    load(): SiteSet {
      const [row] = db.values<[number]>(sql`SELECT seq FROM sqlite_sequence WHERE name = 'vhosts'`);
      return {
        preamble: db.select().from(preamble).get()?.config ?? '',
        vhosts: db.select().from(vhosts).orderBy(asc(vhosts.position), asc(vhosts.id)).all(),
        nextId: (row?.[0] ?? 0) + 1,
      };
    },

    /** When the preamble was last changed. */
    preambleUpdatedAt: (): Date => db.select().from(preamble).get()?.updatedAt ?? new Date(0),

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
            for (const step of plan.steps) {
              write(tx, step, at);
              tx.insert(changelog)
                .values({ ...item.author, ...recordOf(step), createdAt: at })
                .run();
            }
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

function write(tx: Pick<Db, 'insert' | 'update' | 'delete'>, step: Step, at: Date): void {
  if (step.kind === 'preamble') {
    tx.update(preamble).set({ config: step.after, updatedAt: at }).run();
    return;
  }
  const { before, after } = step;
  if (after === null) {
    tx.delete(vhosts)
      .where(eq(vhosts.id, before?.id ?? 0))
      .run();
  } else if (before === null) {
    tx.insert(vhosts).values(after).run();
  } else {
    tx.update(vhosts).set(after).where(eq(vhosts.id, after.id)).run();
  }
}
