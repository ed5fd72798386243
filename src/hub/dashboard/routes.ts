/** The dashboard's pages and files; all their data comes from the API. */
import { Elysia } from 'elysia';
import { Failure } from '../../shared/failure.ts';
import { pathOf } from '../../shared/http.ts';
import { PAGES } from '../../shared/pages.ts';
import type { SignUpDoor } from '../auth/accounts/sign-up.ts';
import { takesGzip } from '../http/responses.ts';

export type Asset = {
  /** The media type, with its charset. */
  type: string;
  body: Uint8Array<ArrayBuffer>;
  /** The body in gzip, if that is smaller. */
  gzip: Uint8Array<ArrayBuffer> | null;
};

/** `page` is the HTML; `files` holds what it loads, by names that change with the content. */
export type Dashboard = { page: string; files: ReadonlyMap<string, Asset> };

/** Pages are not part of the API's description. */
const NOT_API = { detail: { hide: true } };

/** A year: the name of a file changes with its content. */
const FOREVER = 'public, max-age=31536000, immutable';

/**
 * @param read the bundle, for each request; kept once it was read. Throws Error if the source is missing or does not build
 * @param doorFor what the client needs to sign up
 * @param data what else it knows before anybody signs in, as `data-NAME` of its page
 */
export function dashboardRoutes(
  read: () => Promise<Dashboard>,
  doorFor: (request: Request) => SignUpDoor,
  data: Readonly<Record<string, string>>,
) {
  async function showPage(request: Request, set: Answer): Promise<string> {
    set.headers['cache-control'] = 'no-store';
    set.headers['content-type'] = 'text/html; charset=utf-8';
    const { page } = await read();
    const all = Object.entries({ door: doorFor(request), ...data });
    const attributes = all.map(([name, text]) => `data-${name}="${Bun.escapeHTML(text)}"`);
    return page.replace('data-door=""', () => attributes.join(' '));
  }

  /** A person who mistyped an address gets the page, which shows where to go. */
  function showNotFound(request: Request, set: Answer): Promise<string> {
    const isPerson = request.headers.get('accept')?.includes('text/html');
    if (!isPerson || pathOf(request).startsWith('/api')) {
      throw new Failure('NOT_FOUND', 'Not found.');
    }
    set.status = 404;
    return showPage(request, set);
  }

  const app = new Elysia({ name: 'dashboard' })
    .get(
      '/:file',
      async ({ params, request, set }) => {
        const asset = (await read()).files.get(params.file);
        if (!asset) return showNotFound(request, set);
        set.headers['cache-control'] = FOREVER;
        set.headers['content-type'] = asset.type;
        set.headers.vary = 'Accept-Encoding';
        const packed = asset.gzip && takesGzip(request) ? asset.gzip : null;
        if (packed) set.headers['content-encoding'] = 'gzip';
        return new Response(packed ?? asset.body);
      },
      NOT_API,
    )
    .get('/*', ({ request, set }) => showNotFound(request, set), NOT_API);
  for (const [path] of PAGES) app.get(path, ({ request, set }) => showPage(request, set), NOT_API);
  return app;
}

type Answer = { headers: Record<string, string | number>; status?: number | string };
