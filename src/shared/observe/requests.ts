/** The requests that work is done for: their ids, and for each its log line and its metrics. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { AnyElysia } from 'elysia';
import type { Fields, Level, Log } from '../log.ts';

type Context = { ids: readonly string[]; notes: Record<string, unknown> };

/** Follows the work through awaits, timers and queues. */
const contexts = new AsyncLocalStorage<Context>();

/** The header that carries request ids in, on to the agent, and back in the answer. */
export const REQUEST_ID = 'X-Request-Id';

const ID = /^[A-Za-z0-9._-]{1,64}$/;
/** With ids of 64 characters this is a header of 1.5 KB; further ids of a batch are dropped. */
const MOST_IDS = 24;

/** The ids of the requests that the current work belongs to; empty outside of requests. */
export const requestIds = (): readonly string[] => contexts.getStore()?.ids ?? [];

/** The same ids joined by commas, for a header or a log line, or undefined. */
export const joinedIds = (): string | undefined => requestIds().join(',') || undefined;

/** The fields of every log line that is written for a request. */
export const logContext = (): Fields => ({ request_id: joinedIds() });

/** Runs `run`, and all it starts, on behalf of these requests. */
export function inRequests<T>(ids: readonly string[], run: () => T): T {
  return contexts.run({ ids: [...new Set(ids)].slice(0, MOST_IDS), notes: {} }, run);
}

/** Runs `run`, and all it starts, on behalf of no request. */
export const outsideRequests = <T>(run: () => T): T => contexts.exit(run);

/** Adds fields to the log line of the current request. */
export function note(fields: Fields): void {
  Object.assign(contexts.getStore()?.notes ?? {}, fields);
}

const notes = (): Fields => contexts.getStore()?.notes ?? {};

/**
 * The ids in a request's header, or a new one if they are not well-formed.
 * @param several whether the header may hold the ids of a whole batch
 */
function idsOf(header: string | null, several: boolean): readonly string[] {
  const given = header?.split(',') ?? [];
  const most = several ? MOST_IDS : 1;
  const isGood = given.length > 0 && given.length <= most && given.every((id) => ID.test(id));
  return isGood ? given : [randomBytes(8).toString('hex')];
}

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
