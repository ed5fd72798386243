/** Containers with labels of caddy-docker-proxy or Traefik as a file for `signalbox apply`. Pure. */

import { addressKey } from '../../../hub/caddyfile/address.ts';
import { indent, siteForm } from '../../../hub/caddyfile/site.ts';
import { UPSTREAM } from '../../../shared/caddyfile/placeholders.ts';
import { visible } from '../../../shared/visible.ts';
import { type AppliedSite, PLAIN_CONFIG } from '../../apply/schemas.ts';
import { toYaml } from '../../apply/yaml.ts';
import type { SeenContainer } from '../sites.ts';
import { caddySites } from './caddy-labels.ts';
import { configFor, type Found, notConverted, type Read } from './found.ts';
import { type Middlewares, middlewaresOf, traefikSites } from './traefik-labels.ts';

const HEAD = `Sites of containers, from their labels for caddy-docker-proxy and Traefik.
Read the comments, and then: signalbox apply -f FILE
Addresses are those of now: that of a port that is not published may change with its container.`;

type Site = Found & { container: SeenContainer };

/** Comments say what was not converted, and why. */
export function containersFile(containers: readonly SeenContainer[]): string {
  const middlewares = middlewaresOf(containers);
  const sites = new Map<string, Site>();
  const unsafe = new Map<string, Set<string>>();
  const mark = (domain: string, why: string) =>
    void unsafe.set(addressKey(domain), (unsafe.get(addressKey(domain)) ?? new Set()).add(why));
  const top = [HEAD];
  for (const container of containers) {
    const read = readLabels(container, middlewares);
    if (read === null) continue;
    for (const [domain, why] of read.unsafe) mark(domain, why);
    const notes = [...read.notes];
    for (const site of read.sites) {
      const keys = site.domains.map((one) => addressKey(one));
      const other = keys.flatMap((key) => sites.get(key) ?? [])[0];
      if (other) {
        const isSame = other.config === site.config;
        if (isSame && other.container === container && other.upstream === site.upstream) {
          other.notes = [...new Set([...other.notes, ...site.notes])];
        } else if (isSame) other.notes = [...other.notes, besides(container, site)];
        else if (!merge(other, { ...site, container })) {
          notes.push(`${site.domains.join(', ')}: ${other.container.name} has it already.`);
          for (const domain of site.domains) mark(domain, notConverted(container));
        }
        continue;
      }
      const made = { ...site, container };
      for (const key of keys) sites.set(key, made);
    }
    if (notes.length > 0) {
      top.push('', ...[`${container.name} on ${container.agent}:`, ...notes].map(shown));
    }
  }
  const comments = new Map<string, string>();
  const made = [...new Set(sites.values())].map((site) => {
    const { domains, config, upstream, container, notes } = site;
    const [domain = ''] = domains;
    const why = domains.flatMap((one) => [...(unsafe.get(addressKey(one)) ?? [])]);
    const off = [...new Set(why)].map((one) => `It is off: ${one}.`);
    comments.set(domain, [`container ${container.name}`, ...notes, ...off].map(shown).join('\n'));
    const applied: AppliedSite = {
      ...(upstream !== '' && { upstream }),
      ...(config !== PLAIN_CONFIG && { config }),
      ...(off.length > 0 && { enabled: false }),
      agents: [container.agent],
    };
    return [domain, applied] as const;
  });
  const found = { policies: {}, sites: Object.fromEntries(made) };
  return toYaml(found, { top: top.join('\n'), sites: comments });
}

/** Null if there is nothing to say. */
function readLabels(container: SeenContainer, middlewares: Middlewares): Read | null {
  const all = [caddySites(container), traefikSites(container, middlewares)];
  const [sites, notes] = [all.flatMap((one) => one.sites), all.flatMap((one) => one.notes)];
  if (sites.length + notes.length === 0) return null;
  const none = (note: string): Read => ({ sites: [], notes: [note], unsafe: [] });
  if (Object.keys(container.labels).some((label) => label.startsWith('signalbox.'))) {
    return none('left out, as it has labels of signalbox.');
  }
  if (container.state !== 'running') return none(`left out: ${container.state}, not running.`);
  return { sites, notes, unsafe: all.flatMap((one) => one.unsafe) };
}

/**
 * Adds what another container says of the same domains, as caddy-docker-proxy does.
 * @returns false where both begin a line alike, of which Caddy would use the first only
 */
function merge(into: Site, other: Site): boolean {
  const isOne =
    into.container.agent === other.container.agent &&
    Bun.deepEquals(into.domains.toSorted(), other.domains.toSorted());
  if (!isOne || into.lines === undefined || other.lines === undefined) return false;
  const begun = new Set(beginnings(into.lines));
  if (beginnings(other.lines).some((line) => begun.has(line))) return false;
  const lines = `${into.lines}\n${other.lines.replaceAll(UPSTREAM, () => other.upstream)}`;
  const config = configFor(into.domains, (depth) => indent(lines, depth));
  const { form } = siteForm(into.domains[0] ?? '', config);
  if ((form === 'block') !== into.domains.length > 1) return false;
  Object.assign(into, { lines, config });
  into.notes = [...into.notes, `with the labels of ${other.container.name}`, ...other.notes];
  return true;
}

/** The directive and the matcher of each line that is in no block. */
const beginnings = (lines: string): string[] =>
  lines
    .split('\n')
    .filter((line) => /^[^\t}]/.test(line))
    .map((line) =>
      line.split(/\s+/, /^(?:handle|handle_path|route|@\S+)\b/.test(line) ? 2 : 1).join(' '),
    );

const besides = ({ name }: SeenContainer, { upstream }: Found): string =>
  `${name} has the same labels: to use both, write ${upstream} after {upstream} in the config.`;

/** Safe within a comment. */
const shown = (line: string): string => visible(line.toWellFormed());
