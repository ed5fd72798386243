/** Wraps an app to give every request its id, its log line and its metrics. */
import type { AnyElysia } from 'elysia';
import type { Level, Log } from '../log.ts';
import { idsOf, inRequests, joinedIds, notes, REQUEST_ID } from './context.ts';

/** An answered request; `route` is a pattern, so there are only a few. */
export type RequestSeen = { method: string; route: string; status: number; seconds: number };

export type Routes = readonly { path: string }[];

type RequestsDeps = {
  /** The routes of the app; called once it is complete. */
  routes: () => Routes;
  log: Log;
  seen: (request: RequestSeen) => void;
  /** Whether a request may carry the ids of a whole batch. */
  several: boolean;
  /** Routes that are asked all the time and change nothing, whatever their method. */
  quiet?: readonly string[];
};

/** Any path without a route, and any unknown method. */
const OTHER = 'other';
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const CHANGES = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

export type Handler = (request: Request) => Response | Promise<Response>;
/** Elysia 1.4 types this as any function of functions. */
export type Wrap = Parameters<AnyElysia['wrap']>[0];

/** For Elysia's `wrap`, so that the app cannot answer anything without it. */
export function observeRequests({ routes, log, seen, several, quiet = [] }: RequestsDeps): Wrap {
  let find: ((path: string) => string) | undefined;

  function report(request: Request, status: number, from: number): void {
    find ??= createRouteFinder(routes().map(({ path }) => path));
    const path = URL.parse(request.url)?.pathname ?? '';
    const method = METHODS.has(request.method) ? request.method : OTHER;
    const route = find(path);
    const milliseconds = performance.now() - from;
    seen({ method, route, status, seconds: milliseconds / 1000 });
    const fields = { method, route, status, ms: Math.round(milliseconds * 10) / 10 };
    log(
      'request',
      { ...fields, ...notes() },
      quiet.includes(route) ? 'debug' : levelOf(method, route),
    );
  }

  const wrap =
    (handle: Handler): Handler =>
    (request) =>
      inRequests(idsOf(request.headers.get(REQUEST_ID), several), async () => {
        const from = performance.now();
        const response = await handle(request);
        response.headers.set(REQUEST_ID, joinedIds() ?? '');
        report(request, response.status, from);
        return response;
      });
  return wrap as unknown as Wrap;
}

/** Routes of hub and agent that answer a question which is too long for an address. */
const QUESTIONS = /^\/(?:api\/preview|logs\/merge|proxy\/(?:adapt|authorities|sites|validate))$/;

/** Changes are logged; reads, and what scanners try, only at `debug`. */
const levelOf = (method: string, route: string): Level =>
  CHANGES.has(method) && route !== OTHER && !QUESTIONS.test(route) ? 'info' : 'debug';

/** Finds the pattern of a path, literal ones first, as the router does. */
function createRouteFinder(patterns: readonly string[]): (path: string) => string {
  // The catch-all is not a route.
  const all = [...new Set(patterns)].filter((path) => path !== '/*');
  const literal = new Map(all.filter(isLiteral).map((path) => [bare(path), path]));
  const others = all
    .filter((path) => !isLiteral(path))
    .map((path) => ({ path, form: formOf(path) }));
  return (path) =>
    bare(literal.get(bare(path)) ?? others.find(({ form }) => form.test(path))?.path ?? OTHER);
}

const isLiteral = (path: string) => !/[:*]/.test(path);
/** A trailing slash does not make another route. */
const bare = (path: string) => (path.length > 1 ? path.replace(/\/$/, '') : path);

function formOf(path: string): RegExp {
  const parts = bare(path)
    .split('/')
    .map((part) =>
      part.startsWith(':') ? '[^/]+' : part === '*' ? '.*' : part.replace(/[^\w-]/g, '\\$&'),
    );
  return new RegExp(`^${parts.join('/')}/?$`);
}
