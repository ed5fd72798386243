/** Reads and writes the session cookie; the only file that uses `@elysiajs/cookie`. */
import { cookie } from '@elysiajs/cookie';
import { Elysia } from 'elysia';
import { isLoopbackHost } from '../../../shared/loopback.ts';
import { bearerOf } from '../secret.ts';

const NAME = 'signalbox_session';

/** What routes and guards find in their context as `sessionCookie`. */
export type SessionCookie = {
  /** The token from `Authorization: Bearer`, else from the cookie; null if there is neither. */
  presented: string | null;
  /** The token from `Authorization: Bearer` only. */
  bearer: string | null;
  write: (token: string, maxAgeSeconds: number) => void;
  expire: () => void;
};

type CookieContext = {
  request: Request;
  cookie: Record<string, unknown>;
  setCookie: (name: string, value: string, options?: object) => void;
};

/**
 * Adds `sessionCookie` to the context.
 * The plugin (0.8 on Elysia 1.4) reaches the parent only as 'global', and its `removeCookie` forgets
 * the path and drops other cookies, so a cookie is expired by writing it with `maxAge` 0.
 */
export function createSessionCookies(isHttps: (request: Request) => boolean) {
  return new Elysia({ name: 'session-cookie' })
    .use(cookie().as('global'))
    .derive({ as: 'global' }, (context) => {
      const { request, cookie: cookies, setCookie } = context as unknown as CookieContext;
      const secure = isHttps(request);
      // The prefix makes browsers reject it from a subdomain or over plain HTTP (RFC 6265bis 4.1.3).
      const plain = secure ? `__Host-${NAME}` : NAME;
      const name = secure ? plain : `${NAME}${portOnLoopback(request.headers)}`;
      const options = { httpOnly: true, sameSite: 'lax', path: '/', secure };
      const bearer = bearerOf(request.headers);
      // The plain name is for clients that send what the API reference says, on loopback too.
      const own = cookies[name] ?? cookies[plain];
      return {
        sessionCookie: {
          bearer,
          presented: bearer ?? (typeof own === 'string' && own !== '' ? own : null),
          write: (token, maxAge) => setCookie(name, token, { ...options, maxAge }),
          expire: () => setCookie(name, '', { ...options, maxAge: 0 }),
        } satisfies SessionCookie as SessionCookie,
      };
    });
}

/**
 * `_8080` for a hub at `localhost:8080`: browsers send a cookie to every port of a host (RFC 6265bis 8.5),
 * and several hubs may run on one machine. Empty elsewhere.
 */
function portOnLoopback(headers: Headers): string {
  const host = headers.get('host') ?? '';
  const port = isLoopbackHost(host) ? URL.parse(`http://${host}`)?.port : '';
  return port ? `_${port}` : '';
}

export type SessionCookies = ReturnType<typeof createSessionCookies>;
