/**
 * Which checks fail: those that were wrong twice in a row, until they are right twice in a row. By agent,
 * as what one of them says tells nothing of another. Stored, so that a restart neither forgets nor ends one.
 */
import { and, eq } from 'drizzle-orm';
import type { Db } from '../../hub/db/open.ts';
import type { SiteSet } from '../../hub/model/vhost.ts';
import type { Checks, FailingCheck } from '../../hub/watch/checks.ts';
import { type Heard, watchedIn } from './rounds.ts';
import { failingChecks } from './tables.ts';

type Failing = Omit<Checks, 'hours'> & {
  /** @throws SQLite errors */
  hear(heard: Heard, at: Date): void;
  /** Whether the last answer of some agent was wrong. */
  hasFailed(vhost: number): boolean;
  /** Forgets vhosts that are not asked any more, or not there. @throws SQLite errors */
  forget(): void;
};

/** So often in a row is enough. */
const ENOUGH = 2;

/** How often it was so in a row, up to enough, and since when; and whether it counts as failing. */
type Standing = {
  row: { passed: boolean; count: number; since: Date };
  failing: FailingCheck | null;
};

/** @param current the stored set */
export function createFailing(db: Db, current: () => SiteSet): Failing {
  /** By vhost, then by agent. */
  const standings = new Map<number, Map<number, Standing>>();
  const ofVhost = (id: number): Map<number, Standing> => {
    const found = standings.get(id) ?? new Map<number, Standing>();
    standings.set(id, found);
    return found;
  };
  for (const { vhostId, agentId, since, reason } of db.select().from(failingChecks).all()) {
    const row = { passed: false, count: ENOUGH, since };
    ofVhost(vhostId).set(agentId, { row, failing: { since, reason } });
  }

  const keyOf = (vhost: number, agent: number) =>
    and(eq(failingChecks.vhostId, vhost), eq(failingChecks.agentId, agent));

  function store(vhost: number, agent: number, failing: FailingCheck | null): void {
    db.delete(failingChecks).where(keyOf(vhost, agent)).run();
    if (!failing) return;
    db.insert(failingChecks)
      .values({ vhostId: vhost, agentId: agent, ...failing })
      .run();
  }

  return {
    hear({ vhost, answers }, at) {
      const known = ofVhost(vhost.id);
      for (const [agent, { passed, reason }] of answers) {
        const before = known.get(agent);
        const last = before?.row.passed === passed ? before.row : { count: 0, since: at };
        const row = { passed, count: Math.min(last.count + 1, ENOUGH), since: last.since };
        const was = before?.failing ?? null;
        const failing = passed
          ? row.count < ENOUGH
            ? was
            : null
          : row.count < ENOUGH && !was
            ? null
            : { since: was?.since ?? row.since, reason };
        if ((was === null) !== (failing === null)) store(vhost.id, agent, failing);
        known.set(agent, { row, failing });
      }
    },

    hasFailed: (vhost) =>
      [...(standings.get(vhost)?.values() ?? [])].some(({ row }) => !row.passed),

    of(vhost, agent) {
      const isAsked = watchedIn(current()).get(vhost)?.targets.has(agent) === true;
      return isAsked ? (standings.get(vhost)?.get(agent)?.failing ?? null) : null;
    },

    isUnknown(vhost, agent) {
      if (watchedIn(current()).get(vhost)?.targets.has(agent) !== true) return false;
      const standing = standings.get(vhost)?.get(agent);
      return !standing || (standing.failing === null && standing.row.count < ENOUGH);
    },

    forget() {
      const watched = watchedIn(current());
      for (const [vhost, agents] of standings) {
        for (const [agent, { failing }] of agents) {
          if (watched.get(vhost)?.targets.has(agent)) continue;
          if (failing) store(vhost, agent, null);
          agents.delete(agent);
        }
        if (agents.size === 0) standings.delete(vhost);
      }
    },
  };
}
