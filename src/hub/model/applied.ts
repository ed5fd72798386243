/**
 * A set as it is rendered: which policies apply to a vhost, which certificates travel along, and what of it the
 * proxy of an agent serves. Pure.
 */
import { Failure } from '../../shared/failure.ts';
import { type Rendered, render, type Site } from '../caddyfile/render.ts';
import type { Policy } from '../recipes/policy.ts';
import type { StoredAgent } from './agent.ts';
import { keptLines } from './certificate.ts';
import { policiesNamed, type SiteSet, type Vhost, type VhostInput } from './vhost.ts';

/** What of a set says which policies apply. */
type Among = Pick<SiteSet, 'policies'>;

const found = new WeakMap<Among['policies'], readonly Policy[]>();

/** Those of a set that apply everywhere, the oldest first. */
function everywhereIn({ policies }: Among): readonly Policy[] {
  const known = found.get(policies);
  if (known) return known;
  const all = policies.filter((one) => one.everywhere).toSorted((a, b) => a.id - b.id);
  found.set(policies, all);
  return all;
}

/**
 * All policies of a vhost, in the order in which they come before its config: first those that apply
 * everywhere, unless it leaves them out, then its own. One that is both stands where the vhost has it.
 */
export function policiesOn({ policies, except }: Vhost, among: Among): readonly Policy[] {
  const others = everywhereIn(among).filter(
    ({ id }) => !except.includes(id) && !policies.some((own) => own.id === id),
  );
  return others.length === 0 ? policies : [...others, ...policies];
}

/** The vhosts of a set to which a policy applies. */
export const vhostsWith = (set: SiteSet, id: number): Vhost[] =>
  set.vhosts.filter((vhost) => policiesOn(vhost, set).some((policy) => policy.id === id));

/** The vhosts of `next` to which a policy applies there, or applied in `set`. */
export function vhostsTouched(set: SiteSet, next: SiteSet, id: number): Vhost[] {
  const touched = new Set([set, next].flatMap((one) => vhostsWith(one, id)).map((one) => one.id));
  return next.vhosts.filter((vhost) => touched.has(vhost.id));
}

const sites = new WeakMap<Vhost, Site>();

/** A vhost as it is rendered: the same object while neither the vhost nor its policies change. */
export function siteOf(vhost: Vhost, among: Among): Site {
  const guards = policiesOn(vhost, among);
  const known = sites.get(vhost);
  const isSame = known?.guards.length === guards.length;
  if (isSame && guards.every((policy, at) => policy === known.guards[at])) return known;
  const { id, domain, config, upstream, enabled } = vhost;
  const site = { id, domain, config, upstream, enabled, guards };
  sites.set(vhost, site);
  return site;
}

/** The vhosts of a set as they are rendered, in order. */
export const sitesOf = (set: Pick<SiteSet, 'vhosts' | 'policies'>): Site[] =>
  set.vhosts.map((vhost) => siteOf(vhost, set));

/** The proxyfile of a set. @param version the proxy's, such as `2.6.2`; null if it is not known */
export function renderSet(set: SiteSet, version: string | null): Rendered {
  const { preamble, certificates } = set;
  const named = certificates.length === 0 ? [] : keptLines(certificates);
  return render(preamble, sitesOf(set), version, named);
}

/**
 * What a vhost leaves out, by the names that someone sent. What was deleted stays: its undo brings it
 * back.
 * @param before what it left out
 * @throws Failure INVALID_REQUEST
 */
export function exceptNamed(
  names: readonly string[],
  set: SiteSet,
  before: readonly number[] = [],
): number[] {
  const deleted = before.filter((id) => set.policies.every((policy) => policy.id !== id));
  const named = policiesNamed(names, set, 'except').map(({ id }) => id);
  return [...deleted, ...named].toSorted((a, b) => a - b);
}

/** The names of the policies that a vhost leaves out, in the order of the set. */
export const exceptOf = ({ except }: Pick<Vhost, 'except'>, { policies }: Among): string[] =>
  policies.filter(({ id }) => except.includes(id)).map(({ name }) => name);

/** What leads to a vhost as it is: policies and agents go by their names. */
export const inputOf = (vhost: Vhost, set: Among & Pick<SiteSet, 'agents'>) =>
  ({
    config: vhost.config,
    upstream: vhost.upstream,
    enabled: vhost.enabled,
    policies: vhost.policies.map(({ name }) => name),
    except: exceptOf(vhost, set),
    tags: [...vhost.tags],
    agents: placesOf(vhost, set.agents),
    check: vhost.check,
  }) satisfies VhostInput;

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
