/** The dashboard's pages and files; all that they show comes from the API. */
import { Elysia } from 'elysia';
import { Failure } from '../../shared/failure.ts';
import { pathOf } from '../../shared/http.ts';
import type { SignUpDoor } from '../auth/accounts/accounts.ts';

/** The addresses the page answers to; each shows itself. */
export const PAGES = [
  '/',
  '/sites/new',
  '/sites/:id',
  '/logs',
  '/changelog',
  '/preamble',
  '/import',
  '/account',
] as const;

export type Asset = {
  /** The media type, with its charset. */
  type: string;
  body: Uint8Array<ArrayBuffer>;
  /** The same in gzip, where that is smaller. */
  gzip: Uint8Array<ArrayBuffer> | null;
};

/** `page` is the HTML; `files` are what it loads, by names that change with their content. */
export type Dashboard = { page: string; files: ReadonlyMap<string, Asset> };

export type DashboardRoutesDeps = {
  /** Reads the bundle, once. @throws where the source is not there, or does not bundle */
  read: () => Promise<Dashboard>;
  /** How an account is made for who asks. */
  doorFor: (request: Request) => SignUpDoor;
};

/** Pages are no part of the interface that is described to programs. */
const NOT_API = { detail: { hide: true } };

/** A year: the name of a file changes with its content. */
const FOREVER = 'public, max-age=31536000, immutable';

export function dashboardRoutes({ read, doorFor }: DashboardRoutesDeps) {
  let dashboard: Promise<Dashboard> | undefined;
  const load = () => {
    dashboard ??= read().catch((error: unknown) => {
      dashboard = undefined;
      throw error;
    });
    return dashboard;
  };

  async function showPage(request: Request, set: Headed): Promise<string> {
    set.headers['cache-control'] = 'no-store';
    set.headers['content-type'] = 'text/html; charset=utf-8';
    return (await load()).page.replace('data-door=""', `data-door="${doorFor(request)}"`);
  }

  /** Somebody who typed the address is shown where to go. */
  function showNothing(request: Request, set: Headed): Promise<string> {
    const isPerson = request.headers.get('accept')?.includes('text/html');
    if (!isPerson || pathOf(request).startsWith('/api')) {
      throw new Failure('NOT_FOUND', 'There is nothing at this address.');
    }
    set.status = 404;
    return showPage(request, set);
  }

  const app = new Elysia({ name: 'dashboard' })
    .get(
      '/:file',
      async ({ params, request, set }) => {
        const asset = (await load()).files.get(params.file);
        if (!asset) return showNothing(request, set);
        set.headers['cache-control'] = FOREVER;
        set.headers['content-type'] = asset.type;
        set.headers.vary = 'Accept-Encoding';
        const packed = asset.gzip && takesGzip(request) ? asset.gzip : null;
        if (packed) set.headers['content-encoding'] = 'gzip';
        return new Response(packed ?? asset.body);
      },
      NOT_API,
    )
    .get('/*', ({ request, set }) => showNothing(request, set), NOT_API);
  for (const path of PAGES) app.get(path, ({ request, set }) => showPage(request, set), NOT_API);
  return app;
}

type Headed = { headers: Record<string, string | number>; status?: number | string };

/** RFC 9110 12.5.3, as far as browsers use it; `gzip;q=0` is a no. */
const takesGzip = (request: Request): boolean =>
  /(^|,)\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*(,|$))[^,]*)?(,|$)/i.test(
    request.headers.get('accept-encoding') ?? '',
  );
