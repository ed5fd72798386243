/** What is to be looked at in sites, by the proxies that they are placed on. */
import { portOptions } from '../../shared/caddyfile/preamble.ts';
import { notReplaced, sayNotReplaced } from '../caddyfile/not-replaced.ts';
import { sayUnset, unsetIn } from '../caddyfile/unset-variables.ts';
import { type Doubt, doubtsOf } from '../model/doubts.ts';
import { isPlacedOn, setFor } from '../model/placement.ts';
import type { SiteSet, Vhost } from '../model/vhost.ts';
import type { Publisher } from './publisher.ts';

type ProxyFacts = Pick<Publisher, 'version' | 'environment' | 'unwritable'>;

/** @returns a function that gives the doubts about a site of the set, by the first of its proxies */
export function doubtsIn(
  set: SiteSet,
  { version, environment, unwritable }: ProxyFacts,
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

/** What is to be looked at in the preamble of an agent's proxy. @param of the agent; undefined: the first one */
function preambleDoubts(preamble: string, of: string | undefined, known: ProxyFacts): Doubt[] {
  const version = known.version(of);
  const left = notReplaced(preamble, version);
  const unset = sayUnset(unsetIn(preamble, known.environment(of)));
  return [
    ...(unset ? [{ code: 'VARIABLE_NOT_SET', message: `Preamble: ${unset}` }] : []),
    ...(left && version
      ? [{ code: 'NEEDS_NEWER_CADDY', message: `Preamble: ${sayNotReplaced(left, version)}` }]
      : []),
  ];
}

/** Those about what is new in a set; for several sites, with the names of the sites. */
export function newDoubts(before: SiteSet, next: SiteSet, publisher: ProxyFacts): Doubt[] {
  const known = new Set(before.vhosts);
  const changed = next.vhosts.filter((vhost) => vhost.enabled && !known.has(vhost));
  const of = doubtsIn(next, publisher);
  const ofSites = changed.flatMap((vhost) =>
    of(vhost).map(({ code, message }) => ({
      code,
      message: changed.length > 1 ? `${vhost.domain}: ${message}` : message,
    })),
  );
  const [first] = next.agents;
  const ofPreamble =
    next.preamble === before.preamble ? [] : preambleDoubts(next.preamble, first?.name, publisher);
  return [...ofPreamble, ...ofSites];
}
