/** `paths`: forwards to several services by path. */
import { t } from 'elysia';
import { defineRecipe } from '../define.ts';
import { dialled, flag, siteUpstream, upstream } from '../fields.ts';

const Route = t.Object(
  {
    path: t.String({
      title: 'Path',
      description: 'a path; with a * at the end, all paths that begin like this',
      format: 'path',
      maxLength: 200,
      examples: ['/api/*'],
    }),
    address: upstream({ title: 'Service', description: 'where the service listens' }),
    strip: flag({
      title: 'Without the prefix',
      description: 'whether to remove that beginning before the service gets the path',
    }),
  },
  { additionalProperties: false },
);

export const paths = defineRecipe({
  id: 'paths',
  kind: 'site',
  title: 'Several services by path',
  description: 'Forwards some paths to separate services, and the rest to one.',
  fields: t.Object(
    {
      routes: t.Array(Route, {
        title: 'Paths',
        description: 'which service gets which path; the longest matching path wins',
        minItems: 1,
        maxItems: 100,
      }),
      address: siteUpstream,
    },
    { additionalProperties: false },
  ),
  needs: { modules: ['http.handlers.reverse_proxy'] },
  example: { routes: [{ path: '/api/*', address: 'localhost:8080' }], address: 'localhost:3000' },
  write: ({ routes, address }) => [
    ...routes.flatMap(({ path, address, strip = false }) => [
      { text: `${strip ? 'handle_path' : 'handle'} ${path} {`, field: 'routes' },
      { text: `\treverse_proxy ${address}`, field: 'routes' },
      '}',
    ]),
    'handle {',
    { text: `\treverse_proxy ${dialled(address)}`, field: 'address' },
    '}',
  ],
});
