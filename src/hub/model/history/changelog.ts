/** Reads the changelog: pages for people, and single entries to undo. */
import {
  and,
  asc,
  count,
  desc,
  eq,
  getTableColumns,
  gt,
  inArray,
  like,
  lt,
  lte,
  not,
  type SQL,
  sql,
} from 'drizzle-orm';
import { Failure } from '../../../shared/failure.ts';
import type { Db } from '../../db/open.ts';
import { changelog } from '../../db/schema.ts';
import type { Kind } from '../changes.ts';
import { ENTITIES, kindOf } from '../entities.ts';
import { lineOf } from './summary.ts';

/** A stored entry; `before` and `after` (JSON) are private. */
export type StoredEntry = typeof changelog.$inferSelect;
export type PublicEntry = Omit<StoredEntry, 'before' | 'after' | 'summary'> & {
  /** What a toggle set; null for other changes. */
  enabled: boolean | null;
};

/** The entries of one request. */
type Group = Pick<StoredEntry, 'group' | 'userId' | 'userName' | 'via' | 'createdAt'> & {
  /** What the request did, in one line. */
  summary: string;
  /** Of all its entries, also those that a filter leaves out. */
  count: number;
  /** The first of those that pass the filter. */
  entries: PublicEntry[];
};

type ChangelogFilter = {
  /** Only entries with a smaller id; of groups, those with a smaller number. */
  before?: number | undefined;
  /** Only entries of this group. */
  group?: number | undefined;
  domain?: string | undefined;
  /** The id of the person. */
  user?: string | undefined;
  action?: StoredEntry['action'] | undefined;
};

export type Changelog = {
  /** At most 100 entries, newest first. */
  page(filter: ChangelogFilter): PublicEntry[];
  /** At most 100 groups that have an entry which passes the filter, newest first. */
  groups(filter: ChangelogFilter): Group[];
  /** @throws Failure NOT_FOUND */
  find(id: number): StoredEntry;
  /** All entries of a group, oldest first. @throws Failure NOT_FOUND */
  findGroup(group: number): StoredEntry[];
  /** The ids of at most 10 later entries about the same vhost, preamble or policy, oldest first. */
  laterOf(entry: Pick<StoredEntry, 'id' | 'domain' | 'before' | 'after'>): number[];
};

const PAGE_SIZE = 100;
/** Entries that are shown of a group. */
const SHOWN = 5;
/** Enough to see what is in the way of an undo. */
export const MAX_LATER = 10;

const { before: _, after: __, summary: ___, ...COLUMNS } = getTableColumns(changelog);
const ENABLED = sql<
  number | null
>`iif(${changelog.action} = 'toggle', json_extract(${changelog.after}, '$.enabled'), NULL)`;

/** What a filter asks for, besides `before`. */
function conditionsOf({ group, domain, user, action }: ChangelogFilter): SQL[] {
  const conditions: SQL[] = [];
  if (group !== undefined) conditions.push(eq(changelog.group, group));
  if (domain !== undefined) conditions.push(eq(changelog.domain, domain));
  if (user !== undefined) conditions.push(eq(changelog.userId, user));
  if (action !== undefined) conditions.push(eq(changelog.action, action));
  return conditions;
}

const shown = <T>({ enabled, ...entry }: T & { enabled: number | null }) => ({
  ...entry,
  enabled: enabled === null ? null : enabled === 1,
});

export function createChangelog(db: Db): Changelog {
  /** The first entries of each of these groups that meet the conditions, oldest first. */
  function firstOf(groups: readonly number[], conditions: readonly SQL[]): PublicEntry[] {
    const place = sql<number>`row_number() OVER (PARTITION BY ${changelog.group} ORDER BY ${changelog.id})`;
    const numbered = db
      .select({ id: changelog.id, place: place.as('place') })
      .from(changelog)
      .where(and(inArray(changelog.group, [...groups]), ...conditions))
      .as('numbered');
    return db
      .select({ ...COLUMNS, enabled: ENABLED })
      .from(changelog)
      .innerJoin(numbered, eq(changelog.id, numbered.id))
      .where(lte(numbered.place, SHOWN))
      .orderBy(asc(changelog.id))
      .all()
      .map(shown);
  }

  return {
    page({ before, ...filter }) {
      const conditions = conditionsOf(filter);
      if (before !== undefined) conditions.push(lt(changelog.id, before));
      return db
        .select({ ...COLUMNS, enabled: ENABLED })
        .from(changelog)
        .where(and(...conditions))
        .orderBy(desc(changelog.id))
        .limit(PAGE_SIZE)
        .all()
        .map(shown);
    },

    groups({ before, ...filter }) {
      const conditions = conditionsOf(filter);
      const older = before === undefined ? [] : [lt(changelog.group, before)];
      const ids = db
        .selectDistinct({ group: changelog.group })
        .from(changelog)
        .where(and(...conditions, ...older))
        .orderBy(desc(changelog.group))
        .limit(PAGE_SIZE)
        .all()
        .map(({ group }) => group);
      const counts = db
        .select({
          group: changelog.group,
          count: count(),
          summary: sql<string | null>`max(${changelog.summary})`,
        })
        .from(changelog)
        .where(inArray(changelog.group, ids))
        .groupBy(changelog.group)
        .all();
      const known = new Map(counts.map((one) => [one.group, one]));
      const entries = Map.groupBy(firstOf(ids, conditions), ({ group }) => group);
      return ids.flatMap((group) => {
        const own = entries.get(group) ?? [];
        const [first] = own;
        if (!first) return [];
        const { userId, userName, via, createdAt } = first;
        const { count: size = 0, summary } = known.get(group) ?? {};
        const said = summary ?? lineOf(first, size);
        return [
          { group, userId, userName, via, createdAt, summary: said, count: size, entries: own },
        ];
      });
    },

    find(id) {
      const entry = db.select().from(changelog).where(eq(changelog.id, id)).get();
      if (!entry) throw new Failure('NOT_FOUND', 'There is no such entry.');
      return entry;
    },

    findGroup(group) {
      const found = db
        .select()
        .from(changelog)
        .where(eq(changelog.group, group))
        .orderBy(asc(changelog.id))
        .all();
      if (found.length === 0) throw new Failure('NOT_FOUND', 'There is no such group of changes.');
      return found;
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
export function isOfKind(kind: Kind): SQL | undefined {
  const isMarked = ({ mark }: { mark: string }) => like(changelog.domain, `${mark}%`);
  const { vhost: _, ...marked } = ENTITIES;
  return kind === 'vhost'
    ? and(...Object.values(marked).map((one) => not(isMarked(one))))
    : isMarked(ENTITIES[kind]);
}
