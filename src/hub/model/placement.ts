/** Which vhosts of a set an agent's proxy serves. Pure. */
import { Failure } from '../../shared/failure.ts';
import type { StoredAgent } from './agent.ts';
import type { SiteSet, Vhost } from './vhost.ts';

/** @throws Failure NOT_FOUND */
export function agentNamed(name: string, { agents }: Pick<SiteSet, 'agents'>): StoredAgent {
  const agent = agents.find((one) => one.name === name);
  if (agent) return agent;
  throw new Failure('NOT_FOUND', `There is no agent ${JSON.stringify(name)}.`);
}

/** The ids of agents by their names, each once, in the order of the set. @throws Failure INVALID_REQUEST */
export function agentsNamed(names: readonly string[], { agents }: SiteSet): number[] {
  const unknown = names.find((name) => !agents.some((agent) => agent.name === name));
  if (unknown !== undefined) {
    const message = `There is no agent ${JSON.stringify(unknown)}.`;
    const hint = `The agents are ${agents.map(({ name }) => name).join(', ')}.`;
    throw new Failure('INVALID_REQUEST', message, { hint, at: { field: 'agents' } });
  }
  return agents.filter(({ name }) => names.includes(name)).map(({ id }) => id);
}

/** The names of the agents that a vhost is placed on, in the order of `agents`; none: all. */
export const placesOf = (vhost: Pick<Vhost, 'agents'>, agents: readonly StoredAgent[]): string[] =>
  agents.filter(({ id }) => vhost.agents.includes(id)).map(({ name }) => name);

export const isPlacedOn = ({ agents }: Vhost, id: number): boolean =>
  agents.length === 0 || agents.includes(id);

const parts = new WeakMap<SiteSet, Map<number, SiteSet>>();

/** What an agent's proxy serves of a set: the set itself if that is all of it. */
export function setFor(set: SiteSet, id: number): SiteSet {
  const known = parts.get(set)?.get(id);
  if (known) return known;
  const preamble = set.agents.find((agent) => agent.id === id)?.preamble ?? set.preamble;
  const isWhole = preamble === set.preamble && set.vhosts.every((vhost) => isPlacedOn(vhost, id));
  const part = isWhole
    ? set
    : { ...set, preamble, vhosts: set.vhosts.filter((vhost) => isPlacedOn(vhost, id)) };
  if (!parts.has(set)) parts.set(set, new Map());
  parts.get(set)?.set(id, part);
  return part;
}
