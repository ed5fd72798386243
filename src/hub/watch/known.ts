/**
 * Which problems people know of: those are listed, but announced to nobody and counted nowhere. What is known
 * until it is over counts again once it has been gone for as long as an incident has to be.
 */
import { and, eq, isNull } from 'drizzle-orm';
import type { Db } from '../db/open.ts';
import { incidents, knownProblems } from '../db/schema.ts';
import type { Saying } from '../model/known-changes.ts';
import type { Vhost } from '../model/vhost.ts';
import type { Look } from './look.ts';
import { aboutOf, placeOf, type Subject } from './problem.ts';
import { isUndialled } from './sites/state.ts';

export type KnownProblems = {
  /** What is known now, by the problem. */
  read(): ReadonlyMap<string, Saying>;
  /**
   * Ends what was known until it is over, and is: not while nobody can tell, nor while its site is disabled.
   * @param present the problems that this look found
   * @param isUnknown whether an incident that this look did not find may be there
   * @param elapsed milliseconds of a clock that is never set
   */
  end(
    present: ReadonlySet<string>,
    look: Pick<Look, 'agents'>,
    isUnknown: (incident: Subject) => boolean,
    elapsed: number,
  ): void;
};

/** @param current the stored set */
export function createKnownProblems(
  db: Db,
  now: () => Date,
  current: () => { vhosts: readonly Vhost[] },
  watch: Readonly<{ settles: number; tolerance: number }>,
): KnownProblems {
  /** Since when each has not been found. */
  let gone: ReadonlyMap<string, number> = new Map();

  /** Prepared once, because each look asks twice. */
  const noted = db.select().from(knownProblems).where(isNull(knownProblems.overAt)).prepare();

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
        noted
          .all()
          .flatMap(({ problem, until, by }) =>
            until === null || until > time ? [[problem, { until, by }] as const] : [],
          ),
      );
    },

    end(present, look, isUnknown, elapsed) {
      const silent = look.agents
        .filter(({ status }) => !status?.proxy.running)
        .map(({ id }) => ` ${placeOf(id)} `);
      const disabled = current().vhosts.filter(({ enabled }) => !enabled);
      const mayBeThere = (problem: string): boolean => {
        const { incident } = aboutOf(problem);
        return (
          silent.some((place) => `${problem} `.includes(place)) ||
          (incident !== undefined && isUnknown(incident)) ||
          isUnwatched(problem, look, disabled) ||
          isOpen(problem)
        );
      };
      const missing = noted
        .all()
        .filter(
          ({ until, problem }) => until === null && !present.has(problem) && !mayBeThere(problem),
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

/**
 * Whether nobody can see if a problem is over, because sites that had it are disabled, or were enabled just now:
 * a change that is undone has to find it as it was.
 */
function isUnwatched(
  problem: string,
  { agents }: Pick<Look, 'agents'>,
  disabled: readonly Vhost[],
): boolean {
  const { vhost, upstreams } = aboutOf(problem);
  if (vhost !== undefined) return disabled.some(({ id }) => id === vhost);
  if (upstreams === undefined) return false;
  const watched = agents
    .filter(({ id }) => upstreams.place === undefined || upstreams.place === placeOf(id))
    .flatMap(({ sites }) => (sites ?? []).flatMap((site) => site.upstreams))
    .filter(({ address }) => upstreams.addresses.includes(address));
  if (watched.length > 0) return watched.some(isUndialled);
  return disabled.some(({ upstream, config }) =>
    upstreams.addresses.every((one) => `${upstream} ${config}`.includes(withoutUsualPort(one))),
  );
}

/** Which a config need not name. */
const withoutUsualPort = (address: string): string => address.replace(/:(?:80|443)$/, '');
