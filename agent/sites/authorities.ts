/** Who signs what: the root of Caddy's own authority, and the authorities of a Caddyfile's names. */
import type { AuthoritiesAnswer } from '../../src/shared/wire-state.ts';
import type { Admin } from '../caddy/admin.ts';
import { field, type Json } from '../caddy/json.ts';
import { liveSites } from './live-sites.ts';
import { resolveAuthorities, signingOf } from './local-names.ts';
import { reachable } from './proxy-state.ts';

export type AuthoritiesDeps = {
  admin: Pick<Admin, 'adapt' | 'authority' | 'config'>;
  /** @throws Failure PROXY_REJECTED, PROXY_UNREACHABLE */
  adapt: (text: string) => Promise<Json>;
  dnsProviders: () => Promise<string[]>;
};

export type Authorities = {
  /** The root of Caddy's own authority in PEM; null if it signs nothing. @throws Failure PROXY_UNREACHABLE */
  root(): Promise<string | null>;
  /** The names of a Caddyfile, which need not be live. @throws as `adapt` */
  of(text: string): Promise<AuthoritiesAnswer>;
};

/** One certificate and nothing else: never a key. */
const CERTIFICATE = /^-----BEGIN CERTIFICATE-----\n[A-Za-z0-9+/=\n]+-----END CERTIFICATE-----\n$/;

export function createAuthorities({ admin, adapt, dnsProviders }: AuthoritiesDeps): Authorities {
  const sitesOf = (config: Json) => resolveAuthorities(liveSites(config), admin.adapt);

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
      const [sites, providers] = await Promise.all([adapt(text).then(sitesOf), dnsProviders()]);
      const named = sites.map(({ name, ports, tls }) => ({
        ...{ name, ports: [...ports], tls: tls !== null },
        ...signingOf(tls),
      }));
      return { sites: named, dnsProviders: providers };
    },
  };
}
