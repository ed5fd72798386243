/**
 * Which problems people know of: those are listed, but announced to nobody and counted nowhere. What is known
 * until it is over counts again once it has been gone for as long as an incident has to be.
 */
import { and, eq, isNull } from 'drizzle-orm';
import type { Db } from '../db/open.ts';
import { incidents, knownProblems } from '../db/schema.ts';
import type { Saying } from '../model/known-changes.ts';
import type { Look } from './look.ts';
import { placeOf } from './problem.ts';

export type Known = {
  /** What is known now, by the problem. */
  read(): ReadonlyMap<string, Saying>;
  /**
   * Ends what was known until it is over, and is.
   * @param present the problems that this look found
   * @param elapsed milliseconds of a clock that is never set
   */
  end(present: ReadonlySet<string>, look: Pick<Look, 'agents'>, elapsed: number): void;
};

type KnownDeps = {
  db: Db;
  now: () => Date;
  pace: { watch: { settles: number; tolerance: number } };
};

export function createKnown({ db, now, pace: { watch } }: KnownDeps): Known {
  /** Since when each has not been found. */
  let gone: ReadonlyMap<string, number> = new Map();

  const noted = () => db.select().from(knownProblems).where(isNull(knownProblems.overAt)).all();

  /** What is not found may still be there: an open incident is not over until that is known. */
  const isOpen = (problem: string): boolean =>
    db
      .select({ id: incidents.id })
      .from(incidents)
      .where(and(eq(incidents.problem, problem), isNull(incidents.overAt)))
      .limit(1)
      .get() !== undefined;

  return {
    read() {
      const time = now().toISOString();
      return new Map(
        noted().flatMap(({ problem, until, by }) =>
          until === null || until > time ? [[problem, { until, by }] as const] : [],
        ),
      );
    },

    end(present, { agents }, elapsed) {
      const silent = agents
        .filter(({ status }) => !status?.proxy.running)
        .map(({ id }) => ` ${placeOf(id)} `);
      const isUnknown = (problem: string) => silent.some((place) => `${problem} `.includes(place));
      const missing = noted().filter(
        ({ until, problem }) =>
          until === null && !present.has(problem) && !isUnknown(problem) && !isOpen(problem),
      );
      gone = new Map(missing.map(({ problem }) => [problem, gone.get(problem) ?? elapsed]));
      for (const [problem, since] of gone) {
        if (elapsed - since < watch.settles - watch.tolerance) continue;
        const isIt = eq(knownProblems.problem, problem);
        db.update(knownProblems).set({ overAt: now().getTime() }).where(isIt).run();
      }
    },
  };
}
