/** `/docs`: its pages, and what they load. All of it is made when it is first asked for. */
import { Elysia } from 'elysia';
import type { ApiCore, HubHalf } from '../../hub/core.ts';
import { Failure } from '../../shared/failure.ts';
import { loadOnce } from '../../shared/memoize.ts';
import { type Rendered, renderDocs } from './render.ts';

const TYPES = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
} as const;

/** They are no part of the API. */
const NOT_API = { detail: { hide: true } };

export const hub: HubHalf = () => ({
  openRoutes({ routes, version }: ApiCore) {
    const rendered = loadOnce(async (): Promise<Rendered> => {
      const [{ buildDocument }, texts] = await Promise.all([
        import('../openapi/document.ts'),
        import('./texts.ts'),
      ]);
      return renderDocs({ ...texts, document: buildDocument(routes(), version) });
    });
    const answer = async (name: string): Promise<Response> => {
      const file = (await rendered()).get(name);
      if (!file) throw new Failure('NOT_FOUND', 'There is no such page.');
      const headers = { 'Content-Type': TYPES[file.type], 'Cache-Control': 'no-cache' };
      return new Response(file.body, { headers });
    };
    return new Elysia({ name: 'docs' })
      .get('/docs', () => answer(''), NOT_API)
      .get('/docs/:page', ({ params }) => answer(params.page), NOT_API);
  },
});
