/** Keeps the published set, and the changelog beside it, in the database. */
import { and, asc, eq, inArray, isNull, notLike } from 'drizzle-orm';
import { whileBusy } from '../db/fault.ts';
import { checkOnceATurn } from '../db/once-a-turn.ts';
import { type Db, inTransaction, type OpenDatabase } from '../db/open.ts';
import {
  agents,
  certificates,
  changelog,
  hub,
  knownProblems,
  policies,
  preamble,
  vhosts,
} from '../db/schema.ts';
import { FIRST_AGENT, firstThenByName, type StoredAgent } from './agent.ts';
import { dropAnswers, type KeptAnswer, keepAnswer } from './answers.ts';
import type { Certificate } from './certificate.ts';
import type { Author, Kind, Plan, Step, Stored } from './changes.ts';
import { type AgentsAndPolicies, ASIDE, ENTITIES, reviver } from './entities.ts';
import { summaryOf } from './history/summary.ts';
import { createWrites } from './history/writes.ts';
import { containersOf } from './source.ts';
import type { SiteSet } from './vhost.ts';

/** A change that is live, and whose it is. */
export type Accepted = {
  author: Author;
  plan: Pick<Plan<unknown>, 'next' | 'steps'>;
  /**
   * The answer to keep for a retry.
   * @param behind the names of the agents that lack the change @param group of its entries
   */
  answer?: (behind: readonly string[], group: number) => KeptAnswer;
};

export type Store = {
  /** The id of the database, by which an agent knows whom it obeys. */
  readonly id: string;
  /** Of two copies of the database, agents obey the one with the higher term. */
  readonly term: number;
  /** Whether the next publish may replace what another hub published: after a restore. */
  mayReplace(): boolean;
  /** Notes that a publish has made the proxy this hub's. @throws SQLite errors */
  markOwner(): void;
  /** Runs `write` again while another program has the database locked, for some seconds. @throws what it throws */
  whenFree<T>(write: () => T): Promise<T>;
  /** @throws Failure STORAGE_UNAVAILABLE if the database's file was replaced: a commit would be lost */
  assertInPlace(): void;
  load(): SiteSet;
  /** When the preamble last changed; 1970 if nobody has written one. */
  preambleUpdatedAt(): Date;
  /** Whether anything was ever recorded: until then the hub must not touch the proxy. */
  hasPublished(): boolean;
  /** Whether a first publish began and nobody knows how it ended: it may be live without being recorded. */
  hasAttempted(): boolean;
  /** Notes that the first publish begins, or with null that it is live nowhere. @throws SQLite errors */
  markAttempt(time: Date | null): void;
  /**
   * Stores rows and changelog in one transaction, or nothing.
   * @param behind the agents whose proxies lack these changes
   * @returns the group of the entries of each change
   * @throws as `assertInPlace`; SQLite errors
   */
  commit(changes: readonly Accepted[], time: Date, behind?: readonly StoredAgent[]): number[];
  /** Since when an agent's proxy lacks a change; null if it lacks none. */
  behindSince(id: number): Date | null;
  /** Notes that an agent's proxy lacks nothing any more. @throws SQLite errors */
  caughtUp(id: number): void;
  /** Gives the agent that the settings name its name. @throws Error if another has it; SQLite errors */
  nameFirstAgent(name: string): void;
  /** Whether nobody has written a preamble yet. */
  isUnseeded(): boolean;
  /** Writes the first preamble, before anything is published. */
  seedPreamble(config: string, time: Date): void;
};

export function createStore({
  db,
  assertInPlace,
}: Pick<OpenDatabase, 'db' | 'assertInPlace'>): Store {
  const rowOf = (id: number) => db.select().from(agents).where(eq(agents.id, id)).get();
  const write = createWrites(db);
  const identity = db.select().from(hub).get();
  if (!identity) throw new Error('the database has no id');
  let mayReplace = identity.replaces;
  let hasPublished = false;
  const lastId = db.$client.query<{ seq: number }, [string]>(
    'SELECT seq FROM sqlite_sequence WHERE name = ?',
  );
  const nextIdOf = (table: string): number => (lastId.get(table)?.seq ?? 0) + 1;
  /** Prepared once, because each look at a proxy asks, every second. */
  const preambleRow = db.select().from(preamble).prepare();
  const published = db
    .select({ id: changelog.id })
    .from(changelog)
    .where(and(...ASIDE.map((kind) => notLike(changelog.domain, `${ENTITIES[kind].mark}%`))))
    .limit(1)
    .prepare();

  return {
    id: identity.id,
    term: identity.term,
    mayReplace: () => mayReplace,

    markOwner() {
      if (!mayReplace) return;
      db.update(hub).set({ replaces: false }).run();
      mayReplace = false;
    },

    // A commit asks itself.
    assertInPlace: checkOnceATurn(assertInPlace),

    load() {
      const known = db.select().from(policies).orderBy(asc(policies.name)).all();
      const revived = reviver(known);
      const rows = db.select().from(vhosts).orderBy(asc(vhosts.position), asc(vhosts.id)).all();
      return {
        preamble: preambleRow.get()?.config ?? '',
        vhosts: rows.map((row) => {
          const vhost = revived(row);
          if (vhost) return vhost;
          throw new Error(`the site ${row.domain} has a policy that is not in the database`);
        }),
        nextId: nextIdOf('vhosts'),
        policies: known,
        nextPolicyId: nextIdOf('policies'),
        agents: db
          .select()
          .from(agents)
          .all()
          .map(({ behindSince: _, ...agent }) => agent)
          .toSorted(firstThenByName),
        nextAgentId: nextIdOf('agents'),
        known: db
          .select()
          .from(knownProblems)
          .all()
          .map(({ overAt: _, ...one }) => one),
        nextKnownId: nextIdOf('known_problems'),
        certificates: db
          .select()
          .from(certificates)
          .orderBy(asc(certificates.id))
          .all()
          .map(storedOf),
        nextCertificateId: nextIdOf('certificates'),
      };
    },

    preambleUpdatedAt: () => preambleRow.get()?.updatedAt ?? new Date(0),

    hasPublished() {
      hasPublished ||= published.get() !== undefined;
      return hasPublished;
    },

    hasAttempted: () => preambleRow.get()?.attemptedAt != null,

    markAttempt(time) {
      db.update(preamble).set({ attemptedAt: time }).run();
    },

    commit(changes, time, behind = []) {
      assertInPlace();
      return inTransaction(db, (tx) => {
        const names = behind.map(({ name }) => name);
        const ofAll = { createdAt: time, behind: names.length > 0 ? names : null };
        let nextEntry = nextIdOf('changelog');
        dropAnswers(db, time);
        const groups = changes.map(
          ({
            author: { also, assertAllowed: _, isUndo, summary: said, ...author },
            plan,
            answer,
          }) => {
            const known = knownIn(plan);
            const group = nextEntry;
            nextEntry += plan.steps.length;
            const [first, ...others] = plan.steps;
            // The only entry, about a site, says everything.
            const isPlain = first?.kind === 'vhost' && others.length === 0 && !isUndo;
            const summary = said ?? (isPlain ? null : summaryOf(plan.steps, isUndo));
            freeNames(tx, plan.steps);
            for (const step of plan.steps) {
              const line = step === first ? summary : null;
              write(step, { ...author, ...ofAll, group, summary: line }, known);
            }
            if (answer) keepAnswer(tx, answer(names, group));
            also?.(tx, time);
            return group;
          },
        );
        if (behind.length > 0) {
          const ids = behind.map(({ id }) => id);
          const isNew = and(inArray(agents.id, ids), isNull(agents.behindSince));
          tx.update(agents).set({ behindSince: time }).where(isNew).run();
        }
        return groups;
      });
    },

    whenFree: whileBusy,

    behindSince: (id) => rowOf(id)?.behindSince ?? null,

    caughtUp(id) {
      if (rowOf(id)?.behindSince == null) return;
      db.update(agents).set({ behindSince: null }).where(eq(agents.id, id)).run();
    },

    nameFirstAgent(name) {
      const [other] = db.select().from(agents).where(eq(agents.name, name)).all();
      if (other && other.id !== FIRST_AGENT) {
        throw new Error(`AGENT_NAME is ${name}, but an enrolled agent has that name: set another`);
      }
      const before = rowOf(FIRST_AGENT)?.name ?? name;
      inTransaction(db, (tx) => {
        tx.update(agents).set({ name }).where(eq(agents.id, FIRST_AGENT)).run();
        const isKept = eq(vhosts.source, containersOf(before));
        tx.update(vhosts)
          .set({ source: containersOf(name) })
          .where(isKept)
          .run();
      });
    },

    isUnseeded: () => preambleRow.get()?.updatedAt.getTime() === 0,

    seedPreamble(config, time) {
      db.update(preamble).set({ config, updatedAt: time }).run();
    },
  };
}

const storedOf = (row: typeof certificates.$inferSelect): Certificate => {
  const { failedAt: _, failures: __, lastError: ___, key, spec, ...rest } = row;
  return { ...rest, key: key.toString('base64'), spec: spec?.toString('base64') ?? null };
};

/** Policies may get each other's names; until then they have one that nobody can give. */
function freeNames(tx: Pick<Db, 'update'>, steps: readonly Step[]): void {
  for (const { kind, before, after } of steps) {
    if (kind !== 'policy' || !before || !after || before.name === after.name) continue;
    const name = `(${before.id})`;
    tx.update(policies).set({ name }).where(eq(policies.id, before.id)).run();
  }
}

/** The agents and policies of a plan, with those that it deletes. */
function knownIn({ next, steps }: Accepted['plan']): AgentsAndPolicies {
  const deleted = steps.filter(({ after }) => after === null);
  const [agents, policies] = [deletedOf(deleted, 'agent'), deletedOf(deleted, 'policy')];
  return {
    agents: [...next.agents, ...agents],
    policies: [...next.policies, ...policies],
  };
}

const deletedOf = <K extends Kind>(deleted: readonly Step[], kind: K) =>
  deleted.flatMap((step) => (step.kind === kind && step.before ? [step.before as Stored[K]] : []));
