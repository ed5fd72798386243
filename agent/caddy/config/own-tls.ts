/** Which sites of a Caddyfile say themselves where their certificates come from. */
import { globalOptions, withoutOptions } from '../../../src/shared/caddyfile/globals.ts';
import { keptIn } from '../../../src/shared/caddyfile/kept-certificates.ts';
import { field, type Json, list } from '../../../src/shared/json.ts';
import { hostKey } from '../../logs/line/entry.ts';

/** How a site's own `tls` has its certificate made: at once, or when a visitor comes. By host name. */
export type OwnTls = ReadonlyMap<string, 'managed' | 'on demand'>;

/** The global options that Caddy's adapter repeats for each site. */
const DEFAULTS = new Set([
  ...['acme_ca', 'acme_ca_root', 'acme_dns', 'acme_eab', 'cert_issuer', 'email', 'local_certs'],
  ...['cert_lifetime', 'key_type', 'preferred_chains'],
]);

/** A site without any `tls`, to compare with. */
const PLAIN = 'signalbox.example.org';

/**
 * Adapts the text once more without the global options that say who signs, so that what Caddy then says of
 * certificates comes from the sites. None if the text names no kept certificates.
 * @param config what it was adapted to
 * @param adapt @throws anything, if the rest cannot be adapted: then no site counts
 */
export async function readOwnTls(
  text: string,
  config: Json,
  adapt: (text: string) => Promise<Json>,
): Promise<OwnTls> {
  if (keptIn(text).length === 0 || !policiesIn(config).some(howOf)) return new Map();
  const bare = withoutOptions(
    text,
    globalOptions(text).filter(({ name }) => DEFAULTS.has(name)),
  );
  const own = policiesIn(await adapt(`${bare}\n${PLAIN} {\n}\n`).catch(() => null));
  // Of options that are imported, or in a variable.
  const left = own.find((policy) => list(field(policy, 'subjects')).includes(PLAIN));
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
