/** Who signs what: the root of Caddy's own authority, and the authorities of a Caddyfile's names. */
import { isIP } from 'node:net';
import { keptIn } from '../../src/shared/caddyfile/kept-certificates.ts';
import { isInternalName } from '../../src/shared/internal-names.ts';
import { field, type Json, list } from '../../src/shared/json.ts';
import type { AuthoritiesAnswer } from '../../src/shared/wire/sites.ts';
import { type Admin, reachable } from '../caddy/admin.ts';
import { withKept } from '../caddy/config/kept.ts';
import { readOwnTls } from '../caddy/config/own-tls.ts';
import type { ProxyControl } from '../caddy/proxy.ts';
import { authorityOf, type LiveSite, type LiveTls, liveSites } from './live-sites.ts';

export type Authorities = {
  /** The root of Caddy's own authority in PEM; null if it signs nothing. @throws Failure PROXY_UNREACHABLE */
  root(): Promise<string | null>;
  /** The names of a Caddyfile, which need not be live. @throws as `adapt` */
  of(text: string): Promise<AuthoritiesAnswer>;
};

/** One certificate and nothing else: never a key. */
const CERTIFICATE = /^-----BEGIN CERTIFICATE-----\n[A-Za-z0-9+/=\n]+-----END CERTIFICATE-----\n$/;

export function createAuthorities(
  admin: Pick<Admin, 'adapt' | 'authority' | 'config'>,
  { adapt, dnsProviders }: Pick<ProxyControl, 'adapt' | 'dnsProviders'>,
): Authorities {
  const sitesOf = (config: Json) => resolveAuthorities(liveSites(config), admin.adapt);

  /** As it would be loaded, as far as the text tells: its certificates need not be here yet. */
  async function adaptWithKept(text: string): Promise<Json> {
    const config = await adapt(text);
    const certificates = keptIn(text).map((one) => ({
      ...one,
      hasResponder: false,
      chain: '',
      key: '',
    }));
    if (certificates.length === 0) return config;
    return withKept(config, { certificates, own: await readOwnTls(text, config, adapt) });
  }

  async function readRoot(): Promise<string | null> {
    const config = JSON.parse(await admin.config()) as Json;
    const isUsed =
      field(config, 'apps', 'pki') !== undefined ||
      (await sitesOf(config)).some((site) => signingOf(site.tls).authority === 'internal');
    // Asking would make an authority that nothing needs.
    if (!isUsed) return null;
    const root = field(JSON.parse(await admin.authority()) as Json, 'root_certificate');
    return typeof root === 'string' && CERTIFICATE.test(root) ? root : null;
  }

  return {
    root: () =>
      readRoot().catch((error: unknown) => {
        throw reachable(error);
      }),

    async of(text) {
      const [sites, providers] = await Promise.all([
        adaptWithKept(text).then(sitesOf),
        dnsProviders(),
      ]);
      const named = sites.map(({ name, ports, tls }) => ({
        name,
        ports: [...ports],
        tls: tls !== null,
        kept: tls?.kept ?? false,
        ...signingOf(tls),
      }));
      return { sites: named, dnsProviders: providers };
    },
  };
}

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

/**
 * Finds the names that Caddy signs itself although nothing in the configuration says so. Which ones
 * those are depends on its version, so Caddy is asked: a Caddyfile in which such names share a site
 * with a public one is adapted to a policy that names them.
 * @throws AdminUnreachable; Error if Caddy does not accept the names
 */
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
