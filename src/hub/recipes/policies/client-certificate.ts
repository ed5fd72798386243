/** `client-certificate`: only devices with a certificate of your own authority get in. */
import { t } from 'elysia';
import { authorities, clientAuth, HAS_CERTIFICATE, OWN_CONNECTION } from '../client-auth.ts';
import { defineRecipe } from '../define.ts';

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
      authority: authorities({
        title: 'Authority',
        description:
          'the certificate that signs those of your devices, in PEM, without its private key; several after each other',
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
  writeSite: ({ authority, mode = 'require' }, { wording }) =>
    clientAuth(authority, 'authority', { text: MODES[mode], field: 'mode' }, wording),
  // To a connection for another name Caddy answers 421, but with this site's `handle_errors`.
  write: ({ mode = 'require' }, { prefix }) => [
    '# a connection for another name has shown this site no certificate',
    `${prefix}other {`,
    '\tnot {',
    `\t\t${OWN_CONNECTION}`,
    ...(mode === 'require' ? [{ text: `\t\t${HAS_CERTIFICATE}`, field: 'mode' }] : []),
    '\t}',
    '}',
    `respond ${prefix}other 421`,
  ],
});
