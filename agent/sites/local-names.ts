/**
 * Finds the names that Caddy signs itself although nothing in the configuration says so. Which ones
 * those are depends on its version, so Caddy is asked: a Caddyfile in which such names share a site
 * with a public one is adapted to a policy that names them.
 */
import { isIP } from 'node:net';
import { isInternalName } from '../../src/shared/internal-names.ts';
import type { Admin } from '../caddy/admin.ts';
import { field, type Json, list } from '../caddy/json.ts';
import { authorityOf } from './authority.ts';
import type { LiveSite, LiveTls } from './live-sites.ts';

/** A public name, for which Caddy does not look further. */
const PUBLIC_NAME = 'signalbox.example.org';

/** What may be a site's address; a placeholder may not. */
const PLAIN = /^[a-z0-9_*.:-]+$/;

/**
 * The same sites, with `internal` or `public` in place of `default`; `other` if Caddy cannot be asked.
 */
export async function resolveAuthorities(
  sites: readonly LiveSite[],
  adapt: Admin['adapt'],
): Promise<LiveSite[]> {
  const open = sites.flatMap(({ name, tls }) => (tls?.authority === 'default' ? name : []));
  const local = await localNames(new Set(open), adapt).catch(() => null);
  return sites.map((site) => {
    if (site.tls?.authority !== 'default') return site;
    const known = local === null ? 'other' : local.has(site.name) ? 'internal' : 'public';
    return { ...site, tls: { ...site.tls, authority: known } };
  });
}

/** @throws AdminUnreachable; Error if Caddy does not accept the names */
async function localNames(names: ReadonlySet<string>, adapt: Admin['adapt']): Promise<Set<string>> {
  const asked = [...names].filter(
    (name) => PLAIN.test(name) && (isInternalName(name) || isIP(name) !== 0),
  );
  if (asked.length === 0) return new Set();
  const addresses = [PUBLIC_NAME, ...asked.map((name) => (isIP(name) === 6 ? `[${name}]` : name))];
  const { text, error } = await adapt(`${addresses.join(', ')} {\n}\n`);
  if (error !== null) throw new Error(error);
  const policies = list(
    field(JSON.parse(text) as Json, 'result', 'apps', 'tls', 'automation', 'policies'),
  );
  const local = policies.filter((policy) => authorityOf(policy) === 'internal');
  return new Set(local.flatMap((policy) => list(field(policy, 'subjects')).map(String)));
}

/** Null if Caddy does not renew the certificate. */
export const signingOf = (tls: LiveTls | null) => ({
  authority: tls === null || !tls.automated || tls.authority === 'default' ? null : tls.authority,
  dns: tls?.dns ?? false,
});
