/** `proxy`: forwards to one service. */
import { t } from 'elysia';
import { defineRecipe } from '../define.ts';
import { compress, compressing, dialled, siteUpstream } from '../fields.ts';

export const proxy = defineRecipe({
  id: 'proxy',
  kind: 'site',
  title: 'Service',
  description: 'Forwards every request to a service, WebSockets included.',
  fields: t.Object(
    {
      address: siteUpstream,
      compress,
      maxUpload: t.Optional(
        t.String({
          title: 'Largest upload',
          description: 'requests with a larger body are refused',
          format: 'size',
          examples: ['100MB'],
        }),
      ),
    },
    { additionalProperties: false },
  ),
  needs: { modules: ['http.handlers.reverse_proxy'] },
  example: { address: 'localhost:8096' },
  write: ({ address, compress, maxUpload }) => [
    ...compressing(compress),
    ...(maxUpload === undefined
      ? []
      : ['request_body {', { text: `\tmax_size ${maxUpload}`, field: 'maxUpload' }, '}']),
    { text: `reverse_proxy ${dialled(address)}`, field: 'address' },
  ],
});
