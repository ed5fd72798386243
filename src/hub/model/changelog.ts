/** Reads the changelog: pages for people, and single entries to undo. */
import { and, desc, eq, getTableColumns, gt, like, lt, not, type SQL, sql } from 'drizzle-orm';
import { Failure } from '../../shared/failure.ts';
import type { Db } from '../db/open.ts';
import { changelog } from '../db/schema.ts';
import type { Kind } from './changes.ts';
import { ENTITIES, kindOf } from './entities.ts';

/** A stored entry; `before` and `after` (JSON) are private. */
export type StoredEntry = typeof changelog.$inferSelect;
export type PublicEntry = Omit<StoredEntry, 'before' | 'after'> & {
  /** What a toggle set; null for other changes. */
  enabled: boolean | null;
};
export type ChangelogFilter = {
  /** Only entries with a smaller id. */
  before?: number | undefined;
  domain?: string | undefined;
  /** The id of the person. */
  user?: string | undefined;
  action?: StoredEntry['action'] | undefined;
};

export type Changelog = {
  /** At most 100 entries, newest first. */
  page(filter: ChangelogFilter): PublicEntry[];
  /** @throws Failure NOT_FOUND */
  find(id: number): StoredEntry;
  /** The ids of at most 10 later entries about the same vhost, preamble or policy, oldest first. */
  laterOf(entry: Pick<StoredEntry, 'id' | 'domain' | 'before' | 'after'>): number[];
};

const PAGE_SIZE = 100;
/** Enough to see what is in the way of an undo. */
const MAX_LATER = 10;

const { before: _, after: __, ...COLUMNS } = getTableColumns(changelog);
const ENABLED = sql<
  number | null
>`iif(${changelog.action} = 'toggle', json_extract(${changelog.after}, '$.enabled'), NULL)`;

export function createChangelog(db: Db): Changelog {
  return {
    page({ before, domain, user, action }) {
      const filters: SQL[] = [];
      if (before !== undefined) filters.push(lt(changelog.id, before));
      if (domain !== undefined) filters.push(eq(changelog.domain, domain));
      if (user !== undefined) filters.push(eq(changelog.userId, user));
      if (action !== undefined) filters.push(eq(changelog.action, action));
      return db
        .select({ ...COLUMNS, enabled: ENABLED })
        .from(changelog)
        .where(and(...filters))
        .orderBy(desc(changelog.id))
        .limit(PAGE_SIZE)
        .all()
        .map(({ enabled, ...entry }) => ({
          ...entry,
          enabled: enabled === null ? null : enabled === 1,
        }));
    },

    find(id) {
      const entry = db.select().from(changelog).where(eq(changelog.id, id)).get();
      if (!entry) throw new Failure('NOT_FOUND', 'There is no such entry.');
      return entry;
    },

    laterOf(entry) {
      const kind = kindOf(entry.domain);
      const { id = 0 } = JSON.parse(entry.after ?? entry.before ?? '{}') as { id?: number };
      const same =
        kind === 'preamble'
          ? eq(changelog.domain, entry.domain)
          : and(
              sql`json_extract(coalesce(${changelog.after}, ${changelog.before}), '$.id') = ${id}`,
              isOfKind(kind),
            );
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

/** Entries about things of one kind; only those about vhosts have no mark. */
function isOfKind(kind: Kind): SQL | undefined {
  const isMarked = ({ mark }: { mark: string }) => like(changelog.domain, `${mark}%`);
  const { vhost: _, ...marked } = ENTITIES;
  return kind === 'vhost'
    ? and(...Object.values(marked).map((one) => not(isMarked(one))))
    : isMarked(ENTITIES[kind]);
}
