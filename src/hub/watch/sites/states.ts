/** The states of the vhosts of a hub, from one agent or from all together, at any time and after a change. */
import { within } from '../../../shared/async.ts';
import type { SiteState } from '../../../shared/wire/sites.ts';
import { type Agent, askAll, chosen } from '../../agents/agents.ts';
import type { Warning } from '../../http/schemas.ts';
import { isPlacedOn, setFor } from '../../model/applied.ts';
import { doubtsIn } from '../../model/doubts.ts';
import { type SiteSet, sortedByDomain, type Vhost } from '../../model/vhost.ts';
import { findVhost } from '../../model/vhost-changes.ts';
import type { Publisher } from '../../publish/publisher.ts';
import type { Checks } from '../checks.ts';
import { togetherWarnings, worstState } from './several.ts';
import { namesOf, statesOf } from './state.ts';
import { findUnserved, rejectionOf, type Unserved } from './unserved.ts';
import type { FailingView, VhostState } from './view.ts';

/** @param agent the name of the only one to ask; @throws Failure NOT_FOUND, AGENT_UNREACHABLE, PROXY_UNREACHABLE */
type States = {
  /** Of all vhosts, by domain. */
  all(agent?: string): Promise<VhostState[]>;
  /** Of one vhost. */
  one(id: number, agent?: string): Promise<VhostState>;
};

/** How a vhost fails at an agent, by their ids; null if it does not, or nobody knows. */
export type FailingOf = (vhost: number, agent: number) => FailingView | null;

/** What an agent serves, the state of each vhost of it, and whether its proxy lacks changes. */
type AgentStates = { set: SiteSet; stateOf: (vhost: Vhost) => VhostState; isBehind: boolean };

/**
 * Milliseconds for an agent that is there: of 10,000 sites on a busy machine it may take ten seconds. Then what it said
 * last counts, and what it has not said is being checked.
 */
const SLOW_MS = 2_500;

export function createStates(
  publisher: Publisher,
  checks: Pick<Checks, 'of'>,
  failingOf: FailingOf,
  now: () => Date,
): States {
  const { agents } = publisher;
  /** What each agent last said of all sites. */
  const last = new WeakMap<Agent['client'], readonly SiteState[]>();

  /** @param id of the only vhost that matters */
  async function read(agent: Agent, id?: number): Promise<AgentStates> {
    const { client } = agent;
    const before = setFor(publisher.current(), agent.id);
    const names = id === undefined ? undefined : namesOf(findVhost(before, id), before);
    const asked = client.sites(names);
    // Whoever waits for it gets what it throws.
    asked.then(
      ({ sites }) => names ?? last.set(client, sites),
      () => undefined,
    );
    const status = await client.status().catch(() => null);
    const isThere = status?.proxy.running === true;
    const { sites } = isThere
      ? await within(asked, SLOW_MS, () => ({ sites: last.get(client) ?? [] }))
      : await asked;
    const all = id === undefined ? sites : undefined;
    const unserved = await findUnserved(agent, publisher, status, all);
    const set = setFor(publisher.current(), agent.id);
    const failing = (vhost: number) => checks.of(vhost, agent.id);
    const standing = publisher.standings().find((one) => one.agent.id === agent.id);
    const isBehind = standing !== undefined && standing.behindSince !== null;
    const refusal = rejectionOf(standing?.failure ?? null);
    const known = statesOf(set, sites, unserved, failing, now(), refusal);
    const stateOf = (vhost: Vhost): VhostState => {
      const fails = failingOf(vhost.id, agent.id);
      return fails === null ? known(vhost) : { ...known(vhost), failing: fails };
    };
    return { set, stateOf, isBehind };
  }

  /** @param asked those of the vhosts' agents that are to be asked */
  async function together(asked: readonly Agent[], id?: number) {
    const { answers, missing } = await askAll(asked, (agent) => read(agent, id));
    const away = asked.filter(({ name }) => missing.includes(name));
    return (vhost: Vhost): VhostState => {
      const known = answers.filter(({ agent }) => isPlacedOn(vhost, agent.id));
      return worstState(
        vhost,
        known.map(({ agent: { name }, answer: { stateOf, isBehind } }) => ({
          name,
          isBehind,
          state: stateOf(vhost),
        })),
        away.filter(({ id }) => isPlacedOn(vhost, id)).map(({ name }) => name),
      );
    };
  }

  return {
    async all(name) {
      const only = chosen(agents, name);
      if (only) {
        const { set, stateOf } = await read(only);
        return sortedByDomain(set).map(stateOf);
      }
      const stateOf = await together(agents.all());
      return sortedByDomain(publisher.current()).map(stateOf);
    },

    async one(id, name) {
      const only = chosen(agents, name);
      if (only) {
        const { set, stateOf } = await read(only, id);
        return stateOf(findVhost(set, id));
      }
      const vhost = findVhost(publisher.current(), id);
      const placed = agents.all().filter((agent) => isPlacedOn(vhost, agent.id));
      const stateOf = await together(placed, id);
      return stateOf(findVhost(publisher.current(), id));
    },
  };
}

/** The warnings of vhosts that were just changed, by id. Never fails, and takes 1.5 s at most. */
export type WarningsAfter = (vhosts: readonly Vhost[]) => Promise<ReadonlyMap<number, Warning[]>>;

/** How long the agent waits for upstreams; some of the rest is for the way there and back. */
const WAIT_MS = 1_200;
const MOST_MS = 1_500;

/** Directives that may bring an upstream; snippets may, too. */
const MAY_PROXY = /\b(?:reverse_proxy|php_fastcgi|forward_auth|import|invoke)\b/;

/** Whether it may lack an upstream or a certificate. */
const mayWarn = ({ domain, config }: Vhost): boolean =>
  !domain.startsWith('http://') || MAY_PROXY.test(config);

export function createWarningsAfter(
  publisher: Publisher,
  checks: Pick<Checks, 'of'>,
  now: () => Date,
): WarningsAfter {
  /** As known after a change, whose answer says which ports are not open. */
  async function lastUnserved(agent: Agent): Promise<readonly Unserved[]> {
    const standing = publisher.standings().find((one) => one.agent.id === agent.id);
    const status = standing?.status ?? (await agent.client.status());
    const isAllServed = !standing?.broken.length && !status.closed?.length;
    return isAllServed ? [] : findUnserved(agent, publisher, status);
  }

  /** Of those of the vhosts that are placed there; null if the agent does not say in time. */
  async function read(agent: Agent, vhosts: readonly Vhost[]) {
    const { id, client } = agent;
    const set = setFor(publisher.current(), id);
    const placed = vhosts.filter((vhost) => isPlacedOn(vhost, id));
    if (placed.length === 0) return null;
    const names = new Set(placed.filter(mayWarn).flatMap((vhost) => namesOf(vhost, set)));
    const asked = Promise.all([
      names.size > 0 ? client.sites([...names], WAIT_MS) : { sites: [] },
      lastUnserved(agent),
    ]).catch(() => null);
    const found = await within(asked, MOST_MS, () => null);
    if (found === null) return null;
    const [{ sites }, unserved] = found;
    const stateOf = statesOf(set, sites, unserved, (vhost) => checks.of(vhost, id), now(), null);
    return { agent, found: new Map(placed.map((one) => [one.id, stateOf(one).warnings])) };
  }

  return async (vhosts) => {
    const asked = vhosts.filter(({ enabled }) => enabled);
    if (asked.length === 0) return new Map();
    const all = publisher.agents.all();
    const awake = all.filter(({ client }) => !client.isSilent());
    const answers = (awake.length > 0 ? awake : all).map((agent) => read(agent, asked));
    // Said of a config whatever its agent answers.
    const doubts = doubtsIn(publisher.current(), publisher);
    const known = (await Promise.all(answers)).flatMap((one) => one ?? []);
    const seenOf = ({ id }: Vhost): Warning[] => {
      const seen = known.map(({ agent, found }) => ({
        label: agent.name,
        warnings: found.get(id) ?? [],
      }));
      return all.length > 1 ? togetherWarnings(seen) : (seen[0]?.warnings ?? []);
    };
    return new Map(asked.map((vhost) => [vhost.id, [...doubts(vhost), ...seenOf(vhost)]]));
  };
}
