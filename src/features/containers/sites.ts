/** Follows the containers of each agent that has a container engine beside it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Agent } from '../../hub/agents/agents.ts';
import { containersOf } from '../../hub/model/source.ts';
import type { Publisher } from '../../hub/publish/publisher.ts';
import { settleAll } from '../../shared/async.ts';
import { createKeeper, type Keeper, type KeeperDeps } from './keeper.ts';
import { sitesOf } from './wanted.ts';
import { CONTAINERS, type Container, type Containers } from './wire.ts';

/** Milliseconds: from one answer of an agent to the next request; if it fails, and if there is no engine. */
type ContainersPace = KeeperDeps['pace'] & Readonly<{ look: number; retry: number; off: number }>;

/** A container for people, and why it is no site; null if it is one. */
export type SeenContainer = Pick<
  Container,
  'name' | 'image' | 'state' | 'addresses' | 'ports' | 'host' | 'unreached'
> & {
  agent: string;
  labels: Readonly<Record<string, string>>;
  site: { id: number } | null;
  reason: string | null;
};

export type ContainerSites = {
  /** As the agents said last. */
  list(agent?: string): SeenContainer[];
  /** The sites that stay as they were, because the labels of their containers are at fault. */
  unfollowed(): { vhost: { id: number; domain: string }; container: string; why: string }[];
  begin(): void;
  /** Resolves when nothing of it is under way. */
  end(): Promise<void>;
};

/** What an agent said last, and what the keeper has seen of that; null: it is not known. */
type Followed = { keeper: Keeper; said: Containers | null; seen: Containers | null };

export function createContainerSites(
  deps: Omit<KeeperDeps, 'publisher' | 'pace'> & {
    publisher: Pick<Publisher, 'current' | 'apply' | 'agents'>;
    pace: ContainersPace;
  },
): ContainerSites {
  const { publisher, pace } = deps;
  const followed = new Map<number, Followed>();
  const looks = new Map<number, Promise<void>>();
  /** What is waited for. One signal for all of it would keep something of each. */
  const waits = new Set<AbortController>();
  let isStopped = false;

  /** Waits for something that a stop ends. */
  async function waitFor<T>(what: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const ending = new AbortController();
    if (isStopped) ending.abort();
    waits.add(ending);
    try {
      return await what(ending.signal);
    } finally {
      waits.delete(ending);
    }
  }

  const agentOf = (id: number): Agent | undefined =>
    publisher.agents.all().find((agent) => agent.id === id);

  function follow(id: number): Followed {
    const keeper = createKeeper(() => agentOf(id)?.name ?? '', deps);
    const one: Followed = { keeper, said: null, seen: null };
    followed.set(id, one);
    return one;
  }

  /** Shows the keeper what is new. */
  function show(one: Followed, known: Containers | null): void {
    if (known?.tag === one.seen?.tag) return;
    one.seen = known;
    one.keeper.see(known);
  }

  /** Waits until an agent's containers are others. Never fails. @returns how long to pause */
  async function look(id: number): Promise<number> {
    const one = followed.get(id) ?? follow(id);
    try {
      const client = agentOf(id)?.client;
      if (!client) return pace.retry;
      const known = await waitFor((signal) =>
        client.ask(CONTAINERS, { after: one.seen?.tag }, signal),
      );
      one.said = known;
      show(one, known.containers ? known : null);
      return known.engine === 'off' ? pace.off : pace.look;
    } catch {
      show(one, null);
      return pace.retry;
    }
  }

  async function watch(id: number): Promise<void> {
    while (!isStopped && agentOf(id)) {
      const pause = await look(id);
      await waitFor((signal) => waited(pause, signal));
    }
    await followed.get(id)?.keeper.end();
    followed.delete(id);
  }

  /** Looks at agents that are new. */
  async function watchAll(): Promise<void> {
    while (!isStopped) {
      for (const { id } of publisher.agents.all()) {
        if (!looks.has(id))
          looks.set(
            id,
            watch(id).finally(() => looks.delete(id)),
          );
      }
      await waitFor((signal) => waited(pace.retry, signal));
    }
    await settleAll([...looks.values()]);
  }

  let all = Promise.resolve();

  const followedAgents = () =>
    publisher.agents.all().flatMap(({ id, name }) => {
      const one = followed.get(id);
      return one
        ? [{ name, ...one, present: sitesOf(containersOf(name), publisher.current()) }]
        : [];
    });

  return {
    list: (agent) =>
      followedAgents()
        .filter(({ name }) => agent === undefined || name === agent)
        .flatMap(({ name, keeper, said, seen, present }) => {
          const { claims, reasons } = keeper.claims();
          const lost = seen ? [] : [said?.detail ?? 'The agent does not answer.'];
          return keeper.containers().map(({ id, image, state, addresses, ports, ...container }) => {
            const own = [...claims].filter(([, claim]) => claim.container.id === id);
            const [site] = own.flatMap(([key]) => present.get(key) ?? []);
            const refusals = own.flatMap(([key]) => keeper.refusal(key) ?? []);
            const known = [...lost, ...(reasons.get(id) ?? []), ...refusals];
            const isGone = known.length === 0 && !site && keeper.isSettled();
            const why = isGone ? [GONE] : known;
            const [away = null] = lost;
            return {
              agent: name,
              name: container.name,
              image,
              state,
              addresses,
              ports: away === null ? ports : ports.map((port) => ({ ...port, address: null })),
              host: away === null ? container.host : null,
              unreached: away ?? container.unreached,
              labels: container.labels ?? {},
              site: site ? { id: site.id } : null,
              reason: why.length === 0 ? null : why.join(' '),
            };
          });
        }),
    unfollowed: () =>
      followedAgents().flatMap(({ keeper, present }) =>
        [...keeper.claims().claims].flatMap(([key, { container, fault }]) => {
          const vhost = present.get(key);
          const why = fault ?? keeper.refusal(key);
          if (!vhost || why === undefined) return [];
          return [
            { vhost: { id: vhost.id, domain: vhost.domain }, container: container.name, why },
          ];
        }),
      ),
    begin() {
      all = watchAll();
    },
    async end() {
      isStopped = true;
      for (const ending of waits) ending.abort();
      await all;
    },
  };
}

const GONE = 'Its site was deleted by hand: it comes back with the next change of a container.';

/** Resolves after so many milliseconds, or when the signal comes. */
const waited = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  sleep(milliseconds, undefined, { signal }).catch(() => undefined);
