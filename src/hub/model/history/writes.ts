/** Writes the steps of a change: rows, and beside them the entries of the changelog, which can undo them. */
import { eq, getTableColumns, getTableName, type SQL, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Db } from '../../db/open.ts';
import { changelog } from '../../db/schema.ts';
import type { Author, Kind, Step, StepOf } from '../changes.ts';
import { type AgentsAndPolicies, ENTITIES, type Row } from '../entities.ts';

/** A changelog entry without author and time; `before` and `after` are never shown. */
export type ChangelogRecord = {
  action: 'create' | 'update' | 'delete' | 'toggle';
  /** What the thing goes by: a vhost by its domain, others by `(KIND NAME)`. */
  domain: string;
  /** JSON text `{"old":{…},"new":{…}}` of the fields that changed; only for an update. */
  diff: string | null;
  /** The whole thing as JSON text; null if there was or is none, or it can never be undone. */
  before: string | null;
  after: string | null;
};

function recordOf<K extends Kind>(step: StepOf<K>, known: AgentsAndPolicies): ChangelogRecord {
  const entity = ENTITIES[step.kind];
  const { before, after } = step;
  const thing = after ?? before;
  const action = actionOf(step);
  const isUpdate = action === 'update' && before !== null && after !== null;
  const shown = isUpdate ? entity.shown(before, after, known) : null;
  const keep = (one: typeof thing) =>
    one === null || entity.undo === null ? null : JSON.stringify(entity.undo.keep(one));
  return {
    action,
    domain: thing === null ? '' : entity.nameOf(thing),
    diff: shown && JSON.stringify({ old: shown[0], new: shown[1] }),
    before: keep(before),
    after: keep(after),
  };
}

function actionOf({ before, after, isToggle }: StepOf<Kind>): ChangelogRecord['action'] {
  if (before === null) return 'create';
  if (after === null) return 'delete';
  return isToggle ? 'toggle' : 'update';
}

/**
 * What the entries of one request have in common; only the first one has the summary. `behind`: the names of the
 * agents that lack its changes.
 */
type Request = Omit<Author, 'summary'> & {
  group: number;
  summary: string | null;
  createdAt: Date;
  behind: readonly string[] | null;
};

/** Writes one step and its entry in the changelog. @throws SQLite errors */
type Write = (step: Step, request: Request, known: AgentsAndPolicies) => void;

/** Every statement is made once, when it is first needed: making it takes ten times as long as running it. */
export function createWrites(db: Pick<Db, 'insert' | 'update' | 'delete'>): Write {
  const made = new Map<string, Statement>();

  /** Those of each kind write the same columns. */
  function prepared(verb: 'insert' | 'update' | 'delete', { table, values }: Row): Statement {
    const key = `${verb} ${getTableName(table)} ${Object.keys(values)}`;
    const known = made.get(key);
    if (known) return known;
    const isRow = eq(table.id, sql.placeholder('id'));
    const slots = slotsOf(table, Object.keys(values));
    const statement =
      verb === 'insert'
        ? db.insert(table).values(slots).prepare()
        : verb === 'update'
          ? db.update(table).set(slots).where(isRow).prepare()
          : db.delete(table).where(isRow).prepare();
    made.set(key, statement);
    return statement;
  }

  function write<K extends Kind>({ kind, before, after }: StepOf<K>, time: Date): void {
    const { rowOf } = ENTITIES[kind];
    const thing = after ?? before;
    if (thing === null) return;
    const row = rowOf(thing, time);
    if (row === null) return;
    prepared(before === null ? 'insert' : after === null ? 'delete' : 'update', row).run(
      row.values,
    );
  }

  const { id: _, ...entry } = getTableColumns(changelog);
  const record = db
    .insert(changelog)
    .values(slotsOf(changelog, Object.keys(entry)))
    .prepare();
  return (step, request, known) => {
    write(step, request.createdAt);
    record.run({ ...request, ...recordOf(step, known) });
  };
}

type Statement = { run(values: Readonly<Record<string, unknown>>): unknown };

/** A placeholder for each of these columns of a table. */
const slotsOf = <T extends SQLiteTable>(table: T, names: readonly string[]) =>
  Object.fromEntries(
    Object.entries(getTableColumns(table))
      .filter(([name]) => names.includes(name))
      .map(([name, column]) => [name, sql`${sql.param(sql.placeholder(name), column)}`]),
  ) as Record<keyof T['$inferInsert'], SQL>;
