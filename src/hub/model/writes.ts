/** Writes the steps of changes, and the changelog beside them. */
import { eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Db } from '../db/open.ts';
import { agents, changelog, policies, preamble, vhosts } from '../db/schema.ts';
import type { StoredAgent } from './agent.ts';
import type { AgentStep, Author, PolicyStep, PreambleStep, Step } from './changes.ts';
import { recordOf } from './history.ts';
import { storedOf } from './stored.ts';

/** Writes one step and its entry in the changelog. @throws SQLite errors */
export type Write = (step: Step, author: Author, known: readonly StoredAgent[]) => void;

/**
 * Every statement is made once, when it is first needed: making it takes ten times as long as running it.
 * @param behind the names of the agents that lack these changes
 */
export function prepareWrites(
  tx: Pick<Db, 'insert' | 'update' | 'delete'>,
  time: Date,
  behind: readonly string[],
): Write {
  const isVhost = eq(vhosts.id, sql.placeholder('id'));
  const insert = once(() => tx.insert(vhosts).values(slotsOf(vhosts)).prepare());
  const update = once(() => tx.update(vhosts).set(slotsOf(vhosts)).where(isVhost).prepare());
  const remove = once(() => tx.delete(vhosts).where(isVhost).prepare());
  const { id: _, ...entry } = slotsOf(changelog);
  const record = once(() => tx.insert(changelog).values(entry).prepare());

  function write(step: Step): void {
    switch (step.kind) {
      case 'preamble':
        writePreamble(step);
        break;
      case 'create':
        insert().run(storedOf(step.after));
        break;
      case 'policy':
        writePolicy(step);
        break;
      case 'agent':
        writeAgent(step);
        break;
      case 'delete':
        remove().run({ id: step.before.id });
        break;
      default:
        update().run(storedOf(step.after));
    }
  }

  function writePreamble({ agent, after }: PreambleStep): void {
    if (agent === null) tx.update(preamble).set({ config: after, updatedAt: time }).run();
    else tx.update(agents).set({ preamble: after }).where(eq(agents.id, agent.id)).run();
  }

  function writeAgent({ before, after }: AgentStep): void {
    if (before === null) {
      if (after) tx.insert(agents).values(after).run();
      return;
    }
    const isAgent = eq(agents.id, before.id);
    if (after) tx.update(agents).set(after).where(isAgent).run();
    else tx.delete(agents).where(isAgent).run();
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

  const missed = behind.length > 0 ? behind : null;
  return (step, { userId, userName, via }, known) => {
    write(step);
    const recorded = { ...recordOf(step, known), createdAt: time, behind: missed };
    record().run({ userId, userName, via, ...recorded });
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
