/**
 * The door of the demo: passes what reads on to a hub, which is as any other, with the session of a viewer. That
 * visitors need none is here alone, so no hub can be made to believe it.
 */
import { Elysia } from 'elysia';
import { errors, requestTimeout, SHORT_HOSTS } from '../../../shared/http.ts';
import { type Log, reportTo } from '../../../shared/log.ts';

/** @param host the only one that the hub answers to @param session the token of a viewer's session */
type Behind = { url: string; host: string; session: () => string };

export const createDoor = (behind: Behind, log: Log) =>
  new Elysia({ name: 'demo', handler: SHORT_HOSTS })
    .use(errors({ report: reportTo(log) }))
    .use(requestTimeout())
    .onRequest(({ request }) => pass(request, behind));

/** Changes nothing, though it is no GET; the hub limits how often. */
const EXPLANATIONS = '/api/explanations';
/** What the hub reads of a request; neither who somebody is, nor whose page asks. */
const PASSED = ['accept', 'accept-encoding', 'content-type', 'if-none-match', 'last-event-id'];

function pass(request: Request, { url, host, session }: Behind): Response | Promise<Response> {
  const { method, signal } = request;
  const { pathname, search } = new URL(request.url);
  const isExplained = method === 'POST' && pathname === EXPLANATIONS;
  if (method !== 'GET' && method !== 'HEAD' && !isExplained) return refused();
  const headers = new Headers({ host, cookie: `signalbox_session=${session()}` });
  for (const name of PASSED) {
    const value = request.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  return fetch(`${url}${pathname}${search}`, {
    method,
    headers,
    body: isExplained ? request.body : null,
    signal,
    redirect: 'manual',
    decompress: false,
  });
}

const refused = () =>
  Response.json(
    {
      code: 'DEMO',
      message: 'This is a demo: everybody may look, and nobody can change anything.',
    },
    { status: 405, headers: { Allow: 'GET, HEAD', 'Cache-Control': 'no-store' } },
  );
