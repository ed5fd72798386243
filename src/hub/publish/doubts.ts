/** What is to be looked at in sites, by the proxies that they are placed on. */
import { portOptions } from '../../shared/caddyfile/preamble.ts';
import { type Doubt, doubtsOf } from '../model/doubts.ts';
import { isPlacedOn, setFor } from '../model/placement.ts';
import type { SiteSet, Vhost } from '../model/vhost.ts';
import type { Publisher } from './publisher.ts';

type Known = Pick<Publisher, 'version' | 'environment' | 'unwritable'>;

/** @returns a function that gives the doubts about a site of the set, by the first of its proxies */
export function doubtsIn(
  set: SiteSet,
  { version, environment, unwritable }: Known,
): (vhost: Vhost) => Doubt[] {
  return (vhost) => {
    const agent = set.agents.find(({ id }) => isPlacedOn(vhost, id));
    if (!agent) return [];
    const { id, name } = agent;
    const ports = portOptions(setFor(set, id).preamble);
    const proxy = { version: version(name), environment: environment(name) };
    return doubtsOf(vhost, { ports, ...proxy, unwritable: unwritable(name) });
  };
}

/** Those about what is new in a set, each once; for several sites, with the names of the sites. */
export function newDoubts(before: SiteSet, next: SiteSet, publisher: Known): Doubt[] {
  const known = new Set(before.vhosts);
  const changed = next.vhosts.filter((vhost) => vhost.enabled && !known.has(vhost));
  const of = doubtsIn(next, publisher);
  return changed.flatMap((vhost) =>
    of(vhost).map(({ code, message }) => ({
      code,
      message: changed.length > 1 ? `${vhost.domain}: ${message}` : message,
    })),
  );
}
