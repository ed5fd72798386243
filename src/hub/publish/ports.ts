/** Reads where proxies listen, and moves them to ports 80 and 443. */
import { withValues } from '../../shared/caddyfile/globals.ts';
import { Failure } from '../../shared/failure.ts';
import type { ProxyStatus } from '../../shared/wire/proxy.ts';
import { type PortState, STANDARD_PORTS } from '../../shared/wire/proxy.ts';
import { type Agent, chosen } from '../agents/agents.ts';
import { agentNamed, setFor } from '../model/applied.ts';
import type { Author } from '../model/changes.ts';
import { agentPreambleChange, preambleChange } from '../model/preamble-changes.ts';
import type { SiteSet } from '../model/vhost.ts';
import type { Publisher } from './publisher.ts';
import type { Demands } from './queue.ts';
import {
  cureOf,
  needsPorts,
  obstacleOf,
  type Serving,
  servingOf,
  worstServing,
} from './serving.ts';

/** Empty if the agent cannot be asked. */
const portsOf = async ({ client }: Agent): Promise<readonly PortState[]> =>
  (await client.ports().catch(() => ({ ports: [] }))).ports;

/**
 * Never fails.
 * @param status as the agent reported it, null if it did not
 * @returns null if the proxy cannot be asked, or serves what others published
 */
export async function readServing(
  publisher: Publisher,
  agent: Agent,
  status: ProxyStatus | null,
): Promise<Serving | null> {
  if (!status?.proxy.running || status.foreign) return null;
  const { preamble } = setFor(publisher.current(), agent.id);
  const known = { preamble, closed: status.closed };
  return servingOf({ ...known, ports: needsPorts(known) ? await portsOf(agent) : [] });
}

/**
 * Where the proxy of the named agent listens now, or of the only one, or of the one that needs attention
 * most; null as `readServing`. @throws Failure NOT_FOUND
 */
export type ReadPorts = (name?: string) => Promise<Serving | null>;

export function createReadPorts(publisher: Publisher): ReadPorts {
  async function read(agent: Agent): Promise<Serving | null> {
    const status = await agent.client.status().catch(() => null);
    return readServing(publisher, agent, status);
  }
  return async (name) => {
    const only = chosen(publisher.agents, name);
    if (only) return read(only);
    const awake = publisher.agents.all().filter(({ client }) => !client.isSilent());
    const all = awake.map(async (agent) => ({ label: agent.name, serving: await read(agent) }));
    return worstServing(await Promise.all(all));
  };
}

/**
 * Publishes the preamble with `http_port` and `https_port`, where it has them, set to the standard.
 * @param how `agent`: the only one to move, by a preamble of its own; else all that have none
 * @throws Failure PORT_UNAVAILABLE if a port is held or forbidden, NOT_FOUND, and as any publish
 */
export async function moveToStandard(
  publisher: Publisher,
  author: Author,
  { agent: name, ...demands }: Demands & { agent?: string | undefined } = {},
): Promise<void> {
  const values = {
    http_port: String(STANDARD_PORTS.http),
    https_port: String(STANDARD_PORTS.https),
  };
  const { preamble } = publisher.setOf(name);
  if (withValues(preamble, values) === preamble) return;
  const { states, obstacles } = await findObstacles(publisher, name);
  if (obstacles.length > 0) {
    const message = `Caddy cannot move to ports 80 and 443: ${obstacles.join('; ')}.`;
    throw new Failure('PORT_UNAVAILABLE', message, { detail: `To fix it: ${cureOf(states)}` });
  }
  await publisher.apply(
    (set, time) => {
      const moved = withValues(name ? ownPreamble(name, set) : set.preamble, values);
      return (name ? agentPreambleChange(name, moved) : preambleChange(moved))(set, time);
    },
    author,
    demands,
  );
}

const ownPreamble = (name: string, set: SiteSet): string =>
  setFor(set, agentNamed(name, set).id).preamble;

/** What is in the way of the proxies that a move is about; of several agents, it says which. */
async function findObstacles({ agents, current }: Publisher, name: string | undefined) {
  const own = current().agents.filter(({ preamble }) => preamble !== null);
  const only = chosen(agents, name);
  const moved = only
    ? [only]
    : agents.all().filter(({ id, client }) => !client.isSilent() && !own.some((o) => o.id === id));
  const found = await Promise.all(
    moved.map(async (agent) => ({ agent, states: await portsOf(agent) })),
  );
  return {
    states: found.flatMap(({ states }) => states),
    obstacles: found.flatMap(({ agent, states }) => {
      const all = states.flatMap((state) => obstacleOf(state) ?? []);
      return only ? all : all.map((one) => `${agent.name}: ${one}`);
    }),
  };
}
