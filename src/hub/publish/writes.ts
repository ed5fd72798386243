/** Writes the steps of changes, and the changelog beside them. */
import { eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Db } from '../db/open.ts';
import { changelog, policies, preamble, vhosts } from '../db/schema.ts';
import type { Author, PolicyStep, Step } from './changes.ts';
import { recordOf } from './history.ts';
import { storedOf } from './stored.ts';

/** Writes one step and its entry in the changelog. @throws SQLite errors */
export type Write = (step: Step, author: Author) => void;

/** Every statement is made once, when it is first needed: making it takes ten times as long as running it. */
export function prepareWrites(tx: Pick<Db, 'insert' | 'update' | 'delete'>, time: Date): Write {
  const isVhost = eq(vhosts.id, sql.placeholder('id'));
  const insert = once(() => tx.insert(vhosts).values(slotsOf(vhosts)).prepare());
  const update = once(() => tx.update(vhosts).set(slotsOf(vhosts)).where(isVhost).prepare());
  const remove = once(() => tx.delete(vhosts).where(isVhost).prepare());
  const { id: _, ...entry } = slotsOf(changelog);
  const record = once(() => tx.insert(changelog).values(entry).prepare());

  function write(step: Step): void {
    switch (step.kind) {
      case 'preamble':
        tx.update(preamble).set({ config: step.after, updatedAt: time }).run();
        break;
      case 'create':
        insert().run(storedOf(step.after));
        break;
      case 'policy':
        writePolicy(step);
        break;
      case 'delete':
        remove().run({ id: step.before.id });
        break;
      default:
        update().run(storedOf(step.after));
    }
  }

  function writePolicy({ before, after }: PolicyStep): void {
    if (!before) {
      if (after) tx.insert(policies).values(after).run();
      return;
    }
    const isPolicy = eq(policies.id, before.id);
    if (after) tx.update(policies).set(after).where(isPolicy).run();
    else tx.delete(policies).where(isPolicy).run();
  }

  return (step, { userId, userName, via }) => {
    write(step);
    record().run({ userId, userName, via, ...recordOf(step), createdAt: time });
  };
}

/** A placeholder for each column of a table. */
const slotsOf = <T extends SQLiteTable>(table: T) =>
  Object.fromEntries(
    Object.entries(getTableColumns(table)).map(([name, column]) => [
      name,
      sql`${sql.param(sql.placeholder(name), column)}`,
    ]),
  ) as Record<keyof T['$inferInsert'], SQL>;

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
