/** What the hub knows of each of its agents, for people. */
import type { Failure } from '../../shared/failure.ts';
import type { ProxyStatus } from '../../shared/wire.ts';
import type { StoredAgent } from '../model/agent.ts';
import type { BrokenVhost } from './gateway.ts';
import type { Target } from './target.ts';

/**
 * `unreachable`: it, or its proxy, does not answer; `refused`: its proxy refuses some or all of what is
 * stored, or obeys another hub; `behind`: it serves something else than what is stored.
 */
export type AgentState = 'in-step' | 'behind' | 'unreachable' | 'refused';

export type AgentStanding = Readonly<{
  agent: StoredAgent;
  state: AgentState;
  /** Since when it is in this state; behind or unreachable, since when its proxy lacks a change. */
  since: Date;
  detail: string | null;
  /** As last seen. */
  status: ProxyStatus | null;
  latencyMs: number | null;
  /** As `skewOf`. */
  skewMs: number | null;
  /** Since when its proxy lacks a change; null if it lacks none. */
  behindSince: Date | null;
  broken: readonly BrokenVhost[];
  /** Why what is stored is not live, apart from those; null if it is, or nobody has tried. */
  failure: Failure | null;
  /** Whose sites the proxy serves, if that is in the way of a change. */
  ownership: string | null;
  /** What stands between the hub and this proxy, ownership included, for the operator. */
  warnings: readonly string[];
}>;

export type Standings = {
  /** Notes in which state an agent is now. */
  of(target: Target): AgentStanding;
};

export function createStandings(now: () => Date): Standings {
  const known = new Map<number, { state: AgentState; since: Date }>();
  return {
    of(target) {
      const { state, detail } = stateOf(target);
      const before = known.get(target.id);
      const changedAt = before?.state === state ? before.since : now();
      known.set(target.id, { state, since: changedAt });
      const { status, latency, skew } = target.seen();
      return {
        agent: target.agent(),
        state,
        since: (state !== 'in-step' && target.behindSince()) || changedAt,
        detail,
        status,
        latencyMs: latency === null ? null : Math.round(latency * 10) / 10,
        skewMs: skew,
        behindSince: target.behindSince(),
        broken: target.leftOut.list(),
        failure: target.upkeep.failure(),
        ownership: target.standing.ownership(),
        warnings: target.standing.warnings(),
      };
    },
  };
}

function stateOf(target: Target): { state: AgentState; detail: string | null } {
  const away = target.away();
  if (away) return { state: 'unreachable', detail: wordsOf(away) };
  const failure = target.upkeep.failure();
  if (failure) return { state: 'refused', detail: wordsOf(failure) };
  const broken = target.leftOut.list();
  if (broken.length > 0) {
    const names = broken.map(({ vhost }) => vhost.domain).join(', ');
    return { state: 'refused', detail: `Its Caddy refuses ${names}.` };
  }
  const ownership = target.standing.ownership();
  if (ownership !== null) return { state: 'refused', detail: ownership };
  const { status, isPublished } = target.seen();
  const isLive = isPublished || (status !== null && target.isInStep(status));
  return { state: isLive && target.behindSince() === null ? 'in-step' : 'behind', detail: null };
}

const wordsOf = ({ message, detail }: Failure): string =>
  detail === undefined ? message : `${message} ${detail}`;
