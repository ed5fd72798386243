/** Whether visitors of a site need a certificate of their own before Caddy reads a request. Pure. */
import { field, type Json, type JsonObject, list, object } from '../../../src/shared/json.ts';
import { covers } from '../../sites/live-sites.ts';

/** `unsure`: visitors may choose another server name, or any certificate will do. */
type Needed = 'no' | 'certificate' | 'unsure';

/**
 * What a visitor without a certificate meets at a server, by the first policy for the name.
 * @param server as adapted @param name of the site, which a visitor also names in the handshake
 */
export function certificateNeeded(server: JsonObject, name: string): Needed {
  const policies = list(server.tls_connection_policies).map(object);
  const isFor = (policy: JsonObject) => {
    const names = field(policy, 'match', 'sni');
    return names === undefined || list(names).some((one) => covers(String(one), name));
  };
  const isByMore = ({ match }: JsonObject) =>
    Object.keys(object(match)).some((one) => one !== 'sni');
  const chosen = policies.find(isFor);
  const wanted = object(chosen?.client_authentication);
  if (Object.keys(wanted).length === 0) return 'no';
  const mode = wanted.mode ?? (isTrusting(wanted) ? 'require_and_verify' : 'require');
  if (mode === 'request' || mode === 'verify_if_given') return 'no';
  const isLoose = server.strict_sni_host === false || policies.some(isByMore);
  return mode === 'require_and_verify' && !isLoose ? 'certificate' : 'unsure';
}

/** Whether it names who signs the certificates (Caddy docs, `tls`, client_auth). */
const isTrusting = (wanted: Record<string, Json>): boolean =>
  ['ca', 'trusted_ca_certs', 'trusted_ca_certs_pem_files', 'trusted_leaf_certs'].some(
    (one) => wanted[one] !== undefined,
  );

/**
 * The configuration as a visitor without a certificate meets it who names in the handshake the host that they ask for:
 * a trial is asked without a server name.
 */
export const asWithoutCertificate = (config: JsonObject): JsonObject =>
  JSON.parse(
    JSON.stringify(config)
      .replaceAll('{http.request.tls.client.', '{http.vars.signalbox_no_')
      .replaceAll('{http.request.tls.server_name}', '{http.request.host}'),
  ) as JsonObject;
