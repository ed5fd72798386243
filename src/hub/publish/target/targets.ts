/** The targets of a hub, one for each agent that is stored; and what is known of each, for people. */
import { Failure, sentenceOf, wordsOf } from '../../../shared/failure.ts';
import type { ProxyStatus } from '../../../shared/wire/proxy.ts';
import type { AgentClient } from '../../agents/client.ts';
import { sentenceOfClosed } from '../../agents/proxy.ts';
import { FIRST_AGENT, type StoredAgent } from '../../model/agent.ts';
import { agentNamed, setFor } from '../../model/applied.ts';
import type { Step } from '../../model/changes.ts';
import type { Dialect } from '../../model/containment.ts';
import { concernedBy } from '../../model/entities.ts';
import { type BrokenVhost, isRejection } from '../../model/refusal.ts';
import type { SiteSet } from '../../model/vhost.ts';
import { judged } from './standing.ts';
import { createTarget, type Target, type TargetDeps } from './target.ts';

/** Where changes have to go live, and who is not asked because they are paused or did not answer. */
export type Destinations = { asked: Target[]; skipped: Map<Target, Failure> };

export type Targets = {
  first(): Target;
  /** In the order of the set. */
  all(): Target[];
  /** @throws Failure NOT_FOUND */
  of(id: number): Target;
  /** The first one if no name is given. @throws Failure NOT_FOUND */
  named(name?: string): Target;
  has(id: number): boolean;
  /** Follows the stored set after agents were added, removed or moved. */
  follow(): void;
  /** Of all proxies, by their agents' ids. Only those are asked that the steps to this set concern. */
  dialectsOf(next: SiteSet, steps: readonly Step[]): Promise<ReadonlyMap<number, Dialect>>;
  /** @param next the set that these steps lead to */
  destinations(steps: readonly Step[], next: SiteSet): Destinations;
};

type TargetsDeps = Omit<TargetDeps, 'id' | 'url' | 'client' | 'pairOf'> & {
  connect: (agent: StoredAgent) => AgentClient;
  pairsFor: (agent: StoredAgent) => TargetDeps['pairOf'];
};

export function createTargets({ connect, pairsFor, ...deps }: TargetsDeps): Targets {
  const { stored } = deps;
  const byId = new Map<number, Target>();

  function of(id: number): Target {
    const target = byId.get(id);
    if (target) return target;
    throw new Failure('NOT_FOUND', 'There is no such agent.');
  }

  const first = () => of(FIRST_AGENT);

  /** Only the hub can tell that it has forgotten what it published. */
  const judging = (id: number, client: AgentClient): AgentClient => ({
    ...client,
    status: async (deadline) =>
      judged(await client.status(deadline), deps.store, () =>
        of(id).gateway.digestOf(setFor(stored(), id)),
      ),
  });

  function follow(): void {
    const { agents } = stored();
    const ids = new Set(agents.map(({ id }) => id));
    for (const id of byId.keys()) if (!ids.has(id)) byId.delete(id);
    for (const agent of agents) {
      const { id, url } = agent;
      // Invited again, it may be elsewhere.
      if (byId.get(id)?.url === url) continue;
      const client = judging(id, connect(agent));
      byId.set(id, createTarget({ ...deps, id, url, client, pairOf: pairsFor(agent) }));
    }
  }

  const all = () => stored().agents.map(({ id }) => of(id));

  follow();
  return {
    first,
    all,
    of,
    named: (name) => (name ? of(agentNamed(name, stored()).id) : first()),
    has: (id) => byId.has(id),
    follow,

    async dialectsOf(next, steps) {
      const concerned = new Set(concernedBy(steps, next).map(({ id }) => id));
      const found = all().map(async (target) => {
        const isAsked = concerned.has(target.id);
        return [target.id, isAsked ? await target.dialectFor(next) : target.lastDialect()] as const;
      });
      return new Map(await Promise.all(found));
    },

    destinations(steps, next) {
      const found: Destinations = { asked: [], skipped: new Map() };
      const { agents } = stored();
      // The only one also gets the first publish, which may have no steps.
      const concerned = agents.length > 1 ? concernedBy(steps, next) : agents;
      for (const { id, paused } of concerned) {
        const target = of(id);
        const away = target.skipped();
        if (paused) found.skipped.set(target, isPaused());
        else if (away) found.skipped.set(target, away);
        else found.asked.push(target);
      }
      return found;
    },
  };
}

const isPaused = () => new Failure('AGENT_UNREACHABLE', 'The agent is paused; resume it first.');

/**
 * `unreachable`: it, or its proxy, does not answer; `refused`: its proxy refuses some or all of what is
 * stored, cannot open a port, or obeys another hub; `behind`: it serves something else than what is stored.
 */
export type AgentState = 'in-step' | 'behind' | 'unreachable' | 'refused';

export type AgentStanding = Readonly<{
  agent: StoredAgent;
  state: AgentState;
  /** Since when it is in this state; behind, since when its proxy lacks a change. */
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

type Standings = {
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
        since: (state === 'behind' && target.behindSince()) || changedAt,
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
  const { status, isPublished } = target.seen();
  if (!isPublished && status?.proxy.running === false) {
    return { state: 'unreachable', detail: status.fault ?? 'Caddy does not answer.' };
  }
  const failure = target.upkeep.failure();
  if (failure) {
    const why = isRejection(failure) ? sentenceOf(failure) : undefined;
    const detail = why ? `Its Caddy refuses what is stored: ${why}` : wordsOf(failure);
    return { state: 'refused', detail };
  }
  const broken = target.leftOut.list();
  if (broken.length > 0) {
    const names = broken.map(({ vhost }) => vhost.domain).join(', ');
    return { state: 'refused', detail: `Its Caddy refuses ${names}.` };
  }
  const ownership = target.standing.ownership();
  if (ownership !== null) return { state: 'refused', detail: ownership };
  const closed = (status?.closed ?? []).filter(({ address }) => !address.startsWith('udp/'));
  if (closed.length > 0) {
    return { state: 'refused', detail: `${closed.map(sentenceOfClosed).join('; ')}.` };
  }
  const isLive = isPublished || (status !== null && target.isInStep(status));
  return { state: isLive && target.behindSince() === null ? 'in-step' : 'behind', detail: null };
}
