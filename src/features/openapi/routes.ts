/** `/openapi.json`: the API's description. */
import { Elysia, t } from 'elysia';
import type { ApiCore } from '../../hub/core.ts';
import { route } from '../../hub/http/route.ts';
import { loadOnce } from '../../shared/memoize.ts';

export function openapiRoutes({ guard, version, routes }: ApiCore) {
  // Loaded on the first request, so that start-up does not pay for the generator.
  const once = loadOnce(async () => {
    const { buildDocument } = await import('./document.ts');
    return JSON.stringify(buildDocument(routes(), version));
  });

  return new Elysia({ name: 'openapi' }).use(guard).get(
    '/openapi.json',
    async () => new Response(await once(), { headers: { 'Content-Type': 'application/json' } }),
    route({
      id: 'getOpenapi',
      tag: 'Document',
      summary: 'Get this description as an OpenAPI 3.1 document',
      access: 'read',
      returns: t.Object({ openapi: t.String() }, { additionalProperties: true }),
      example: { openapi: '3.1.0' },
    }),
  );
}
