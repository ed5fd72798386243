/**
 * Any moment since the changelog began. It is read backwards: what is stored now, with everything that an entry since
 * then has changed as the first of these entries found it. Pure, but for the reading of the changelog.
 */
import { inArray, sql } from 'drizzle-orm';
import type { Db } from '../../hub/db/open.ts';
import { changelog } from '../../hub/db/schema.ts';
import type { Certificate } from '../../hub/model/certificate.ts';
import type { Kind } from '../../hub/model/changes.ts';
import { ENTITIES, kindOf, type Recorded, reviver } from '../../hub/model/entities.ts';
import { revived } from '../../hub/model/history/revert.ts';
import { type Numbered, netOf, thingOf } from '../../hub/model/history/revert-group.ts';
import { byName } from '../../hub/model/policy-changes.ts';
import { byPosition, type SiteSet } from '../../hub/model/vhost.ts';
import type { Policy } from '../../hub/recipes/policy.ts';
import { Failure } from '../../shared/failure.ts';

/** What the entries since a moment have made of one thing, as if it were one of them: the last. */
export type Net = Numbered & { kind: Kind; thing: number | undefined };

/** The number of the last group of changes until a moment. @throws Failure INVALID_REQUEST if there is none yet */
export function lastEntryAt(db: Db, at: Date): number {
  const [row] = db.values<[number | null, number | null]>(sql`SELECT
    (SELECT id FROM changelog WHERE created_at <= ${at.getTime()} ORDER BY id DESC LIMIT 1),
    (SELECT created_at FROM changelog ORDER BY id LIMIT 1)`);
  const [id, first] = row ?? [null, null];
  if (id !== null) return id;
  const began = first === null ? 'is empty' : `begins at ${new Date(first).toISOString()}`;
  throw new Failure(
    'INVALID_REQUEST',
    `The changelog ${began}: nothing is known of a time before.`,
    {
      at: { field: 'at' },
    },
  );
}

/** The groups of changes after an entry, newest first, at most 100. */
export const groupsAfter = (db: Db, id: number): number[] =>
  db
    .values<[number]>(
      sql`SELECT DISTINCT group_id FROM changelog WHERE id > ${id} ORDER BY group_id DESC LIMIT 100`,
    )
    .map(([group]) => group);

/** Of what cannot be undone, such as changes to agents, entries keep nothing. */
const KEPT = sql`coalesce(after, before)`;

/** The same for all entries about a thing, as `netOf` groups them. */
const THING = sql`iif(domain LIKE '(%', substr(domain, 1, 5), ''),
  coalesce(json_extract(${KEPT}, '$.id'), json_extract(${KEPT}, '$.agent'))`;

/** What the entries after one of them have changed in all, one line a thing, in the order of their last entries. */
export function netsAfter(db: Db, id: number): Net[] {
  const { action, domain, before, after } = changelog;
  // The first and the last entry of each thing say all, of which there may be twenty thousand.
  const ends = sql`(
    WITH ends AS MATERIALIZED (
      SELECT min(id) AS first, max(id) AS last FROM changelog
      WHERE id > ${id} AND ${KEPT} IS NOT NULL GROUP BY ${THING}
    )
    SELECT first FROM ends UNION SELECT last FROM ends
  )`;
  const rows = db
    .select({ id: changelog.id, action, domain, before, after })
    .from(changelog)
    .where(inArray(changelog.id, ends))
    .orderBy(changelog.id)
    .all();
  return netOf(rows)
    .toSorted((one, other) => one.id - other.id)
    .map((net) => ({ ...net, kind: kindOf(net.domain), thing: thingOf(net) }));
}

/** The set of a moment. @param nets what was changed since @param now the set that this has led to */
export function setBefore(nets: readonly Net[], now: SiteSet): SiteSet {
  if (nets.length === 0) return now;
  const of = <K extends Kind>(kind: K) =>
    nets
      .filter((net) => net.kind === kind)
      .map(({ thing, before }) => ({
        thing,
        before: before === null ? null : revived<Recorded[K]>(before),
      }));
  const policies = swapped<Policy>(now.policies, of('policy')).toSorted(byName);
  const stored = now.vhosts.map((vhost) => ENTITIES.vhost.undo?.keep(vhost) ?? never());
  const revive = reviver(policies);
  const vhosts = swapped(stored, of('vhost'))
    .toSorted(byPosition)
    .map((one) => revive(one) ?? never());
  const preambles = of('preamble');
  const common = preambles.find(({ thing }) => thing === undefined);
  return {
    ...now,
    vhosts,
    policies,
    preamble: common ? (common.before?.config ?? '') : now.preamble,
    agents: now.agents.map((agent) => {
      const own = preambles.find(({ thing }) => thing === agent.id);
      return own ? { ...agent, preamble: own.before?.config ?? null } : agent;
    }),
    certificates: swapped<Certificate>(now.certificates, of('certificate')).toSorted(
      (a, b) => a.id - b.id,
    ),
  };
}

/** With what things were in place of what they are. */
function swapped<T extends { id: number }>(
  things: readonly T[],
  nets: readonly { thing: number | undefined; before: T | null }[],
): T[] {
  const touched = new Set(nets.map(({ thing }) => thing));
  return [
    ...things.filter(({ id }) => !touched.has(id)),
    ...nets.flatMap(({ before }) => before ?? []),
  ];
}

function never(): never {
  throw new Error('the changelog does not lead back to what was stored');
}
