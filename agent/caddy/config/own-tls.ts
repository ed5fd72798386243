/** Which sites of a Caddyfile say themselves where their certificates come from. */
import { globalOptions, withoutOptions } from '../../../src/shared/caddyfile/globals.ts';
import { field, type Json, list } from '../../../src/shared/json.ts';
import { hostKey } from '../../logs/line/entry.ts';

/** How a site's own `tls` has its certificate made: at once, or when a visitor comes. By host name. */
export type OwnTls = ReadonlyMap<string, 'managed' | 'on demand'>;

/** The global options that Caddy's adapter repeats for each site. */
const DEFAULTS = new Set([
  'acme_ca',
  'acme_ca_root',
  'acme_dns',
  'acme_eab',
  'cert_issuer',
  'email',
  'local_certs',
  'cert_lifetime',
  'key_type',
  'preferred_chains',
]);

/** A name that a public authority would sign, of a site that says nothing: no text has its own digest in it. */
const plainFor = (text: string): string =>
  `${new Bun.CryptoHasher('sha256').update(text).digest('hex').slice(0, 32)}.example.org`;

/**
 * Adapts the text once more without the global options that say who signs, so that what Caddy then says of
 * certificates comes from the sites. It matters only to a text that names kept certificates.
 * @param config what it was adapted to
 * @param adapt @throws anything, if the rest cannot be adapted: then no site counts
 */
export async function readOwnTls(
  text: string,
  config: Json,
  adapt: (text: string) => Promise<Json>,
): Promise<OwnTls> {
  if (!policiesIn(config).some(howOf)) return new Map();
  const bare = withoutOptions(
    text,
    globalOptions(text).filter(({ name }) => DEFAULTS.has(name)),
  );
  const plain = plainFor(text);
  const own = policiesIn(await adapt(`${bare}\n${plain} {\n}\n`).catch(() => null));
  // Of options that are imported, or in a variable.
  const left = own.find((policy) => list(field(policy, 'subjects')).includes(plain));
  const usual = JSON.stringify(field(left, 'issuers'));
  return new Map(
    own.flatMap((policy) => {
      const how = howOf(policy);
      const isUsual = how === 'managed' && JSON.stringify(field(policy, 'issuers')) === usual;
      if (how === null || isUsual) return [];
      return list(field(policy, 'subjects')).map((one) => [hostKey(String(one)), how] as const);
    }),
  );
}

const policiesIn = (config: Json) => list(field(config, 'apps', 'tls', 'automation', 'policies'));

/** Null if the policy only says that there is one. */
function howOf(policy: Json): 'managed' | 'on demand' | null {
  if (field(policy, 'on_demand') === true || field(policy, 'get_certificate')) return 'on demand';
  return field(policy, 'issuers') === undefined ? null : 'managed';
}
