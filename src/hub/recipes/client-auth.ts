/** Certificates of visitors: who signs them, and how a site tells that one was shown to it. Pure. */
import { t } from 'elysia';
import type { Wording } from '../../shared/caddyfile/dialect.ts';
import { authoritiesIn } from './authorities.ts';
import type { Line, Writing } from './recipe.ts';

type Words = { title: string; description: string };

export const authorities = (words: Words) =>
  t.String({ ...words, format: 'authorities', maxLength: 64_000 });

export const exemptCertificates = t.Optional(
  authorities({
    title: 'Exempt certificates',
    description:
      'the certificate of an authority, in PEM, without its private key: devices with a certificate that it signed need no sign-in; over HTTPS only',
  }),
);

type Mode = { text: 'require_and_verify' | 'verify_if_given'; field: string };

/**
 * The `tls` of a site that asks for a certificate. It has to be the first of the site: of two `client_auth`, Caddy
 * takes the first and ignores the other.
 * @param authority in PEM @param field that it is from
 */
export function clientAuth(
  authority: string,
  field: string,
  mode: Mode,
  { hasTrustPools }: Wording,
): Line[] {
  const word = hasTrustPools ? '\ttrust_der' : 'trusted_ca_cert';
  const trusted: Line[] = authoritiesIn(authority).map((der) => ({
    text: `\t\t${word} ${der}`,
    field,
  }));
  return [
    'tls {',
    '\tclient_auth {',
    { text: `\t\tmode ${mode.text}`, field: mode.field },
    ...(hasTrustPools ? ['\t\ttrust_pool inline {', ...trusted, '\t\t}'] : trusted),
    '\t}',
    '}',
  ];
}

/** Matches if the connection was made for this site, which alone decides whose certificates are good. */
export const OWN_CONNECTION =
  'expression `{http.request.tls.server_name}.lowerAscii() == {http.request.host}.lowerAscii()`';

/** Matches if it showed a certificate: without one, its issuer is empty, or in 2.6.2 the placeholder; else like `CN=My home`. */
export const HAS_CERTIFICATE = 'vars_regexp {http.request.tls.client.issuer} =';

/** Of policies that do without a sign-in if there is a certificate. */
export const exemptTls = (
  { exemptCertificates: authority }: { exemptCertificates?: string | undefined },
  { wording }: Writing,
): Line[] => {
  if (authority === undefined) return [];
  const field = 'exemptCertificates';
  return clientAuth(authority, field, { text: 'verify_if_given', field }, wording);
};
