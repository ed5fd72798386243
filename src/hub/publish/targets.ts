/** The targets of a hub: one for each agent that is stored. */
import { Failure } from '../../shared/failure.ts';
import type { AgentClient } from '../agent-client/client.ts';
import { FIRST_AGENT, type StoredAgent } from '../model/agent.ts';
import { concernedBy } from '../model/agent-changes.ts';
import type { Step } from '../model/changes.ts';
import { agentNamed } from '../model/placement.ts';
import type { SiteSet } from '../model/vhost.ts';
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
  areSeveral(): boolean;
  /** Follows the stored set after agents were added, removed or moved. */
  follow(): void;
  /** @param next the set that these steps lead to */
  destinations(steps: readonly Step[], next: SiteSet): Destinations;
};

export type TargetsDeps = Omit<TargetDeps, 'id' | 'url' | 'client' | 'isOneOfSeveral'> & {
  connect: (agent: StoredAgent) => AgentClient;
};

export function createTargets({ connect, ...deps }: TargetsDeps): Targets {
  const { stored } = deps;
  const byId = new Map<number, Target>();

  const areSeveral = () => stored().agents.length > 1;

  function of(id: number): Target {
    const target = byId.get(id);
    if (target) return target;
    throw new Failure('NOT_FOUND', 'There is no such agent.');
  }

  const first = () => of(FIRST_AGENT);

  function follow(): void {
    const { agents } = stored();
    const ids = new Set(agents.map(({ id }) => id));
    for (const id of byId.keys()) if (!ids.has(id)) byId.delete(id);
    for (const agent of agents) {
      const { id, url } = agent;
      // Invited again, it may be elsewhere.
      if (byId.get(id)?.url === url) continue;
      const own = { id, url, client: connect(agent), isOneOfSeveral: areSeveral };
      byId.set(id, createTarget({ ...deps, ...own }));
    }
  }

  follow();
  return {
    first,
    all: () => stored().agents.map(({ id }) => of(id)),
    of,
    named: (name) => (name ? of(agentNamed(name, stored()).id) : first()),
    has: (id) => byId.has(id),
    areSeveral,
    follow,

    destinations(steps, next) {
      const found: Destinations = { asked: [], skipped: new Map() };
      const concerned = areSeveral() ? concernedBy(steps, next) : stored().agents;
      for (const { id, paused } of concerned) {
        const target = of(id);
        const away = areSeveral() ? target.away() : null;
        if (paused) found.skipped.set(target, isPaused());
        else if (away) found.skipped.set(target, away);
        else found.asked.push(target);
      }
      return found;
    },
  };
}

const isPaused = () => new Failure('AGENT_UNREACHABLE', 'The agent is paused.');
