/** Reads the changelog: pages for people, and single entries to undo. */
import { and, desc, eq, getTableColumns, gt, lt, type SQL, sql } from 'drizzle-orm';
import { Failure } from '../../shared/failure.ts';
import type { Db } from '../db/open.ts';
import { changelog } from '../db/schema.ts';
import { PREAMBLE } from '../publish/history.ts';

/** A stored entry; `before` and `after` (JSON) are private. */
export type StoredEntry = typeof changelog.$inferSelect;
export type ChangelogFilter = {
  /** Only entries with a smaller id. */
  before?: number | undefined;
  domain?: string | undefined;
};

export type Changelog = {
  /** At most 100 entries, newest first. */
  page(filter: ChangelogFilter): Omit<StoredEntry, 'before' | 'after'>[];
  /** @throws Failure NOT_FOUND */
  find(id: number): StoredEntry;
  /** The ids of at most 10 later entries about the same vhost, or the preamble, oldest first. */
  laterOf(entry: Pick<StoredEntry, 'id' | 'domain' | 'before' | 'after'>): number[];
};

const PAGE_SIZE = 100;
/** Enough to see what is in the way of an undo. */
const MAX_LATER = 10;

const { before: _, after: __, ...PUBLIC } = getTableColumns(changelog);

export function createChangelog(db: Db): Changelog {
  return {
    page({ before, domain }) {
      const filters: SQL[] = [];
      if (before !== undefined) filters.push(lt(changelog.id, before));
      if (domain !== undefined) filters.push(eq(changelog.domain, domain));
      return db
        .select(PUBLIC)
        .from(changelog)
        .where(and(...filters))
        .orderBy(desc(changelog.id))
        .limit(PAGE_SIZE)
        .all();
    },

    find(id) {
      const entry = db.select().from(changelog).where(eq(changelog.id, id)).get();
      if (!entry) throw new Failure('NOT_FOUND', 'There is no such entry.');
      return entry;
    },

    laterOf(entry) {
      const vhost = (JSON.parse(entry.after ?? entry.before ?? '{}') as { id?: number }).id ?? 0;
      const same =
        entry.domain === PREAMBLE
          ? eq(changelog.domain, PREAMBLE)
          : sql`json_extract(coalesce(${changelog.after}, ${changelog.before}), '$.id') = ${vhost}`;
      const rows = db
        .select({ id: changelog.id })
        .from(changelog)
        .where(and(gt(changelog.id, entry.id), same))
        .orderBy(changelog.id)
        .limit(MAX_LATER)
        .all();
      return rows.map(({ id }) => id);
    },
  };
}
