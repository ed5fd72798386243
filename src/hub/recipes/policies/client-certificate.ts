/** `client-certificate`: only devices with a certificate of your own authority get in. */
import { t } from 'elysia';
import { authoritiesIn } from '../authorities.ts';
import { defineRecipe } from '../define.ts';
import type { Line } from '../recipe.ts';

const EXAMPLE = `-----BEGIN CERTIFICATE-----
MIIBgTCCASegAwIBAgIUe84gIM6fYKHlgwQ1BV8rEgXtyr0wCgYIKoZIzj0EAwIw
FTETMBEGA1UEAwwKTXkgZGV2aWNlczAgFw0yNjExMjMxMTQzNThaGA8yMTI2MTAz
MDExNDM1OFowFTETMBEGA1UEAwwKTXkgZGV2aWNlczBZMBMGByqGSM49AgEGCCqG
SM49AwEHA0IABFiTTaWUzkuR4srv9zKc5WGqrZeh+W0sX6H/DAtjjbIM1D+qKjhJ
lSxK7GagERCS15IOlSaQtv3h2SqRzmLk99ijUzBRMB0GA1UdDgQWBBSXySFa1ENF
NsLAflT/2v3g7Bwy3DAfBgNVHSMEGDAWgBSXySFa1ENFNsLAflT/2v3g7Bwy3DAP
BgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIQCx8nrIJlRCiKVUXRhn
8/jv0j4IaK/GqPmDd1OrhtuqBAIgNWj1dEHIXRwsJmi2i/pykTT0yWvbZ1pP8jbD
DgrzQ5I=
-----END CERTIFICATE-----
`;

const MODES = { require: 'require_and_verify', request: 'verify_if_given' } as const;

export const clientCertificate = defineRecipe({
  id: 'client-certificate',
  kind: 'policy',
  title: 'Client certificate',
  description:
    'Lets in only devices with a certificate of your own authority. It works over HTTPS only.',
  fields: t.Object(
    {
      authority: t.String({
        title: 'Authority',
        description:
          'the certificate that signs those of your devices, in PEM, without its private key; several after each other',
        format: 'authorities',
        maxLength: 64_000,
      }),
      mode: t.Optional(
        t.UnionEnum(['require', 'request'], {
          title: 'Mode',
          description:
            'require: only devices with a certificate; request: also devices without one, but none with an invalid one',
          default: 'require',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  needs: {},
  example: { authority: EXAMPLE },
  // The first of its site: of two `client_auth`, Caddy takes the first and ignores the other.
  writeSite({ authority, mode = 'require' }, { wording }) {
    const word = wording.hasTrustPools ? '\ttrust_der' : 'trusted_ca_cert';
    const trusted: Line[] = authoritiesIn(authority).map((der) => ({
      text: `\t\t${word} ${der}`,
      field: 'authority',
    }));
    return [
      'tls {',
      '\tclient_auth {',
      { text: `\t\tmode ${MODES[mode]}`, field: 'mode' },
      ...(wording.hasTrustPools ? ['\t\ttrust_pool inline {', ...trusted, '\t\t}'] : trusted),
      '\t}',
      '}',
    ];
  },
  // To a connection for another name Caddy answers 421, but with this site's `handle_errors`.
  // Without a certificate, its issuer is empty, or in 2.6.2 the placeholder; otherwise it is like `CN=My home`.
  write: ({ mode = 'require' }, { prefix }) => [
    '# a connection for another name has shown this site no certificate',
    `${prefix}other {`,
    '\tnot {',
    '\t\texpression `{http.request.tls.server_name}.lowerAscii() == {http.request.host}.lowerAscii()`',
    ...(mode === 'require'
      ? [{ text: '\t\tvars_regexp {http.request.tls.client.issuer} =', field: 'mode' }]
      : []),
    '\t}',
    '}',
    `respond ${prefix}other 421`,
  ],
});
