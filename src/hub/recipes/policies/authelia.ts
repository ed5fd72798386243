/** `authelia`: signs people in with Authelia. */
import { t } from 'elysia';
import { exemptCertificates, exemptTls } from '../client-auth.ts';
import { defineRecipe } from '../define.ts';
import { exemptNetworks, exemptPaths, upstream } from '../fields.ts';
import { asking, stripping } from '../forward-auth.ts';

/** Of its endpoint for forward authorization, since 4.38. */
const URI = '/api/authz/forward-auth';
const HEADERS = ['Remote-User', 'Remote-Groups', 'Remote-Name', 'Remote-Email'];

export const authelia = defineRecipe({
  id: 'authelia',
  kind: 'policy',
  title: 'Authelia',
  description:
    'Visitors sign in with Authelia. The headers Remote-User, Remote-Groups, Remote-Name and Remote-Email tell the upstream who they are. If Authelia is down, nobody gets in.',
  fields: t.Object(
    {
      address: upstream({
        title: 'Address',
        description: 'where Authelia listens, such as localhost:9091',
      }),
      uri: t.Optional(
        t.String({
          title: 'URI',
          description: 'the path to ask; Authelia before 4.38 has /api/verify?rd=ADDRESS',
          format: 'request-uri',
          maxLength: 500,
          default: URI,
        }),
      ),
      exemptNetworks,
      exemptPaths,
      exemptCertificates,
    },
    { additionalProperties: false },
  ),
  needs: { modules: ['http.handlers.reverse_proxy'] },
  example: { address: 'localhost:9091' },
  writeSite: exemptTls,
  write: ({ uri = URI, ...values }, writing) => [
    ...stripping(HEADERS),
    ...asking({ ...values, uri, copyHeaders: HEADERS }, writing),
  ],
});
