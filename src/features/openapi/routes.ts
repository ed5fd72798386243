/** `/openapi.json` and `/docs`: the API's description, for programs and for people. */
import { Elysia, t } from 'elysia';
import type { ApiCore } from '../../hub/core.ts';
import { about } from '../../hub/http/about.ts';
import { READS, refusals } from '../../hub/http/refusal-schemas.ts';
import { loadOnce } from '../../shared/memoize.ts';
import style from './docs.css' with { type: 'text' };

export function openapiRoutes({ guard, version, routes }: ApiCore) {
  // Loaded on the first request, so that start-up does not pay for the generator.
  const once = loadOnce(async () => {
    const { buildDocument } = await import('./document.ts');
    const { renderPage } = await import('./page.ts');
    const document = buildDocument(routes(), version);
    return { json: JSON.stringify(document), page: renderPage(document) };
  });
  const answer = (text: string, type: string) =>
    new Response(text, { headers: { 'Content-Type': `${type}; charset=utf-8` } });

  return new Elysia({ name: 'openapi' })
    .use(guard)
    .get(
      '/openapi.json',
      async () =>
        new Response((await once()).json, { headers: { 'Content-Type': 'application/json' } }),
      {
        response: {
          200: t.Object({ openapi: t.String() }, { additionalProperties: true }),
          ...refusals(...READS),
        },
        detail: about({
          id: 'getOpenapi',
          tag: 'Document',
          summary: 'Get this description as an OpenAPI 3.1 document',
          access: 'read',
          needs: 'viewer',
          example: { openapi: '3.1.0' },
        }),
      },
    )
    .get('/docs', async () => answer((await once()).page, 'text/html'), {
      response: { 200: t.String(), ...refusals(...READS) },
      detail: about({
        id: 'getDocs',
        tag: 'Document',
        summary: 'Get this description as a web page',
        access: 'read',
        needs: 'viewer',
        mediaType: 'text/html',
        example: '<!doctype html>…',
      }),
    })
    .get('/docs/style.css', () => answer(style, 'text/css'), {
      detail: {
        ...about({
          id: 'getDocsStyle',
          tag: 'Document',
          summary: 'The style sheet of the page',
          access: 'read',
          needs: 'viewer',
        }),
        hide: true,
      },
    });
}
