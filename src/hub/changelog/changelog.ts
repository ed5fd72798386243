/** Pages of what was changed and by whom, and single entries to be taken back. */
import { and, desc, eq, gt, lt, type SQL, sql } from 'drizzle-orm';
import { Failure } from '../../shared/failure.ts';
import type { Db } from '../db/open.ts';
import { changelog } from '../db/schema.ts';
import { PREAMBLE } from '../publish/history.ts';

export type Changelog = ReturnType<typeof createChangelog>;
export type ChangelogFilter = { before?: number | undefined; domain?: string | undefined };

/** One page. */
const LATEST = 100;
/** Enough to see what stands in the way. */
const MOST_NAMED = 10;

/** What everybody may see of an entry. */
const PUBLIC = {
  id: changelog.id,
  userId: changelog.userId,
  userName: changelog.userName,
  action: changelog.action,
  domain: changelog.domain,
  diff: changelog.diff,
  createdAt: changelog.createdAt,
  via: changelog.via,
};

export function createChangelog(db: Db) {
  return {
    /** A hundred entries, newest first; `before` an id pages on. */
    page({ before, domain }: ChangelogFilter) {
      const filters: SQL[] = [];
      if (before !== undefined) filters.push(lt(changelog.id, before));
      if (domain !== undefined) filters.push(eq(changelog.domain, domain));
      return db
        .select(PUBLIC)
        .from(changelog)
        .where(and(...filters))
        .orderBy(desc(changelog.id))
        .limit(LATEST)
        .all();
    },

    /** One entry with what it keeps privately. @throws Failure NOT_FOUND */
    find(id: number) {
      const entry = db.select().from(changelog).where(eq(changelog.id, id)).get();
      if (!entry) throw new Failure('NOT_FOUND', 'There is no such entry.');
      return entry;
    },

    /** The ids of later entries of the same vhost, or of the preamble, oldest first. */
    laterOf(entry: {
      id: number;
      domain: string;
      before: string | null;
      after: string | null;
    }): number[] {
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
        .limit(MOST_NAMED)
        .all();
      return rows.map(({ id }) => id);
    },
  };
}
