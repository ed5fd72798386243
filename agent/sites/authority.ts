/** Who signs the certificates of a name, by its policy in Caddy's configuration. Pure. */
import type { Authority } from '../../src/shared/wire-state.ts';
import { field, type Json, list } from '../caddy/json.ts';

/** `default`: the policy does not say, so Caddy decides by the name. */
export type PolicyAuthority = Authority | 'default';

/** The ACME directories of public authorities, by the end of their host names. */
const PUBLIC = ['letsencrypt.org', 'zerossl.com', 'pki.goog', 'buypass.com', 'ssl.com'];

/** @param policy the name's automation policy, if it has one */
export function authorityOf(policy: Json | undefined): PolicyAuthority {
  if (field(policy, 'get_certificate') !== undefined) return 'other';
  const issuers = list(field(policy, 'issuers'));
  const modules = new Set(issuers.map((issuer) => field(issuer, 'module')));
  if (issuers.length === 0) return 'default';
  if (modules.size === 1 && modules.has('internal')) return 'internal';
  return issuers.every(isPublic) ? 'public' : 'other';
}

/** Whether it uses the DNS challenge. */
export const usesDns = (policy: Json | undefined): boolean =>
  list(field(policy, 'issuers')).some((issuer) => field(issuer, 'challenges', 'dns') !== undefined);

function isPublic(issuer: Json): boolean {
  const module = field(issuer, 'module');
  const directory = field(issuer, 'ca');
  if (module === 'zerossl') return true;
  if (module !== 'acme') return false;
  if (directory === undefined || directory === '') return true;
  const host = URL.parse(String(directory))?.hostname ?? '';
  return PUBLIC.some((name) => host === name || host.endsWith(`.${name}`));
}
