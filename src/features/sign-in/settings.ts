/** The settings of the sign-in service. */
import type { ReadHubHalf } from '../../feature.ts';
import type { SettingsReader } from '../../program/settings-reader.ts';
import { isLoopbackHost } from '../../shared/loopback.ts';
import type { OidcSettings } from './oidc/service.ts';

export const readHubHalf: ReadHubHalf = (read) => {
  const oidc = readOidc(read);
  return {
    async load() {
      const { hub } = await import('./hub.ts');
      return (core) => hub(core, oidc);
    },
  };
};

/** Nobody is asked: a service that is down must not keep the hub from starting. */
export function readOidc(read: SettingsReader): OidcSettings | null {
  const issuer = read.text('OIDC_ISSUER');
  const clientId = read.text('OIDC_CLIENT_ID');
  const name = read.text('OIDC_NAME');
  const clientSecret = read.secret('OIDC_CLIENT_SECRET');
  if (!(issuer || clientId || name || clientSecret !== null)) return null;
  const url = URL.parse(issuer);
  const isPrivate = url?.protocol === 'https:' || isLoopbackHost(url?.host ?? '');
  if (!url || !/^https?:$/.test(url.protocol) || !isPrivate) {
    read.fault('OIDC_ISSUER', 'must be an https:// address, or http:// on this machine');
  } else if (url.username || url.search || url.hash || issuer.includes('/.well-known/')) {
    read.fault('OIDC_ISSUER', 'must be the issuer alone, without /.well-known/… or a query');
  }
  if (clientId === '') read.fault('OIDC_CLIENT_ID', 'is required with OIDC_ISSUER');
  if (clientSecret === '') read.fault('OIDC_CLIENT_SECRET_FILE', 'names an empty file');
  return { issuer, clientId, clientSecret, name: name || (url?.host ?? '') };
}
