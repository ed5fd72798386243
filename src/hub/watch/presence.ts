/** When sites were changed, and when they were on, as the changelog has it. */
import { and, asc, gte, sql } from 'drizzle-orm';
import type { Db } from '../db/open.ts';
import { changelog } from '../db/schema.ts';
import { isOfKind } from '../model/history/changelog.ts';
import type { Vhost } from '../model/vhost.ts';

/** A change of a site, in milliseconds since 1970, and if it was on before and after; not there counts as off. */
type Turn = { at: number; before: boolean; after: boolean };

export type Presence = {
  /** When it was changed, oldest first. */
  changes: readonly number[];
  /** Whether it was on at any moment in [from, to). */
  wasOn(from: number, to: number): boolean;
};

/** @param from milliseconds since 1970: what is older is as it was then @throws SQLite errors */
export function readPresence(db: Db, from: number): (site: Vhost) => Presence {
  const isOn = (row: typeof changelog.before | typeof changelog.after) =>
    sql<number | null>`json_extract(${row}, '$.enabled')`;
  const rows = db
    .select({
      id: sql<number>`json_extract(coalesce(${changelog.after}, ${changelog.before}), '$.id')`,
      at: changelog.createdAt,
      before: isOn(changelog.before),
      after: isOn(changelog.after),
    })
    .from(changelog)
    .where(and(gte(changelog.createdAt, new Date(from)), isOfKind('vhost')))
    .orderBy(asc(changelog.id))
    .all();
  const turns = Map.groupBy(
    rows.map(({ id, at, before, after }) => ({
      id,
      at: at.getTime(),
      before: before === 1,
      after: after === 1,
    })),
    ({ id }) => id,
  );
  return (site) => presenceOf(site, turns.get(site.id) ?? []);
}

/** @param turns oldest first */
function presenceOf({ enabled }: Vhost, turns: readonly Turn[]): Presence {
  const [first] = turns;
  const steps = [
    // A site that was created since has a turn that says so.
    { at: Number.NEGATIVE_INFINITY, isOn: first?.before ?? enabled },
    ...turns.map(({ at, after }) => ({ at, isOn: after })),
  ];
  return {
    changes: turns.map(({ at }) => at),
    wasOn: (from, to) =>
      steps.some(({ at, isOn }, i) => isOn && at < to && (steps[i + 1]?.at ?? Infinity) > from),
  };
}
