/** The addresses of a vhost, as they are written, and as Caddy's own configuration names them. Pure. */
import { portOptions } from '../../shared/caddyfile/globals.ts';
import { memoize } from '../../shared/memoize.ts';
import { fillUpstream } from '../caddyfile/render.ts';
import { siteForm } from '../caddyfile/site.ts';
import { idsAfter, type Step } from './changes.ts';
import { keysOf, type SiteSet, type Vhost } from './vhost.ts';

/** All that it answers to, as written, the domain first; several only if its config is a whole block. */
export const addressesOf = memoize(({ domain, config, upstream }: Vhost): readonly string[] => {
  const form = siteForm(domain, fillUpstream(config, upstream));
  return form.form === 'block' ? [...new Set(form.addresses)] : [domain];
});

/** A host in lower case and punycode, without brackets, empty for any; and a port. */
export type Endpoint = { name: string; port: number };

/** Of each vhost, which never changes: finding them takes longer than everything else in a poll. */
const known = new WeakMap<Vhost, { preamble: string; endpoints: readonly Endpoint[] }>();

/** Finds the endpoints of vhosts under a preamble; leaves out addresses that only Caddy can resolve. */
export function endpointsUnder(preamble: string): (vhost: Vhost) => readonly Endpoint[] {
  const ports = portOptions(preamble);

  function find(vhost: Vhost): Endpoint[] {
    const found = new Map<string, Endpoint>();
    for (const key of keysOf(vhost, preamble)) {
      const match = /^(https?:\/\/)?(\[[^\]]*\]|[^:/{]*)(?::(\d+))?(?:\/.*)?$/s.exec(key);
      if (!match) continue;
      const [, scheme, host = '', port] = match;
      const defaultPort = scheme === 'http://' ? ports.http : ports.https;
      const endpoint = { name: host.replace(/^\[|\]$/g, ''), port: Number(port ?? defaultPort) };
      found.set(keyOfEndpoint(endpoint), endpoint);
    }
    return [...found.values()];
  }

  return (vhost) => {
    const last = known.get(vhost);
    if (last?.preamble === preamble) return last.endpoints;
    const endpoints = find(vhost);
    known.set(vhost, { preamble, endpoints });
    return endpoints;
  };
}

export const keyOfEndpoint = ({ name, port }: Endpoint): string => `${port} ${name}`;

/**
 * The host names, maybe with `*`, of the enabled sites that steps concern, before and after; null: all.
 * @param steps that lead from `set` to `next`
 */
export function hostsOf(set: SiteSet, next: SiteSet, steps: readonly Step[]): string[] | null {
  if (steps.some(({ kind }) => kind === 'preamble')) return null;
  const ids = idsAfter(steps);
  for (const { kind, before } of steps) if (kind === 'vhost' && before) ids.add(before.id);
  const names = new Set<string>();
  for (const { preamble, vhosts } of [set, next]) {
    const endpointsOf = endpointsUnder(preamble);
    for (const vhost of vhosts.filter(({ id, enabled }) => enabled && ids.has(id))) {
      // Only Caddy knows the value of a placeholder.
      if (addressesOf(vhost).some((address) => address.includes('{'))) return null;
      for (const { name } of endpointsOf(vhost)) names.add(name);
    }
  }
  return names.has('') || names.has('*') ? null : [...names].toSorted();
}
