/** `forward-auth`: any sign-in service that answers about each request. */
import { t } from 'elysia';
import { exemptCertificates, exemptTls } from '../client-auth.ts';
import { defineRecipe } from '../define.ts';
import { exemptNetworks, exemptPaths, upstream } from '../fields.ts';
import { asking, stripping } from '../forward-auth.ts';

export const forwardAuth = defineRecipe({
  id: 'forward-auth',
  kind: 'policy',
  title: 'Other sign-in service',
  description:
    'Asks a service such as tinyauth or oauth2-proxy about each request. A 2xx status lets it through; any other response goes to the visitor. If the service is down, nobody gets in.',
  fields: t.Object(
    {
      address: upstream({ title: 'Address', description: 'where the service listens' }),
      uri: t.String({
        title: 'URI',
        description: 'the path to ask, as the service documents it',
        format: 'request-uri',
        maxLength: 500,
        examples: ['/api/auth/caddy'],
      }),
      copyHeaders: t.Array(t.String({ format: 'header', maxLength: 60 }), {
        title: 'Headers to copy',
        description:
          'headers of the service’s response that the upstream gets; the visitor’s own headers of these names are removed first',
        maxItems: 20,
        examples: [['Remote-User', 'Remote-Email']],
      }),
      exemptNetworks,
      exemptPaths,
      exemptCertificates,
    },
    { additionalProperties: false },
  ),
  needs: { modules: ['http.handlers.reverse_proxy'] },
  example: {
    address: 'localhost:3005',
    uri: '/api/auth/caddy',
    copyHeaders: ['Remote-User', 'Remote-Email'],
  },
  writeSite: exemptTls,
  write: (values, writing) => [...stripping(values.copyHeaders), ...asking(values, writing)],
});
